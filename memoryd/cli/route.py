"""``memoryd route``: which memory would answer, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, pass_frame


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True, metavar="QUESTION...")
@pass_frame
def command(frame: Frame, words: tuple[str, ...]) -> None:
    """Show which memory would answer a question, and why."""
    body = {"query": " ".join(words), "cwd": os.getcwd()}  # noqa: PTH109 - a text for JSON
    frame.ask("POST", "/v1/route", lambda answer: describe_route(answer["route"]), body=body)


def describe_route(route: dict[str, Any]) -> Iterator[str]:
    """Return the lines that explain a route."""
    yield f"route: {route['store']} ({route['confidence']:.2f})"
    for reason in route["reasons"]:
        yield f"  {reason}"
    span = route.get("range") or {}
    if span:
        yield f"  from {span.get('since') or 'the beginning'} until {span.get('until') or 'now'}"
