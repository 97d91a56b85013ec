"""``memoryd remember``: write an episode."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, pass_frame


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@click.option("--title", help="A heading; without it the project's name.")
@click.option("--at", help="When it happened: an instant or a date; without it, now.")
@click.option("--project", help="Id or name of the project; without it, that of this folder.")
@click.option("--session", help="The session it belongs to.")
@click.option("--file", "files", multiple=True, help="A file it is about; may be repeated.")
@click.option("--key", help="An Idempotency-Key: the same key writes once.")
@pass_frame
def command(frame: Frame, /, words: tuple[str, ...], key: str | None, **options: Any) -> None:
    """Write an episode into today's journal; TEXT of a single - is read from stdin."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if words == ("-",) else " ".join(words)
    body = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value}
    body |= {"text": text, "cwd": os.getcwd()}  # noqa: PTH109 - a text for JSON
    headers = {"Idempotency-Key": key} if key else None
    frame.ask("POST", "/v1/episodes", _describe, body=body, headers=headers)


def _describe(body: dict[str, Any]) -> list[str]:
    first, last = body["lines"]
    return [f"remembered in {body['path']}:{first}-{last} as {body['id']}"]
