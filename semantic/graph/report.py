"""The report on the graph: what a person who opens a strange memory wants to know first, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from semantic.graph.model import CONFIDENCES, PLANES, Edge, Graph, Node
from semantic.graph.shape import Shape, is_orphan

SHOWN = 15
SHOWN_COMMUNITIES = 20
SHOWN_MEMBERS = 8
_LONGEST = 120


def report(graph: Graph, shape: Shape, degraded: Iterable[str] = ()) -> str:
    """Return the report. Names of the memory stand in it as text: nothing in them is read as Markdown."""
    return "\n".join(_lines(graph, shape, list(degraded))) + "\n"


def _lines(graph: Graph, shape: Shape, degraded: list[str]) -> Iterator[str]:
    yield "# Graph report"
    yield ""
    yield from (f"> {_text(reason)}" for reason in degraded)
    yield f"{len(graph.nodes):,} nodes, {len(graph.edges):,} edges, digest `{graph.digest[:16]}`."
    yield ""
    yield from _numbers(graph)
    yield "## What most hangs on"
    yield ""
    yield from _listed(f"{_named(node)}, {ties} ties" + _about(node) for node, ties in shape.gods)
    yield "## Communities"
    yield ""
    yield from _listed(
        f"**{_text(one.name)}**, {len(one.members)} members, cohesion {one.cohesion:.3f}: "
        + ", ".join(_text(graph.nodes[id_].name) for id_ in one.members[:SHOWN_MEMBERS])
        for one in shape.communities[:SHOWN_COMMUNITIES]
    )
    yield "## Surprising connections"
    yield ""
    yield from _listed(f"{_edge(graph, one.edge)}: {_text('; '.join(one.reasons))}" for one in shape.surprises[:SHOWN])
    yield "## Bridges"
    yield ""
    yield "Without one of these, a part of the graph would hang on nothing."
    yield ""
    yield from _listed(_edge(graph, edge) for edge in shape.bridges[:SHOWN])
    if shape.cycles:
        yield "## Import cycles"
        yield ""
        yield from _listed(" → ".join(f"`{_text(name)}`" for name in cycle) for cycle in shape.cycles[:SHOWN])
    yield f"## Unsure: {len(shape.unsure):,} edges to look at"
    yield ""
    yield from _listed(f"{_edge(graph, edge)}: {_text(edge.reason or '')}" for edge in shape.unsure[:SHOWN])
    yield f"## Orphans: {len(shape.orphans):,}"
    yield ""
    yield from _listed(_named(node) for node in shape.orphans[:SHOWN])


def _numbers(graph: Graph) -> Iterator[str]:
    counted = Counter((edge.plane, edge.relation, edge.confidence) for edge in graph.edges)
    yield "| plane | relation | " + " | ".join(CONFIDENCES) + " |"
    yield "|---|---|" + "---|" * len(CONFIDENCES)
    for plane, relation in sorted({key[:2] for key in counted}, key=lambda pair: (PLANES.index(pair[0]), pair[1])):
        cells = (str(counted[plane, relation, one] or "") for one in CONFIDENCES)
        yield f"| {plane} | {_text(relation)} | " + " | ".join(cells) + " |"
    notes = [id_ for id_, node in graph.nodes.items() if node.kind == "note"]
    if notes:
        alone = sum(is_orphan(graph, id_) for id_ in notes)
        yield ""
        yield f"{alone} of {len(notes)} notes ({alone / len(notes):.1%}) hang on nothing that anything else hangs on."
    yield ""


def _listed(items: Iterable[str]) -> Iterator[str]:
    is_empty = True
    for item in items:
        is_empty = False
        yield f"- {item}"
    if is_empty:
        yield "None."
    yield ""


def _named(node: Node) -> str:
    place = f" (`{_text(node.path)}`)" if node.path else ""
    return f"{_text(node.name)}, {_text(node.kind)}{place}"


def _about(node: Node) -> str:
    return f": {_text(node.about)}" if node.about else ""


def _edge(graph: Graph, edge: Edge) -> str:
    ends = (graph.nodes[edge.source].name, graph.nodes[edge.target].name)
    place = ""
    if edge.source_path is not None:
        line = f":{edge.lines[0]}" if edge.lines else ""
        place = f" (`{_text(edge.source_path)}{line}`)"
    return f"{_text(ends[0])} → *{_text(edge.relation)}* → {_text(ends[1])}{place}"


def _text(text: str) -> str:
    """Return text on one line, with whatever Markdown or HTML would read in it made plain."""
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…"
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|~$" else sign for sign in line)
