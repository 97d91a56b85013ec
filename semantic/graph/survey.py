"""Working out the shape of a graph. It is imported when a shape is asked for: networkx takes a while to load."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

import networkx as nx

from semantic.graph.cycles import import_cycles
from semantic.graph.model import PLAIN_KINDS, Edge, Graph, Node
from semantic.graph.path import edge_price
from semantic.graph.shape import Community, Shape, Surprise, is_orphan
from semantic.graph.testcode import is_test

SEED = 42
MOST_GODS = 15
MOST_LISTED = 25
SMALLEST_COMMUNITY = 3
MOST_FOR_BRIDGES = 20_000
"""Bridges are looked for in graphs of up to so many edges."""

_GENERIC_NAMES = frozenset({"readme", "index", "home", "todo", "inbox", "notes", "untitled", "license", "changelog"})
_NO_TIE = frozenset({"tagged", "cites", "has_heading", "uses_package"})
"""Relations that many unrelated things share: they make no community."""


def shape_of(graph: Graph) -> Shape:
    """Return the shape of a graph."""
    plain = _undirected(graph)
    communities = tuple(_communities(graph, plain))
    community_of = {member: one.name for one in communities for member in one.members}
    ties = {id_: plain.degree(id_) for id_ in plain}
    weights = _connectedness(graph)
    return Shape(
        gods=tuple(_gods(graph, ties, weights)),
        communities=communities,
        community_of=community_of,
        bridges=tuple(_bridges(graph, plain)),
        orphans=tuple(_orphans(graph)),
        unsure=tuple(edge for edge in graph.edges if edge.confidence == "AMBIGUOUS"),
        surprises=tuple(_surprises(graph, community_of, ties)),
        cycles=import_cycles(graph),
    )


def _undirected(graph: Graph) -> nx.Graph[str]:
    """Return things and their ties with a weight; tags, addresses and what only one note names stay out."""
    plain: nx.Graph[str] = nx.Graph()
    plain.add_nodes_from(id_ for id_, node in graph.nodes.items() if node.kind not in PLAIN_KINDS - {"note", "missing"})
    for edge in graph.edges:
        if edge.relation in _NO_TIE or edge.source == edge.target or not ({edge.source, edge.target} <= plain.nodes):
            continue
        weight = 1.0 / edge_price(edge)
        if plain.has_edge(edge.source, edge.target):
            weight += plain.edges[edge.source, edge.target]["weight"]
        plain.add_edge(edge.source, edge.target, weight=weight)
    return plain


def _communities(graph: Graph, plain: nx.Graph[str]) -> Iterator[Community]:
    tied = plain.subgraph(id_ for id_ in plain if plain.degree(id_))
    if not tied.number_of_edges():
        return
    # A fresh graph in a fixed order: the result of the method depends on the order of nodes.
    ordered: nx.Graph[str] = nx.Graph()
    ordered.add_nodes_from(sorted(tied))
    ordered.add_edges_from(sorted((min(a, b), max(a, b), data) for a, b, data in tied.edges(data=True)))
    found = nx.community.louvain_communities(ordered, weight="weight", seed=SEED)
    taken: Counter[str] = Counter()
    for members in sorted((sorted(one) for one in found), key=lambda one: (-len(one), one)):
        if len(members) < SMALLEST_COMMUNITY:
            continue
        inside = ordered.subgraph(members)
        ranked = sorted(members, key=lambda id_: (-inside.degree(id_), id_))
        named = next((id_ for id_ in ranked if not _is_generic(graph.nodes[id_])), ranked[0])
        name = graph.nodes[named].name
        taken[name] += 1
        shown = name if taken[name] == 1 else f"{name} ({taken[name]})"
        possible = len(members) * (len(members) - 1) / 2
        yield Community(shown, tuple(ranked), round(inside.number_of_edges() / possible, 3))


def _connectedness(graph: Graph) -> dict[str, float]:
    """Return how much each node is pointed at, and how much it points at: 0.66 in and 0.33 out, each node once.

    No more of what it points at counts than of what points at it: an index or a journal points at everything, and
    nothing hangs on it.

    What tests use does not count: every test needs its helpers, and no reader of the code asks for them.
    """
    tests = {id_ for id_, node in graph.nodes.items() if is_test(node)}
    into: defaultdict[str, set[str]] = defaultdict(set)
    out: defaultdict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        if edge.relation in _NO_TIE or edge.source == edge.target or edge.source in tests:
            continue
        if edge.confidence != "AMBIGUOUS":
            into[edge.target].add(edge.source)
            out[edge.source].add(edge.target)
    counts = {id_: (len(into[id_]), len(out[id_])) for id_ in graph.nodes}
    return {id_: 0.66 * toward + 0.33 * min(away, toward) for id_, (toward, away) in counts.items()}


def _gods(graph: Graph, ties: Mapping[str, int], weights: Mapping[str, float]) -> list[tuple[Node, int]]:
    found = [(graph.nodes[id_], count) for id_, count in ties.items() if count and _may_be_god(graph.nodes[id_])]
    return sorted(found, key=lambda pair: (-weights[pair[0].id], pair[0].id))[:MOST_GODS]


def _may_be_god(node: Node) -> bool:
    return node.kind not in PLAIN_KINDS - {"note"} and not _is_generic(node) and not is_test(node)


def _bridges(graph: Graph, plain: nx.Graph[str]) -> list[Edge]:
    if plain.number_of_edges() > MOST_FOR_BRIDGES:
        return []
    found: list[tuple[int, Edge]] = []
    between: defaultdict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        between[frozenset((edge.source, edge.target))].append(edge)
    sizes = _sides(plain)
    for (one, other), size in sizes.items():
        if size >= SMALLEST_COMMUNITY:
            found.append((size, between[frozenset((one, other))][0]))
    return [edge for _, edge in sorted(found, key=lambda pair: (-pair[0], pair[1].key))[:MOST_LISTED]]


def _sides(plain: nx.Graph[str]) -> dict[tuple[str, str], int]:
    """Return each bridge with the size of its smaller side: one walk over the tree that bridges make of the rest."""
    # Its stub takes an edge for a node.
    bridges = cast("list[tuple[str, str]]", list(nx.bridges(plain)))
    rest = plain.copy()
    rest.remove_edges_from(bridges)
    block_of: dict[str, int] = {}
    sizes: dict[int, int] = {}
    for number, members in enumerate(nx.connected_components(rest)):
        sizes[number] = len(members)
        block_of.update(dict.fromkeys(members, number))
    tree: nx.Graph[int] = nx.Graph()
    tree.add_nodes_from(sizes)
    for one, other in bridges:
        tree.add_edge(block_of[one], block_of[other], ends=(one, other))
    found: dict[tuple[str, str], int] = {}
    for component in list(nx.connected_components(tree)):
        whole = sum(sizes[block] for block in component)
        root = min(component)
        below = {block: sizes[block] for block in component}
        for parent, child in reversed(list(nx.bfs_edges(tree, root))):
            below[parent] += below[child]
            found[tree.edges[parent, child]["ends"]] = min(below[child], whole - below[child])
    return found


def _orphans(graph: Graph) -> Iterator[Node]:
    for id_, node in graph.nodes.items():
        if (node.kind == "note" or node.plane == "curated") and node.kind != "path" and is_orphan(graph, id_):
            yield node


def _surprises(graph: Graph, community_of: Mapping[str, str], ties: Mapping[str, int]) -> list[Surprise]:
    found: list[tuple[int, Surprise]] = []
    for edge in graph.edges:
        if edge.relation in _NO_TIE or edge.confidence == "AMBIGUOUS" or edge.source == edge.target:
            continue
        one, other = graph.nodes[edge.source], graph.nodes[edge.target]
        if {one.kind, other.kind} & (PLAIN_KINDS - {"note"}) or _is_generic(one) or _is_generic(other):
            continue
        reasons = list(_why_surprising(edge, one, other, community_of, ties))
        if len(reasons) >= 2:
            found.append((len(reasons), Surprise(edge, tuple(reasons))))
    found.sort(key=lambda pair: (-pair[0], pair[1].edge.key))
    # One thing may not fill the list.
    seen: Counter[str] = Counter()
    chosen = []
    for _, one_surprise in found:
        ends = (one_surprise.edge.source, one_surprise.edge.target)
        if max(seen[end] for end in ends) < 2:
            seen.update(ends)
            chosen.append(one_surprise)
        if len(chosen) == MOST_LISTED:
            break
    return chosen


def _why_surprising(
    edge: Edge, one: Node, other: Node, community_of: Mapping[str, str], ties: Mapping[str, int]
) -> Iterable[str]:
    theirs = (community_of.get(one.id), community_of.get(other.id))
    if None not in theirs and theirs[0] != theirs[1]:
        yield f"joins the communities {theirs[0]} and {theirs[1]}"
    folders = {_top_folder(node) for node in (one, other) if node.path is not None}
    if len(folders) > 1:
        yield f"joins the folders {' and '.join(sorted(folders))}"
    if one.plane != other.plane and "curated" in {one.plane, other.plane}:
        yield "joins what was decided and what was written"
    degrees = sorted((ties.get(one.id, 0), ties.get(other.id, 0)))
    if degrees[0] <= 2 and degrees[1] >= 20:
        yield "the only ties of something at the edge lead to a hub"
    if edge.relation == "co_mentioned":
        yield f"never linked, but named together in {edge.support} sections"


def _top_folder(node: Node) -> str:
    vault, _, path = (node.path or "").partition(":")
    return path.split("/", 1)[0] if "/" in path else vault


def _is_generic(node: Node) -> bool:
    """Tell whether a node is called what any folder has, by its name or its file, or is but a date."""
    file = posixpath.basename((node.path or "").partition(":")[2])
    return any(name.casefold().removesuffix(".md") in _GENERIC_NAMES for name in (node.name, file)) or not any(
        letter.isalpha() for letter in node.name
    )
