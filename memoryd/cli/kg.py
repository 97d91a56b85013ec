"""``memoryd kg``: what is known: decisions, elements and how they hang together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, TextIO
from urllib.parse import quote

import click

from clients.http import ProblemError
from memoryd.cli.active import active
from memoryd.cli.attend import archive, pin, restore, unpin
from memoryd.cli.called import Called
from memoryd.cli.edit import edit, share, trust
from memoryd.cli.folder import working_folder
from memoryd.cli.frame import NOT_FOUND, Failure, Frame, Group, given, pass_frame, shorten, write_raw
from memoryd.cli.naming import find_element, no_such_element
from memoryd.cli.ties import explain, path, query, report
from memoryd.cli.when import recorded_at

_PAGE = 500


@click.group(cls=Group)
def command() -> None:
    """What is known: decisions, elements and how they hang together."""


for _asked in (active, archive, restore, pin, unpin, path, explain, query, report, edit, share, trust):
    command.add_command(_asked)


@command.command("decide")
@click.argument("title")
@click.option("--why", required=True, help="The reason, in words.")
@click.option(
    "--put",
    nargs=3,
    multiple=True,
    metavar="KIND NAME GIST",
    help="Record an element; an empty GIST leaves the one it has; may be repeated.",
)
@click.option(
    "--link",
    nargs=3,
    multiple=True,
    metavar="FROM REL TO",
    help="Link two elements, each an id or kind:name; may be repeated.",
)
@click.option(
    "--mutations", type=click.File("r", encoding="utf-8"), help="A file with a JSON array of mutations; - is stdin."
)
@click.option("--scope", type=click.Choice(["user", "project"]), help="Whose knowledge it is.")
@click.option("--project", help="Id or name of the project; without it, that of this folder.")
@click.option("--session", help="The session it was made in.")
@click.option("--evidence", multiple=True, help="An episode id or <vault>:<path>#<heading>; may be repeated.")
@click.option("--supersedes", multiple=True, help="A decision that this one replaces; may be repeated.")
@click.option("--about", multiple=True, help="An id that is mentioned and not changed; may be repeated.")
@click.option("--valid-at", help="From when it holds; without it, from now.")
@click.option("--new", is_flag=True, help="The names are new although they look like known ones.")
@pass_frame
def decide(
    frame: Frame,
    /,
    title: str,
    put: tuple[tuple[str, str, str], ...],
    link: tuple[tuple[str, str, str], ...],
    mutations: TextIO | None,
    **options: Any,
) -> None:
    """Record a decision and what it changes."""
    changes = _read_mutations(mutations)
    labels = [f"--mutations ({number})" for number, _ in enumerate(changes, start=1)]
    for kind, name, gist in put:
        if not kind.strip() or not name.strip():
            raise click.BadParameter("KIND and NAME must not be empty", param_hint="--put")
        labels.append(f"--put {kind} {name}")
        changes.append({"op": "put_element", "kind": kind, "name": name, **({"gist": gist} if gist.strip() else {})})
    changes += [
        {"op": "add_link", "from": _end(source), "rel": rel, "to": _end(target)} for source, rel, target in link
    ]
    labels += [f"--link {source} {rel} {target}" for source, rel, target in link]
    frame.called = {f"mutations[{index}]": label for index, label in enumerate(labels)}
    bare = [f"{kind} {name}" for kind, name, gist in put if not gist.strip()]
    body = given(options) | {"title": title, "mutations": changes}
    if "project" not in body and body.get("scope") != "user" and (folder := working_folder()):
        body["cwd"] = folder
    answer = frame.client.call("POST", "/v1/decisions", body=body)
    frame.show(answer, _describe_recorded(frame, answer.body, bare, is_new=answer.status == 201))


@command.command("show")
@click.argument("name", metavar="ID|NAME")
@pass_frame
def show(frame: Frame, name: str) -> None:
    """Show an element or a decision by id, or elements by name.

    Words find the elements whose names, aliases or gists have them; ends with 4 if there is none.
    """
    if name.startswith("de_"):
        frame.ask("GET", f"/v1/decisions/{quote(name, safe='')}", partial(_describe_decision, Called(frame)))
    elif name.startswith("el_"):
        place, human = f"/v1/elements/{quote(name, safe='')}", partial(describe_element, Called(frame))
        frame.ask("GET", place, human, query={"explain": True})
    else:
        answer = frame.ask("GET", "/v1/elements", partial(_describe_elements, Called(frame)), query={"q": name})
        if not answer.body["items"]:
            raise no_such_element(frame, name)


@command.command("as-of")
@click.argument("name", metavar="ID|NAME")
@click.argument("as_of_", metavar="WHEN")
@pass_frame
def as_of(frame: Frame, name: str, as_of_: str) -> None:
    """Show an element as it was known at an instant.

    WHEN is an instant, or a date, whose end is meant.
    """
    place = f"/v1/elements/{quote(find_element(frame, name), safe='')}"
    try:
        frame.ask("GET", place, partial(describe_element, Called(frame)), query={"as_of": as_of_})
    except ProblemError as problem:
        if problem.status != HTTPStatus.NOT_FOUND:
            raise
        # Either nobody ever heard of it, and then this call says so, or it came later.
        known = frame.client.call("GET", place).body
        steps = frame.client.call("GET", f"{place}/history").body["items"]
        if frame.as_json:
            write_raw(problem.raw)
        since = f"is known since {recorded_at(steps[0])}" if steps else "is known now"
        raise Failure(f"not yet known then: {known['kind']} {known['name']} {since}", NOT_FOUND) from problem


@command.command("history")
@click.argument("name", metavar="ID|NAME")
@pass_frame
def history(frame: Frame, name: str) -> None:
    """Show every decision about an element."""
    called = Called(frame)
    place = f"/v1/elements/{quote(find_element(frame, name), safe='')}/history"

    def lines(body: dict[str, Any]) -> Iterator[str]:
        items = _whole(frame, place, body)
        called.know(items)
        for item in items:
            yield from _describe_decision(called, item)

    frame.ask("GET", place, lines)


@command.command("neighbors")
@click.argument("name", metavar="ID|NAME")
@pass_frame
def neighbors(frame: Frame, name: str) -> None:
    """Show what an element is linked with."""
    id_ = find_element(frame, name)
    place = f"/v1/elements/{quote(id_, safe='')}/neighbors"
    frame.ask("GET", place, lambda body: _describe_neighbors(Called(frame), id_, _whole(frame, place, body)))


@command.command("conflicts")
@pass_frame
def conflicts(frame: Frame) -> None:
    """Show where two decisions stand side by side."""
    place = "/v1/conflicts"
    frame.ask("GET", place, lambda body: _describe_conflicts(_whole(frame, place, body)))


def _whole(frame: Frame, place: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the items of a list whose first page is at hand, and of its further pages."""
    items: list[dict[str, Any]] = list(body["items"])
    while cursor := body.get("next_cursor"):
        body = frame.client.call("GET", place, query={"cursor": cursor, "limit": _PAGE}).body
        items += body["items"]
    return items


def describe_element(called: Called, body: dict[str, Any]) -> Iterator[str]:
    """Return the lines of an element, what it is linked with by name."""
    scope = body["project"] if body["scope"] == "project" else body["scope"]
    yield f"{body['kind']} {body['name']} ({scope}) {body['id']}"
    if body.get("gist"):
        yield f"  {body['gist']}"
    if standing := body.get("standing"):
        yield f"  {_describe_standing(standing)}"
    if body.get("unconfirmed_since"):
        yield f"  unconfirmed since {body['unconfirmed_since']}: a file that it touches changed or is gone"
    for name in ("aliases", "touches", "notes", "evidence"):
        if body.get(name):
            yield f"  {name}: {', '.join(str(value) for value in body[name])}"
    for key, value in (body.get("props") or {}).items():
        yield f"  {key} = {json.dumps(value, ensure_ascii=False)}"
    for head in body.get("heads", ()):
        yield f"  head: {called.name(head)}"
    if body.get("links"):
        called.know_neighbors(body["id"])
    for link in body.get("links", ()):
        yield f"  {called.link(link, body['id'])}"


def _describe_standing(standing: dict[str, Any]) -> str:
    """Return whether sessions are told of an element unasked, and why."""
    place = "put away" if standing["archived"] else "in the active set"
    is_new = standing["graced"] and not standing["archived"]
    why = ", pinned" if standing["pinned"] else ", new" if is_new else ""
    scores = (f"{name} {standing[name]:.2f}" for name in ("recency", "connectedness"))
    return f"{place}{why}: score {standing['score']:.2f} of {', '.join(scores)}; {standing['units']} units"


def _describe_elements(called: Called, body: dict[str, Any]) -> Iterator[str]:
    called.know(body["items"])
    for item in body["items"]:
        yield from describe_element(called, item)
    if body.get("next_cursor"):
        yield "there are more; write more of the name"


def _describe_decision(called: Called, body: dict[str, Any]) -> Iterator[str]:
    yield _headline(body)
    if body.get("why"):
        yield f"    why: {shorten(body['why'], 400)}"
    if body.get("supersedes"):
        yield f"    supersedes {', '.join(map(called.name, body['supersedes']))}"
    if body.get("superseded_by"):
        yield f"    superseded by {called.name(body['superseded_by'])}"


def _headline(decision: dict[str, Any]) -> str:
    who = decision.get("actor", "?")
    return f"{recorded_at(decision)} “{shorten(decision['title'], 100)}” by {who} ({decision['id']})"


def _describe_recorded(frame: Frame, body: dict[str, Any], bare: Sequence[str], *, is_new: bool) -> Iterator[str]:
    yield f"recorded {body['id']}" if is_new else f"already recorded as {body['id']}; it still holds"
    called = Called(frame)
    for name in ("elements", "superseded"):
        for id_ in body.get(name) or ():
            yield f"  {name.removesuffix('s')}: {called.name(id_)}"
    for warning in body.get("warnings") or ():
        yield f"  warning: {frame.reword(warning)}"
    for named in bare:
        yield f"  warning: --put {named}: the gist is empty, so none was recorded; one that it had before stays"


def _describe_neighbors(called: Called, of: str, items: list[dict[str, Any]]) -> Iterator[str]:
    if not items:
        yield "nothing is linked with it"
    called.know(item["element"] for item in items if item.get("element"))
    for item in items:
        yield called.link(item["link"], of)


def _describe_conflicts(items: list[dict[str, Any]]) -> Iterator[str]:
    if not items:
        yield "no conflicts"
    for item in items:
        element = item["element"]
        yield f"{element['kind']} {element['name']} ({element['id']})"
        for head in item["heads"]:
            yield f"  {_headline(head)}"


def _end(text: str) -> str | dict[str, str]:
    """Return an end of a link: ids and paths as they are, ``kind:name`` as a name."""
    kind, found, name = text.partition(":")
    if not found or kind == "path" or text.startswith(("el_", "no_")):
        return text
    return {"kind": kind, "name": name}


def _read_mutations(file: TextIO | None) -> list[dict[str, Any]]:
    if file is None:
        return []
    try:
        read = json.load(file)
    except ValueError as error:
        raise click.BadParameter(f"the file is not JSON: {error}", param_hint="--mutations") from error
    if not isinstance(read, list):
        raise click.BadParameter("the file must hold a JSON array", param_hint="--mutations")
    return read
