"""``memoryd kg path``, ``explain`` and ``report``: how things hang together, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, counted, given, pass_frame, shorten, write_raw
from memoryd.cli.graph import PATIENCE_S
from memoryd.cli.when import holds_since


@click.command("path", cls=Command)
@click.argument("from_", metavar="FROM")
@click.argument("to", metavar="TO")
@click.option("--as-of", help="An instant or a date (its end): the log as it was then.")
@pass_frame
def path(frame: Frame, from_: str, to: str, as_of: str | None) -> None:
    """Show how two things hang together.

    FROM and TO are ids or names: of elements, notes, tags, terms or files.
    """
    frame.called = {"from": from_, "to": to}
    body = {"from": from_, "to": to, **({} if as_of is None else {"as_of": as_of})}
    frame.ask("POST", "/v1/graph/path", _describe_path, body=body, timeout_s=PATIENCE_S)


@click.command("explain", cls=Command)
@click.argument("of", metavar="NAME")
@click.option("--as-of", help="An instant or a date (its end): the log as it was then.")
@pass_frame
def explain(frame: Frame, of: str, as_of: str | None) -> None:
    """Show what a thing is, what it hangs on, and what was decided about it and why.

    NAME is an id or a name: of an element, a note, a tag, a term or a file.
    """
    frame.called = {"of": of}
    body = {"of": of, **({} if as_of is None else {"as_of": as_of})}
    frame.ask("POST", "/v1/graph/explain", _describe_explanation, body=body, timeout_s=PATIENCE_S)


@click.command("query", cls=Command)
@click.argument("text")
@click.option("--max-chars", type=click.IntRange(500, 200_000), help="How long the answer may be, as JSON.")
@click.option("--as-of", help="An instant or a date (its end): the log as it was then.")
@pass_frame
def query(frame: Frame, text: str, max_chars: int | None, as_of: str | None) -> None:
    """Show the part of the graph that answers TEXT: what it names or means, and how that hangs together."""
    body = given({"query": text, "max_chars": max_chars, "as_of": as_of})
    frame.ask("POST", "/v1/graph/query", _describe_answer, body=body, timeout_s=PATIENCE_S)


@click.command("report", cls=Command)
@pass_frame
def report(frame: Frame) -> None:
    """Print the report on the graph, as Markdown: hubs, communities, bridges, orphans, what is unsure.

    It has no JSON form; `memoryd graph export` has.
    """
    write_raw(frame.client.call("GET", "/v1/graph/report", timeout_s=PATIENCE_S).raw)


def _describe_path(body: dict[str, Any]) -> Iterator[str]:
    ends = f"{_named(body['from'])} and {_named(body['to'])}"
    if not body["found"]:
        yield f"nothing is known that joins {ends}"
    elif not body["steps"]:
        yield f"{ends} are one"
    names = {node["id"]: node for node in body["nodes"]}
    for step, node in zip(body["steps"], body["nodes"], strict=False):
        other = step["target"] if step["forward"] else step["source"]
        yield f"{_named(node)} {_arrow(step)} {_named(names[other])}{_place(step)}"
    yield from body["degraded"]


def _describe_explanation(body: dict[str, Any]) -> Iterator[str]:
    node = body["node"]
    yield f"{_named(node)}  ({_whereabouts(node)})"
    if node.get("about"):
        yield f"  {shorten(node['about'], 400)}"
    others = [name for name in node.get("names", ()) if _letters(name) != _letters(node["name"])]
    if others:
        yield f"  also called {', '.join(others)}"
    titles = {decision["id"]: decision["title"] for decision in body["decisions"]}
    for decision in body["decisions"]:
        day = f"{str(decision['at'])[:10]}{holds_since(decision)}"
        yield f"decided {day}: {shorten(decision['title'], 100)} ({decision['id']})"
        if decision.get("why"):
            yield f"    why: {shorten(decision['why'], 300)}"
        if newer := decision.get("superseded_by"):
            yield f"    superseded by {f'“{shorten(titles[newer], 80)}” ' if newer in titles else ''}({newer})"
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in body["hangs_on"]:
        groups.setdefault(_arrow(one["link"] | {"forward": one["forward"]}), []).append(one)
    for arrow, ties in groups.items():
        yield arrow
        yield from (f"    {_named(one['node'])}{_place(one['link'])}" for one in ties)
    if body["left_out"]:
        yield f"and {counted(body['left_out'], 'more tie')}; `memoryd kg query` finds what of them answers a question"
    shown = {one["node"]["id"] for one in body["hangs_on"]}
    for note in body["notes"]:
        if note.get("summary") or note["id"] not in shown | {node["id"]}:
            told = f": {shorten(note['summary'], 120)}" if note.get("summary") else ""
            yield f"note {note['title']} ({note['path']}){told}"
    if body["evidence"]:
        yield f"evidence: {', '.join(body['evidence'])}"
    yield from body["degraded"]


def _describe_answer(body: dict[str, Any]) -> Iterator[str]:
    if not body["nodes"]:
        yield "nothing in the graph answers this"
    starts = {start["id"] for start in body["starts"]}
    names = {node["id"]: node for node in body["nodes"]}
    for node in body["nodes"]:
        if node["id"] in starts:
            about = f": {shorten(node['about'], 160)}" if node.get("about") else ""
            place = f"  ({node['path']})" if node.get("path") else ""
            yield f"{_named(node)}{about}{place}"
    for link in body["links"]:
        ends = f"{_named(names[link['source']])} {_arrow(link | {'forward': True})} {_named(names[link['target']])}"
        yield f"{ends}{_place(link)}"
    left = body["left_out"]
    if left["nodes"] or left["links"]:
        kept_out = f"{counted(left['nodes'], 'node')} and {counted(left['links'], 'link')}"
        yield f"{kept_out} did not fit; --max-chars makes room"
    if left["further_ties"]:
        yield f"what is shown has {counted(left['further_ties'], 'further tie')}"
    yield from body["degraded"]


def _named(node: dict[str, Any]) -> str:
    return f"{node['kind']} {shorten(node['name'], 80)}"


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _whereabouts(node: dict[str, Any]) -> str:
    """Return where a thing stands, or the id by which it is named."""
    if node["id"].startswith("path:"):
        _, project, path = node["id"].split(":", 2)
        return f"{project}:{path}"
    return str(node.get("path") or node["id"])


def _arrow(link: dict[str, Any]) -> str:
    sure = "" if link["confidence"] == "EXTRACTED" else f", {link['confidence'].lower()}"
    return f"-{link['relation']}{sure}->" if link["forward"] else f"<-{link['relation']}{sure}-"


def _place(link: dict[str, Any]) -> str:
    if link.get("source_path"):
        line = f":{link['lines'][0]}" if link.get("lines") else ""
        return f"  ({link['source_path']}{line})"
    return f"  ({link['decision']})" if link.get("decision") else ""
