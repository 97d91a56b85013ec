"""The part of the graph that answers a question, within a budget.

The question's words lead to where it starts: nodes that it names, slips of the pen forgiven, and what the search found.
How the things that it names hang together comes first. Then the graph is walked from all starts at once by the price of
a path (``semantic.graph.path``), so that a hub is passed through dearly. What is met is taken in the order of its price
until the budget is spent: a larger budget gives all that a smaller one gave, and more.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoryd.text.rrf import fuse
from semantic.graph.model import PLAIN_KINDS, Edge, Graph, Node
from semantic.graph.path import edge_price, find_path, hub_price

MOST_STARTS = 12
MOST_STEPS_BETWEEN = 6
"""A longer way between two of them says nothing of either."""
MOST_LOOKED_AT = 60_000
"""So many edges are looked at for one such way."""
START_PRICE = 6.0
"""What starting from a thing that hardly answers costs beside starting from the best one."""
NAMED_WEIGHT = 2.0
"""What a question names itself counts so much more than what the search found for it."""
FARTHEST = 7.0
"""What costs more than this says nothing of the question: about three links, or two mentions."""
MOST_EACH = 12
"""A start leads on by so many of its ties at most, another node by half as many, the cheapest: a hub fills none."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A part of a graph.

    Attributes:
        starts: What the question led to, best first, each with what it counts, 0 to 1; only those that are shown.
        nodes: In the order in which they were taken.
        edges: Likewise; both ends are among the nodes.
        left_out_nodes: How many nodes would have been taken with a larger budget.
        left_out_edges: How many edges.
        more_ties: How many further ties the shown nodes have; the question was not about them.
        units: What all that is shown costs.
    """

    starts: tuple[tuple[str, float], ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out_nodes: int
    left_out_edges: int
    more_ties: int
    units: int


def starts_of(graph: Graph, named: Sequence[Sequence[str]], found: Sequence[str]) -> list[tuple[str, float]]:
    """Return where a question starts, best first, with what each counts.

    Args:
        graph: Ids that it does not have are left out.
        named: The things that the question names, each as all that have the name, best first.
        found: What the search found, best first.
    """
    arms = {f"named {number}": ids for number, ids in enumerate(named)} | {"found": found}
    held = {arm: [id_ for id_ in ids if id_ in graph.nodes] for arm, ids in arms.items()}
    weights = {arm: 1.0 if arm == "found" else NAMED_WEIGHT for arm in held}
    fused = fuse({arm: ids for arm, ids in held.items() if ids}, weights=weights)[:MOST_STARTS]
    return [(one.id, one.score) for one in fused]


def ways_between(graph: Graph, named: Sequence[Sequence[str]]) -> list[Edge]:
    """Return the edges by which each thing that a question names hangs together with the next."""
    edges: list[Edge] = []
    for one, other in pairwise(ids[0] for ids in named):
        steps = find_path(graph, one, other, most_edges=MOST_LOOKED_AT).steps or ()
        if 0 < len(steps) <= MOST_STEPS_BETWEEN:
            edges += [step.edge for step in steps]
    return edges


def answer_from(
    graph: Graph,
    starts: Sequence[tuple[str, float]],
    budget: int,
    *,
    between: Sequence[Edge] = (),
    cost_of_node: Callable[[Node], int],
    cost_of_edge: Callable[[Edge], int],
) -> Answered:
    """Return the part of the graph around where a question starts.

    Args:
        graph: The whole.
        starts: As ``starts_of`` gives them.
        budget: What all nodes and edges may cost together.
        between: How the starts hang together, as ``ways_between`` gives it: it is taken first.
        cost_of_node: What showing a node costs.
        cost_of_edge: What showing an edge costs.
    """
    prices = _prices(graph, starts)
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    spent, is_full, left_nodes, left_edges = 0, False, set[str](), 0
    for edge, ends in _in_order(graph, starts, prices, between):
        new = [graph.nodes[id_] for id_ in ends if id_ not in nodes]
        cost = sum(map(cost_of_node, new)) + (0 if edge is None else cost_of_edge(edge))
        if is_full or spent + cost > budget:
            is_full = True
            left_nodes.update(node.id for node in new)
            left_edges += edge is not None
            continue
        spent += cost
        nodes |= {node.id: node for node in new}
        if edge is not None:
            edges.append(edge)
    shown = {id(edge) for edge in edges}
    ties = {id(edge) for id_ in nodes for edge in graph.around[id_]}
    return Answered(
        starts=tuple(start for start in starts if start[0] in nodes),
        nodes=tuple(nodes.values()),
        edges=tuple(edges),
        left_out_nodes=len(left_nodes),
        left_out_edges=left_edges,
        more_ties=max(0, len(ties - shown) - left_edges),
        units=spent,
    )


def _prices(graph: Graph, starts: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return what each node within reach costs: Dijkstra's search from all starts at once."""
    top = starts[0][1] if starts else 1.0
    best = {id_: START_PRICE * (1 - score / top) for id_, score in starts}
    begun = dict(best)
    waiting = [(price, id_) for id_, price in best.items()]
    heapq.heapify(waiting)
    settled: dict[str, float] = {}
    while waiting:
        price, here = heapq.heappop(waiting)
        if here in settled:
            continue
        settled[here] = price
        passing = 0.0 if here in begun else hub_price(graph.passing(here))
        for step, there in _leading_on(graph, here, is_start=here in begun):
            total = price + passing + step
            if there not in settled and total < min(best.get(there, math.inf), FARTHEST):
                best[there] = total
                heapq.heappush(waiting, (total, there))
    return settled


def _leading_on(graph: Graph, here: str, *, is_start: bool) -> list[tuple[float, str]]:
    """Return the nodes that a node leads on to, each with its price, the cheapest first."""
    cheapest: dict[str, float] = {}
    for edge in graph.around[here]:
        there = edge.target if edge.source == here else edge.source
        if there != here and not _is_dead_end(graph, there):
            cheapest[there] = min(edge_price(edge), cheapest.get(there, math.inf))
    ranked = [(price + 0.2 * hub_price(graph.passing(there)), there) for there, price in cheapest.items()]
    return heapq.nsmallest(MOST_EACH if is_start else MOST_EACH // 2, ranked)


def _is_dead_end(graph: Graph, id_: str) -> bool:
    """Tell whether a node is but a place that one thing names: it leads nowhere, and says nothing itself."""
    return graph.degree(id_) <= 1 and graph.nodes[id_].kind in PLAIN_KINDS - {"note", "tag"}


def _in_order(
    graph: Graph, starts: Sequence[tuple[str, float]], prices: Mapping[str, float], between: Sequence[Edge]
) -> Iterator[tuple[Edge | None, tuple[str, ...]]]:
    """Yield starts and edges among what was met, by price, each with the nodes that it brings along."""
    rows: list[tuple[float, int, int, Edge | None, tuple[str, ...]]] = []
    # A start comes at the price of starting there, even if a way leads to it for less: it is an answer by itself.
    for at, (id_, _) in enumerate(starts):
        rows.append((prices[id_], 0, at, None, (id_,)))
    first = {id(edge) for edge in between}
    for at, edge in enumerate(dict.fromkeys(between)):
        rows.append((0.0, 1, at, edge, (edge.source, edge.target)))
    for at, edge in enumerate(graph.edges):
        if id(edge) in first:
            continue
        if edge.source in prices and edge.target in prices and edge.source != edge.target:
            price = min(prices[edge.source], prices[edge.target]) + edge_price(edge)
            farther = max(prices[edge.source], prices[edge.target])
            if max(price, farther) < FARTHEST:
                rows.append((max(price, farther), 1, at, edge, (edge.source, edge.target)))
    for row in sorted(rows, key=lambda row: row[:3]):
        yield row[3], row[4]
