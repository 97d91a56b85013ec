"""``memoryd remember``: write an episode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import click

from clients.http import Answer, ProblemError
from memoryd.cli.folder import working_folder
from memoryd.cli.frame import Command, Frame, given, pass_frame


@click.command(cls=Command)
@click.argument("text", nargs=-1, required=True, metavar="TEXT...")
@click.option("--title", help="A heading; without it the project's name.")
@click.option("--at", help="When it happened: an instant or a date; without it, now.")
@click.option("--project", help="Id or name of the project; without it, that of this folder.")
@click.option("--session", help="The session it belongs to.")
@click.option("--file", "files", multiple=True, help="A file it is about; may be repeated.")
@click.option("--key", help="An Idempotency-Key: the same key writes once.")
@pass_frame
def command(frame: Frame, /, text: tuple[str, ...], key: str | None, **options: Any) -> None:
    """Write an episode into today's journal; TEXT of a single - is read from stdin.

    Without --project it belongs to the project of this folder; the home folder, / and temporary folders are none.
    """
    written = sys.stdin.buffer.read().decode("utf-8", "replace") if text == ("-",) else " ".join(text)
    body = given(options) | {"text": written}
    if folder := working_folder():
        body["cwd"] = folder
    answer = frame.client.call("POST", "/v1/episodes", body=body, headers=given({"Idempotency-Key": key}) or None)
    frame.show(answer, _describe(frame, answer))


def _describe(frame: Frame, answer: Answer) -> Iterator[str]:
    body, done = answer.body, "remembered" if answer.status == 201 else "remembered before"
    first, last = body["lines"]
    yield f"{done} in {body['path']}:{first}-{last} as {body['id']}"
    yield _project_of(frame, body["id"])


def _project_of(frame: Frame, episode: str) -> str:
    """Return which project an entry belongs to, in words."""
    try:
        id_ = frame.client.call("GET", f"/v1/episodes/{quote(episode, safe='')}").body["project"]
        if id_ is None:
            return "in no project; --project names one"
        known = frame.client.call("GET", "/v1/projects").body["items"]
    except ProblemError as problem:
        return f"its project could not be read: {frame.explain(problem)}"
    name = next((one["name"] for one in known if one["id"] == id_), None)
    return f"in the project {name} ({id_})" if name else f"in the project {id_}"
