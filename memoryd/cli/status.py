"""``memoryd status``: how the daemon is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, counted, pass_frame


@click.command(cls=Command)
@pass_frame
def command(frame: Frame) -> None:
    """Show what the daemon holds, what is pending and what it does without."""
    endpoint = frame.client.endpoint

    def lines(body: Any) -> Iterator[str]:
        state = "ready" if body["ready"] else "starting"
        yield f"memoryd {body['version']}, pid {endpoint.pid}, {state}, {endpoint.url}"
        yield from describe(body)

    frame.ask("GET", "/v1/status", lines)


def describe(body: dict[str, Any]) -> Iterator[str]:
    """Return the lines that say what each half holds."""
    for half in ("episodic", "semantic"):
        held = ", ".join(
            counted(value, key.removesuffix("s")) if isinstance(value, int) else f"{key} {value}"
            for key, value in body[half].items()
        )
        yield f"{half}: {held}"
    yield f"pending: {body['pending']:,}"
    for reason in body["degraded"]:
        yield f"degraded: {reason}"
