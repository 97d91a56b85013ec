"""What a thing is and what it hangs on: the answer to ``explain``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semantic.errors import UnknownElement
from semantic.graph.model import CONFIDENCES, PLANES, Edge, Graph, Node
from semantic.graph.path import edge_price, hub_price
from semantic.model import Decision, Note
from semantic.projection.picture import Projection

MOST_HANGING = 30
MOST_OF_EACH = 6
"""So many ties of one relation come before those of another are left out."""
MOST_DECISIONS = 20
MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class Hanging:
    """One edge of the thing, and the node at its other end."""

    edge: Edge
    is_forward: bool
    other: Node


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known of a node.

    Attributes:
        node: The thing; its ``about`` says what it is.
        hanging: What it hangs on, the strongest ties first.
        left_out: How many ties are not among ``hanging``.
        relations: How many ties there are of each relation.
        decisions: Those about it, the newest first, superseded ones too.
        notes: The note that it is, those that it names, and those that speak of it.
        evidence: Ids of episodes and places in notes that the decisions rest on.
    """

    node: Node
    hanging: tuple[Hanging, ...]
    left_out: int
    relations: Mapping[str, int]
    decisions: tuple[Decision, ...]
    notes: tuple[Note, ...]
    evidence: tuple[str, ...]


def explain(graph: Graph, node: Node, projection: Projection, notes: Mapping[str, Note]) -> Explanation:
    """Return what is known of a node of the graph."""
    edges = graph.around[node.id]
    ranked = sorted(edges, key=lambda edge: _weight(graph, node.id, edge))
    hanging = [
        Hanging(edge, edge.source == node.id, graph.nodes[edge.target if edge.source == node.id else edge.source])
        for edge in _varied(ranked, node.id)
    ]
    decisions = _decisions(projection, node)
    evidence = dict.fromkeys(cited for decision in decisions for cited in decision.evidence)
    if node.id in projection.elements:
        evidence.update(dict.fromkeys(projection.elements[node.id].evidence))
    told = dict.fromkeys(
        id_
        for id_ in (node.note or node.id, *(_note_of(graph, node.id, edge) for edge in ranked))
        if id_ is not None and id_ in notes
    )
    return Explanation(
        node=node,
        hanging=tuple(hanging),
        left_out=len(edges) - len(hanging),
        relations=dict(sorted(Counter(edge.relation for edge in edges).items())),
        decisions=tuple(decisions[:MOST_DECISIONS]),
        notes=tuple(notes[id_] for id_ in list(told)[:MOST_NOTES]),
        evidence=tuple(evidence),
    )


def _varied(ranked: Sequence[Edge], here: str) -> list[Edge]:
    """Return the strongest ties, a few of each relation before many of one, in their order."""
    counts: Counter[tuple[str, bool]] = Counter()
    first: list[Edge] = []
    rest: list[Edge] = []
    for edge in ranked:
        kind = edge.relation, edge.source == here
        counts[kind] += 1
        (first if counts[kind] <= MOST_OF_EACH else rest).append(edge)
    chosen = {id(edge) for edge in (*first, *rest)[:MOST_HANGING]}
    return [edge for edge in ranked if id(edge) in chosen]


def _decisions(projection: Projection, node: Node) -> list[Decision]:
    try:
        found = projection.history(node.id) if node.id.startswith(("el_", "no_")) else ()
    except UnknownElement:
        found = ()
    mentioned = [one for one in projection.decisions.values() if node.id in one.about]
    both = {one.id: one for one in (*found, *mentioned)}
    return sorted(both.values(), key=lambda one: one.order, reverse=True)


def _note_of(graph: Graph, here: str, edge: Edge) -> str | None:
    other = graph.nodes[edge.target if edge.source == here else edge.source]
    return other.note or (other.id if other.kind == "note" else None)


def _weight(graph: Graph, here: str, edge: Edge) -> tuple[int, float, int, str]:
    other = edge.target if edge.source == here else edge.source
    price = edge_price(edge) + 0.2 * hub_price(graph.passing(other))
    return PLANES.index(edge.plane), round(price, 6), CONFIDENCES.index(edge.confidence), other
