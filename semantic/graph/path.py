"""How two things hang together: the path that says the most, not the one with the fewest steps.

Dijkstra's search with a price for each step: what the relation means, how sure it is, and how many edges the node has
that is passed through. A path by way of a hub that everything hangs on says nothing.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

from semantic.graph.model import Confidence, Edge, Graph

MOST_STEPS = 12
MOST_EDGES = 300_000
"""So many edges are looked at; a graph that needs more is answered with what was found by then, and says so."""

RELATION_PRICE = {
    "links_to": 1.2,
    "embeds": 1.2,
    "has_note": 1.0,
    "same_as": 1.0,
    "touches": 1.3,
    "defines": 1.0,
    "is_called": 1.0,
    "mentions": 2.0,
    "names_person": 2.0,
    "cites": 3.0,
    "co_mentioned": 3.0,
    "tagged": 4.0,
    "has_heading": 2.5,
    "calls": 1.0,
    "imports": 1.2,
    "imports_late": 1.4,
    "extends": 1.0,
    "contains": 1.6,
    "uses_package": 4.0,
}
"""What a step costs by the meaning of its relation. What people named themselves (``uses``, ``part_of``) costs 1."""

CONFIDENCE_PRICE: dict[Confidence, float] = {"EXTRACTED": 1.0, "INFERRED": 1.5, "AMBIGUOUS": 3.0}
HUB_EDGES = 8
"""A node with no more edges than this is passed through for nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path, and whether it is walked from its source to its target."""

    edge: Edge
    is_forward: bool


@dataclass(frozen=True, slots=True)
class Path:
    """The steps from one node to another; ``None`` where nothing was found.

    ``is_cut`` says that the search ended at its limit: there may be a path, or a better one.
    """

    steps: tuple[Step, ...] | None
    price: float
    is_cut: bool = False


def find_path(graph: Graph, start: str, goal: str, *, most_edges: int = MOST_EDGES) -> Path:
    """Return the cheapest path between two nodes of the graph, whichever way its edges point."""
    best: dict[str, float] = {start: 0.0}
    came: dict[str, Step] = {}
    settled: set[str] = set()
    waiting: list[tuple[float, int, str]] = [(0.0, 0, start)]
    looked_at = 0
    while waiting:
        price, steps, here = heapq.heappop(waiting)
        if here in settled:
            continue
        settled.add(here)
        if here == goal:
            return Path(_walked(came, start, goal), round(price, 3))
        if steps >= MOST_STEPS:
            continue
        edges = graph.around.get(here, ())
        passing = 0.0 if here == start else hub_price(graph.passing(here))
        for edge in edges:
            looked_at += 1
            there = edge.target if edge.source == here else edge.source
            if there in settled:
                continue
            total = price + passing + edge_price(edge)
            if total < best.get(there, math.inf):
                best[there] = total
                came[there] = Step(edge, edge.source == here)
                heapq.heappush(waiting, (total, steps + 1, there))
        if looked_at > most_edges:
            return Path(None, 0.0, is_cut=True)
    return Path(None, 0.0)


def edge_price(edge: Edge) -> float:
    """Return what a step along this edge costs."""
    return RELATION_PRICE.get(edge.relation, 1.0) * CONFIDENCE_PRICE[edge.confidence]


def hub_price(degree: int) -> float:
    """Return what it costs to pass through a node with so many edges, those to its own parts aside."""
    return 0.0 if degree <= HUB_EDGES else math.log2(degree / HUB_EDGES)


def _walked(came: dict[str, Step], start: str, goal: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    here = goal
    while here != start:
        step = came[here]
        steps.append(step)
        here = step.edge.source if step.is_forward else step.edge.target
    return tuple(reversed(steps))
