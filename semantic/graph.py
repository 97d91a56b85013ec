"""The curated plane as a networkx graph, for questions about paths and shape: what ``GET /v1/graph`` is made of."""

from __future__ import annotations

import networkx as nx

from semantic.projection import Projection


def curated_graph(projection: Projection) -> nx.MultiDiGraph[str]:
    """Return elements and links as a graph; ends that are no element are nodes of kind ``note`` or ``path``.

    Node data: ``kind``, ``name``, ``plane``; edge key: the relation; edge data: ``relation``, ``decision``,
    ``confidence`` (what was decided is always ``EXTRACTED``). The graph is the caller's own.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for element in projection:
        graph.add_node(element.id, kind=element.kind, name=element.name, plane="curated")
    for link in projection.links:
        for end in (link.source, link.target):
            if end not in graph:
                kind = "note" if end.startswith("no_") else "path"
                name = end if kind == "note" else end.split(":", 2)[-1]
                graph.add_node(end, kind=kind, name=name, plane="curated")
        graph.add_edge(
            link.source,
            link.target,
            key=link.relation,
            relation=link.relation,
            decision=link.decision,
            confidence="EXTRACTED",
        )
    return graph
