"""``memoryd status``: how the daemon is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, counted, pass_frame
from memoryd.cli.service import service_of
from memoryd.paths import find_paths


@click.command(cls=Command)
@click.option("--sessions", is_flag=True, help="Show instead what each session was given, and what it cost.")
@pass_frame
def command(frame: Frame, sessions: bool) -> None:
    """Show what the daemon holds, what is pending and what it does without."""
    if sessions:
        frame.ask("GET", "/v1/sessions", lambda body: describe_sessions(body["items"]))
        return
    endpoint = frame.client.endpoint

    def lines(body: Any) -> Iterator[str]:
        state = "ready" if body["ready"] else "starting"
        yield f"memoryd {body['version']}, pid {endpoint.pid}, {state}, {endpoint.url}"
        if service_of(find_paths(), os.environ) is not None:
            yield "service: installed; `memoryd service status` shows it"
        yield from describe(body)

    frame.ask("GET", "/v1/status", lines)


def describe(body: dict[str, Any]) -> Iterator[str]:
    """Return the lines that say what each half holds."""
    if captured := body.get("capture"):
        by_files = f", {captured['missed']:,} of them from session files" if captured["missed"] else ""
        yield f"turns since the start: {captured['recorded']:,}{by_files}"
    for half in ("episodic", "semantic"):
        held = ", ".join(
            counted(value, key.removesuffix("s")) if isinstance(value, int) else f"{key} {value}"
            for key, value in body[half].items()
        )
        yield f"{half}: {held}"
    yield f"pending: {counted(body['pending'], 'piece')} not yet indexed"
    for reason in body["degraded"]:
        yield f"degraded: {reason}"


def describe_sessions(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Return the lines that say what sessions were given: sizes in UTF-16 units, four of which are about a token."""
    count = 0
    for count, one in enumerate(items, start=1):  # noqa: B007 - tells below that there was none
        where = f", {one['project']}" if one["project"] else ""
        yield f"{one['session']}{where}: {counted(one['units'], 'unit')} in {counted(len(one['showings']), 'text')}"
        for shown in one["showings"]:
            agent = f" (sub-agent {shown['agent']})" if shown["agent"] else ""
            what = counted(len(shown["ids"]), "thing")
            yield f"  {shown['at']} {shown['event']}{agent}: {counted(shown['units'], 'unit')}, {what}"
    if not count:
        yield "no session was given anything yet"
