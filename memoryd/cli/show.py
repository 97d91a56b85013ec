"""``memoryd show``: whatever another command printed the id or the place of."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import click

from clients.http import ProblemError
from memoryd.cli.called import Called
from memoryd.cli.frame import NOT_FOUND, Command, Failure, Frame, clean, pass_frame, place_of, write_raw
from memoryd.cli.kg import describe_element
from memoryd.cli.naming import find_near
from memoryd.cli.plan import describe as describe_plan
from memoryd.cli.project import describe as describe_project
from memoryd.cli.when import recorded_at

_DAY = re.compile(r"(?:journal/)?(\d{4}-\d{2}-\d{2})(?:\.md)?(?::\d+(?:-\d+)?)?")
_LINES = re.compile(r":\d+(?:-\d+)?$")
_SECTION = re.compile(r"[0-9a-f]{32}")
_NOTE = re.compile(r"[^:/\s]+:\S.*")
_WAY_OUT = "`memoryd recall WORDS` finds what there is"


@click.command(cls=Command)
@click.argument("id_", metavar="ID|PLACE")
@pass_frame
def command(frame: Frame, id_: str) -> None:
    """Show what an id or a place stands for, whichever command printed it.

    ep_… is an entry, el_… an element, de_… a decision, no_… a note, fo_… a forgetting, pl_… a plan, p-… a project;
    vault:path.md is a note, journal/2026-11-30.md a day. Lines behind a place (:12-18) may stay.
    """
    try:
        _show(frame, id_)
    except ProblemError as problem:
        if problem.status != HTTPStatus.NOT_FOUND:
            raise
        if frame.as_json:
            write_raw(problem.raw)
        raise Failure(f"there is no {id_}, or it was forgotten; {_WAY_OUT}", NOT_FOUND) from problem


def _show(frame: Frame, id_: str) -> None:
    head = id_[:3]
    if found := _DAY.fullmatch(id_):
        frame.ask("GET", f"/v1/days/{found[1]}", lambda body: _describe_day(body, found[1]))
    elif head == "ep_" or _SECTION.fullmatch(id_):
        # The entry of a section is found by the section's id as well.
        frame.ask("GET", f"/v1/episodes/{quote(id_, safe='')}", _describe_entry)
    elif head == "el_":
        human = partial(describe_element, Called(frame))
        frame.ask("GET", f"/v1/elements/{quote(id_, safe='')}", human, query={"explain": True})
    elif head == "de_":
        frame.ask("GET", f"/v1/decisions/{quote(id_, safe='')}", partial(_describe_decision, Called(frame)))
    elif head == "pl_":
        frame.ask("GET", f"/v1/plans/{quote(id_, safe='')}", describe_plan)
    elif head == "fo_":
        raise Failure(
            f"{id_} records that something was forgotten; what that was is not kept, so there is nothing to show",
            NOT_FOUND,
        )
    elif head == "no_":
        _show_note(frame, _place_of_note(frame, id_))
    elif _NOTE.fullmatch(id_):
        _show_note(frame, _LINES.sub("", id_))
    else:
        _show_project(frame, id_)


def _place_of_note(frame: Frame, id_: str) -> str:
    """Return ``vault:path`` of a note; the graph knows ids of notes, and so does not need a list of all."""
    node = frame.client.call("POST", "/v1/graph/explain", body={"of": id_}).body["node"]
    place = node.get("path")
    if not place:
        raise Failure(f"no note has the id {id_}; {_WAY_OUT}", NOT_FOUND)
    return _LINES.sub("", str(place))


def _show_note(frame: Frame, place: str) -> None:
    vault, _, path = place.partition(":")
    answer = frame.client.call("GET", f"/v1/notes/{quote(vault, safe='~')}/{quote(path)}")
    if frame.as_json:
        write_raw(answer.raw)
        return
    click.echo(clean(f"{vault}:{path} (ETag {answer.body.get('etag', '?')})"), err=True)
    text = answer.body["text"]
    # Not by click, which takes escape sequences out of what goes into a file.
    write_raw((clean(text) if sys.stdout.isatty() else text).encode())


def _show_project(frame: Frame, id_: str) -> None:
    answer = frame.client.call("GET", "/v1/projects")
    found = [one for one in answer.body["items"] if id_ in {one["id"], one["name"]}]
    if not found:
        raise Failure(f"{id_} is no id, place or project that is known; {_way_by_name(frame, id_)}", NOT_FOUND)
    if frame.as_json:
        frame.show(answer, ())
        return
    for one in found:
        for line in describe_project(one):
            click.echo(clean(line))


def _way_by_name(frame: Frame, name: str) -> str:
    """Return which command shows what is called so, or nearly so."""
    near = find_near(frame, name)
    for one in near:
        if one["id"].startswith("el_"):
            return f"there is the {one['kind']} {one['name']}: `memoryd kg show {one['id']}` shows it"
        if one["id"].startswith("no_"):
            return f"there is the note {one['name']}: `memoryd show {one['id']}` shows it"
    return _WAY_OUT


def _describe_decision(called: Called, body: dict[str, Any]) -> Iterator[str]:
    yield f"{recorded_at(body)} decision “{body['title']}” by {body.get('actor', '?')} ({body['id']})"
    if body.get("why"):
        yield f"  why: {body['why']}"
    for name in ("supersedes", "evidence", "about"):
        if values := body.get(name):
            yield f"  {name}: {', '.join(map(called.name, values))}"
    if body.get("superseded_by"):
        yield f"  superseded by {called.name(body['superseded_by'])}"


def _describe_entry(body: dict[str, Any]) -> Iterator[str]:
    title = f" “{body['title']}”" if body.get("title") else ""
    yield f"{str(body.get('at') or '')[:16].replace('T', ' ')} episode{title}".strip()
    yield place_of(body)
    if body.get("project"):
        yield f"project {body['project']}"
    if body.get("superseded_by"):
        yield f"superseded by {body['superseded_by']}"
    yield ""
    yield body["text"].rstrip("\n")


def _describe_day(body: dict[str, Any], day: str) -> Iterator[str]:
    if not body["items"]:
        yield f"nothing is written on {day}"
    for number, item in enumerate(body["items"]):
        if number:
            yield ""
        yield from _describe_entry(item)
