"""``memoryd forget``: take something out for good."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from memoryd.cli.frame import USAGE, Command, Failure, Frame, pass_frame


@click.command(cls=Command)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@pass_frame
def command(frame: Frame, ids: tuple[str, ...], yes: bool) -> None:
    """Forget episodes, elements or decisions for good; what was forgotten is never taken in again."""
    if not yes:
        if not sys.stdin.isatty():
            raise Failure("nothing was forgotten: there is nobody to ask; repeat with --yes", USAGE)
        click.confirm(f"Forget {_listed(ids)} for good?", abort=True, err=True)
    frame.ask("POST", "/v1/forget", _describe, body={"ids": list(ids)})


def _describe(body: dict[str, Any]) -> Iterator[str]:
    yield f"forgot {_listed(body['ids'])}"
    if body.get("events"):
        yield f"recorded as {_listed(body['events'])}"
    else:
        yield "it was forgotten before"
    if body.get("not_reached"):
        yield "out of reach, where a copy may remain:"
        yield from (f"  {place}" for place in body["not_reached"])


def _listed(ids: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(ids[:-1]), *ids[-1:]]))
