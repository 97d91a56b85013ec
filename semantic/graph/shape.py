"""The shape of a graph, as values: communities, hubs, bridges, orphans, what is unsure, and what is surprising."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from semantic.graph.model import Edge, Graph, Node


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that hang together more than with others. Its name is that of its hub; members by falling degree."""

    name: str
    members: tuple[str, ...]
    cohesion: float


@dataclass(frozen=True, slots=True)
class Surprise:
    """A connection that its ends' places would not lead one to expect, and why."""

    edge: Edge
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What the map shows. Every list is in a fixed order, the same for the same graph.

    Attributes:
        gods: The nodes with the most ties to things, files, tags and generic names aside, with how many.
        communities: By falling size.
        community_of: Node id to the name of its community.
        bridges: Edges without which two larger parts would fall apart.
        orphans: Notes and elements that hang on nothing that anything else hangs on.
        unsure: Ambiguous edges, to be looked at by a person.
        surprises: The most surprising first.
        cycles: Circles of files that import each other, by name.
    """

    gods: tuple[tuple[Node, int], ...]
    communities: tuple[Community, ...]
    community_of: Mapping[str, str]
    bridges: tuple[Edge, ...]
    orphans: tuple[Node, ...]
    unsure: tuple[Edge, ...]
    surprises: tuple[Surprise, ...]
    cycles: tuple[tuple[str, ...], ...] = ()


def is_orphan(graph: Graph, id_: str) -> bool:
    """Tell whether a node hangs on nothing that another note or element hangs on too."""
    for edge in graph.around[id_]:
        other = edge.target if edge.source == id_ else edge.source
        if other == id_:
            continue
        if graph.nodes[other].kind == "note" or graph.nodes[other].plane == "curated":
            return False
        if any(id_ not in {far.source, far.target} for far in graph.around[other]):
            return False
    return True
