"""The graph as node-link JSON, as networkx and drawing programs read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from semantic.graph.model import Edge, Graph, Node

SCHEMA_VERSION = 1


def node_link(graph: Graph, *, communities: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the graph as plain data: ``{schema_version, directed, multigraph, graph, nodes, links}``.

    ``communities`` gives a node the name of its community.
    """
    named = communities or {}
    return {
        "schema_version": SCHEMA_VERSION,
        "directed": True,
        "multigraph": True,
        "graph": {"digest": graph.digest},
        "nodes": [
            node_body(node) | ({"community": named[node.id]} if node.id in named else {})
            for node in graph.nodes.values()
        ],
        "links": [edge_body(edge) for edge in graph.edges],
    }


def node_body(node: Node) -> dict[str, Any]:
    """Return a node; what it does not have is left out."""
    body: dict[str, Any] = {"id": node.id, "kind": node.kind, "plane": node.plane, "name": node.name}
    optional: dict[str, Any] = {
        "path": node.path,
        "about": node.about,
        "names": list(node.names),
        "scope": node.scope,
        "project": node.project,
        "note": node.note,
    }
    return body | {key: value for key, value in optional.items() if value}


def edge_body(edge: Edge) -> dict[str, Any]:
    """Return an edge; what it does not have is left out."""
    body: dict[str, Any] = {
        "source": edge.source,
        "target": edge.target,
        "relation": edge.relation,
        "plane": edge.plane,
        "confidence": edge.confidence,
    }
    optional: dict[str, Any] = {
        "source_path": edge.source_path,
        "lines": list(edge.lines) if edge.lines else None,
        "decision": edge.decision,
        "reason": edge.reason,
        "support": edge.support if edge.support > 1 else None,
    }
    return body | {key: value for key, value in optional.items() if value is not None}
