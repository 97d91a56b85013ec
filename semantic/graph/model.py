"""Nodes and edges, and the graph that they make: a value that never changes once it is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from memoryd.text.canonical import digest

PlaneName = Literal["curated", "note", "extracted", "code"]
Confidence = Literal["EXTRACTED", "INFERRED", "AMBIGUOUS"]

PLANES: tuple[PlaneName, ...] = ("curated", "note", "extracted", "code")
"""What people decided comes first, then what they wrote, then what was read out of it."""

CONFIDENCES: tuple[Confidence, ...] = ("EXTRACTED", "INFERRED", "AMBIGUOUS")
"""Said so in the source; concluded from it; said in a way that could mean something else."""

PLAIN_KINDS = frozenset({"note", "tag", "file", "path", "url", "missing", "heading"})
"""Kinds that say where something stands rather than what it is: no god node is one of these, but for notes."""


@dataclass(frozen=True, slots=True)
class Node:
    """Something known.

    Attributes:
        id: ``el_…``, ``no_…``, ``path:<project>:<path>``, or one made of what the node is (``tag:…``, ``term:…``).
        kind: An element's kind, or ``note``, ``tag``, ``path``, ``file``, ``url``, ``term``, ``person``, ``missing``.
        path: ``<vault>:<path>`` of the note that it is, if it is one.
        about: A gist, a summary or a definition; empty where there is none.
        names: Aliases that it answers to, beside ``name``.
        note: The id of a note that is one thing with this element.
    """

    id: str
    kind: str
    plane: PlaneName
    name: str
    path: str | None = None
    about: str = ""
    names: tuple[str, ...] = ()
    scope: str | None = None
    project: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed, directed edge, and where it was read.

    Attributes:
        source_path: ``<vault>:<path>`` of the note that says so; ``None`` for what the log says.
        lines: First and last line of the place, from 1, both included.
        decision: The decision that says so.
        reason: Why it is not certain, in words.
        support: In how many places it was seen.
    """

    source: str
    target: str
    relation: str
    plane: PlaneName
    confidence: Confidence
    source_path: str | None = None
    lines: tuple[int, int] | None = None
    decision: str | None = None
    reason: str | None = None
    support: int = 1

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes two edges one: the ends, the relation, and the file that says so."""
        return self.source, self.target, self.relation, self.source_path or ""


@dataclass(frozen=True)  # not slotted: what is derived from it is kept once asked for
class Graph:
    """Nodes by id and edges in a fixed order. Both ends of every edge are among the nodes."""

    nodes: Mapping[str, Node] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()

    @classmethod
    def of(cls, nodes: Iterable[Node], edges: Iterable[Edge]) -> Graph:
        """Return the graph of these, in the order of ids; an edge without one of its ends is left out."""
        held = {node.id: node for node in sorted(nodes, key=lambda node: node.id)}
        # Of two edges that are one, the first in the file stands.
        ordered = sorted(edges, key=lambda edge: (edge.key, edge.lines or (0, 0)))
        unique: dict[tuple[str, str, str, str], Edge] = {}
        for edge in ordered:
            if edge.source in held and edge.target in held:
                unique.setdefault(edge.key, edge)
        return cls(held, tuple(unique.values()))

    @cached_property
    def around(self) -> Mapping[str, tuple[Edge, ...]]:
        """Return the edges at each node, in and out; a self link once."""
        found: dict[str, list[Edge]] = {id_: [] for id_ in self.nodes}
        for edge in self.edges:
            found[edge.source].append(edge)
            if edge.target != edge.source:
                found[edge.target].append(edge)
        return {id_: tuple(edges) for id_, edges in found.items()}

    def degree(self, id_: str) -> int:
        """Return how many edges a node has."""
        return len(self.around.get(id_, ()))

    def passing(self, id_: str) -> int:
        """Return how many edges count where a node is passed through.

        What a file of code contains is no sign of a hub: a way from one part of it to another says that they stand
        together.
        """
        return self.degree(id_) - self._parts_of.get(id_, 0)

    @cached_property
    def _parts_of(self) -> Mapping[str, int]:
        return Counter(edge.source for edge in self.edges if edge.relation == "contains" and edge.plane == "code")

    def part(self, planes: Iterable[str] | None = None, scope: str | None = None) -> Graph:
        """Return what lies on some planes, or belongs to a scope with what hangs on it directly.

        A plane keeps the nodes of other planes that its edges end at. Notes belong to the user's scope.
        """
        wanted = None if planes is None else set(planes)
        edges = [edge for edge in self.edges if wanted is None or edge.plane in wanted]
        inside = {
            id_
            for id_, node in self.nodes.items()
            if (wanted is None or node.plane in wanted) and (scope in {None, "all"} or (node.scope or "user") == scope)
        }
        if scope not in {None, "all"}:
            edges = [edge for edge in edges if edge.source in inside or edge.target in inside]
        shown = inside | {end for edge in edges for end in (edge.source, edge.target)}
        return Graph.of((self.nodes[id_] for id_ in shown), edges)

    @cached_property
    def digest(self) -> str:
        """Return a hash of every node and edge: equal for a graph kept up to date and one built from nothing."""
        nodes = [
            [n.id, n.kind, n.plane, n.name, n.path, n.about, list(n.names), n.scope, n.project, n.note]
            for n in self.nodes.values()
        ]
        edges = [
            [
                *edge.key,
                edge.plane,
                edge.confidence,
                list(edge.lines) if edge.lines else None,
                edge.decision,
                edge.reason,
                edge.support,
            ]
            for edge in self.edges
        ]
        return digest(nodes, edges)
