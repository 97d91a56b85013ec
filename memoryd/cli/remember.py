"""``memoryd remember``: write an episode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import click

from clients.http import Answer, ProblemError
from memoryd.cli.folder import working_folder
from memoryd.cli.frame import Command, Frame, given, pass_frame
from memoryd.cli.project import describe_new, known_projects

_AHEAD = timedelta(days=1)
"""An entry may be dated so far ahead of now without a word: what is planned for today is."""


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
    # A name that is not known makes a project; a mistyped one has to be told from that.
    before = known_projects(frame) if body.get("project") and not frame.as_json else None
    answer = frame.client.call("POST", "/v1/episodes", body=body, headers=given({"Idempotency-Key": key}) or None)
    frame.show(answer, _describe(frame, answer, before))


def _describe(frame: Frame, answer: Answer, before: Mapping[str, str] | None) -> Iterator[str]:
    body, done = answer.body, "remembered" if answer.status == 201 else "remembered before"
    first, last = body["lines"]
    yield f"{done} in {body['path']}:{first}-{last} as {body['id']}"
    yield _project_of(frame, body["id"], before)
    if body.get("at") and datetime.fromisoformat(body["at"]) > datetime.now(UTC) + _AHEAD:
        yield (
            f"warning: {body['at'][:10]} has not come yet, and until then this is the newest entry; "
            f"`memoryd forget {body['id']}` takes it out"
        )


def _project_of(frame: Frame, episode: str, before: Mapping[str, str] | None) -> str:
    """Return which project an entry belongs to, in words; ``before`` holds those known before it was written."""
    try:
        id_ = frame.client.call("GET", f"/v1/episodes/{quote(episode, safe='')}").body["project"]
        if id_ is None:
            return "in no project; --project names one"
        known = known_projects(frame)
    except ProblemError as problem:
        return f"its project could not be read: {frame.explain(problem)}"
    name = known.get(id_)
    said = f"in the project {name} ({id_})" if name else f"in the project {id_}"
    return said if name is None or before is None or id_ in before else f"{said}, {describe_new(name, before)}"
