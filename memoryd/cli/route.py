"""``memoryd route``: which memory would answer, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.folder import working_folder
from memoryd.cli.frame import Command, Frame, pass_frame

WIDTH = 100
"""A route with its reasons that is longer is told in several lines."""


@click.command(cls=Command)
@click.argument("query", nargs=-1, required=True, metavar="QUESTION...")
@pass_frame
def command(frame: Frame, query: tuple[str, ...]) -> None:
    """Show which memory would answer a question, and why."""
    body = {"query": " ".join(query)}
    if folder := working_folder():
        body["cwd"] = folder
    frame.ask("POST", "/v1/route", lambda answer: describe_route(answer["route"]), body=body)


def describe_route(route: dict[str, Any], *, on_one_line: bool = False) -> Iterator[str]:
    """Return the lines that explain a route; the reasons stand in a line each, or all behind it where they fit."""
    head, reasons = f"route: {route['store']} ({route['confidence']:.2f})", route["reasons"]
    whole = f"{head}: {'; '.join(reasons)}" if reasons else head
    if on_one_line and len(whole) <= WIDTH:
        yield whole
    else:
        yield head
        yield from (f"  {reason}" for reason in reasons)
    span = route.get("range") or {}
    if span:
        yield f"  from {_shown(span.get('since')) or 'the beginning'} until {_shown(span.get('until')) or 'now'}"


def _shown(instant: str | None) -> str:
    return (instant or "")[:16].replace("T", " ")
