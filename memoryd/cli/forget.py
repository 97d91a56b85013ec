"""``memoryd forget``: take something out for good."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import click

from clients.http import ProblemError
from memoryd.cli.frame import NOT_FOUND, USAGE, Command, Failure, Frame, pass_frame

_PLACES = {"ep_": "episodes", "el_": "elements", "de_": "decisions"}


@click.command(cls=Command)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@pass_frame
def command(frame: Frame, ids: tuple[str, ...], yes: bool) -> None:
    """Forget episodes, elements or decisions for good; what was forgotten is never taken in again."""
    if not yes:
        # A mistyped id is said before anybody is asked.
        for id_ in ids:
            _look(frame, id_)
        if not sys.stdin.isatty():
            raise Failure("nothing was forgotten: there is nobody to ask; repeat with --yes", USAGE)
        click.confirm(f"Forget {_listed(ids)} for good?", abort=True, err=True)
    frame.ask("POST", "/v1/forget", _describe, body={"ids": list(ids)})


def _look(frame: Frame, id_: str) -> None:
    kind = _PLACES.get(id_[:3])
    if kind is None:
        raise Failure(
            f"nothing was forgotten: {id_} is no id of an entry (ep_…), an element (el_…) or a decision (de_…); "
            "`memoryd recall WORDS` finds them",
            NOT_FOUND,
        )
    try:
        frame.client.call("GET", f"/v1/{kind}/{quote(id_, safe='')}")
    except ProblemError as problem:
        if problem.status != HTTPStatus.NOT_FOUND:
            raise
        raise Failure(f"nothing was forgotten: there is no {id_}, or it was forgotten before", NOT_FOUND) from problem


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
