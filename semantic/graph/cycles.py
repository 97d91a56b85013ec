"""Circles of files that import each other."""

from __future__ import annotations

import networkx as nx

from semantic.graph.model import Graph

MOST_CYCLES = 50


def import_cycles(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """Return, for each set of files that all import each other by some way, one shortest circle, by name."""
    imports: nx.DiGraph[str] = nx.DiGraph()
    imports.add_edges_from(
        (edge.source, edge.target) for edge in graph.edges if edge.relation == "imports" and edge.plane == "code"
    )
    found = []
    for members in nx.strongly_connected_components(imports):
        if len(members) > 1:
            start = min(members)
            inside = imports.subgraph(members)
            ways = [nx.shortest_path(inside, after, start) for after in sorted(inside.successors(start))]
            circle = min(ways, key=lambda way: (len(way), way))
            found.append(tuple(graph.nodes[id_].name for id_ in (start, *circle)))
    return tuple(sorted(found, key=lambda circle: (len(circle), circle))[:MOST_CYCLES])
