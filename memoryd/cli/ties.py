"""``memoryd kg path``, ``explain`` and ``report``: how things hang together, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, counted, given, pass_frame, shorten, write_raw
from memoryd.cli.graph import PATIENCE_S

_MOST_TIES = 20


@click.command("path", cls=Command)
@click.argument("from_", metavar="FROM")
@click.argument("to", metavar="TO")
@click.option("--as-of", help="An instant or a date (its end): the log as it was then.")
@pass_frame
def path(frame: Frame, from_: str, to: str, as_of: str | None) -> None:
    """Show how two things hang together.

    FROM and TO are ids or names: of elements, notes, tags, terms or files.
    """
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
    yield f"{_named(node)} {node['id']}"
    if node.get("about"):
        yield f"  {shorten(node['about'], 400)}"
    if node.get("path"):
        yield f"  {node['path']}"
    for decision in body["decisions"]:
        yield f"decided {str(decision['at'])[:10]}: {shorten(decision['title'], 100)} ({decision['id']})"
        if decision.get("why"):
            yield f"    why: {shorten(decision['why'], 300)}"
        if decision.get("superseded_by"):
            yield f"    superseded by {decision['superseded_by']}"
    for one in body["hangs_on"][:_MOST_TIES]:
        yield f"{_arrow(one['link'] | {'forward': one['forward']})} {_named(one['node'])}{_place(one['link'])}"
    more = body["left_out"] + max(0, len(body["hangs_on"]) - _MOST_TIES)
    if more:
        yield f"and {counted(more, 'more tie')}"
    for note in body["notes"]:
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


def _arrow(link: dict[str, Any]) -> str:
    sure = "" if link["confidence"] == "EXTRACTED" else f", {link['confidence'].lower()}"
    return f"-{link['relation']}{sure}->" if link["forward"] else f"<-{link['relation']}{sure}-"


def _place(link: dict[str, Any]) -> str:
    if link.get("source_path"):
        line = f":{link['lines'][0]}" if link.get("lines") else ""
        return f"  ({link['source_path']}{line})"
    return f"  ({link['decision']})" if link.get("decision") else ""
