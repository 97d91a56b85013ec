"""Which node a name means: an id, a name, an alias, a path; with other accents, case and spelling, or a slip in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memoryd.text.canonical import fold_name
from semantic.errors import AmbiguousName, Candidate, UnknownNode
from semantic.graph.model import PLAIN_KINDS, PLANES, Graph, Node
from semantic.identity import digits_of, loose_name, one_letter_apart
from semantic.log.ids import is_path_end

SLIP_LETTERS = 5
"""In a shorter name no letter is taken for another."""
MOST_CANDIDATES = 10
_GRAM = 3
_LEAST_ALIKE = 0.25


class NodeNames:
    """The names of all nodes of one graph. It never changes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._exact: defaultdict[str, list[str]] = defaultdict(list)
        self._loose: defaultdict[str, list[str]] = defaultdict(list)
        for node in graph.nodes.values():
            for name in dict.fromkeys(map(fold_name, _written(node))):
                self._exact[name].append(node.id)
            for name in dict.fromkeys(map(loose_name, (node.name, *node.names))):
                if name:
                    self._loose[name].append(node.id)

    def find(self, written: str) -> Node:
        """Return the node that is meant.

        Raises:
            AmbiguousName: Several are called this, and none goes before the others.
            UnknownNode: None is, and none nearly.
        """
        held = self._graph.nodes.get(written.strip())
        if held is not None:
            return held
        folded, loose = fold_name(written), loose_name(written)
        for found, reason in (
            (self._exact.get(folded, ()), "has this name"),
            (self._loose.get(loose, ()), "the same name but for accents, case, punctuation or spaces"),
            (self._slips(loose), "one slip away"),
        ):
            chosen = self._chosen(found, written, reason)
            if chosen is not None:
                return chosen
        raise UnknownNode("nothing in the graph has this id or name", self._nearest(loose))

    def _chosen(self, found: Iterable[str], written: str, reason: str) -> Node | None:
        nodes = [self._graph.nodes[id_] for id_ in dict.fromkeys(found)]
        if not nodes:
            return None
        # What people decided goes before what they wrote, and that before what was read out of it. A name goes
        # before an alias. A tag or a place is meant only where nothing else is.
        folded = fold_name(written)
        ranks = {node.id: (_rank(node), fold_name(node.name) != folded, node.name != written.strip()) for node in nodes}
        best = min(ranks.values())
        first = [node for node in nodes if ranks[node.id] == best]
        if len(first) == 1:
            return first[0]
        shown = sorted(first, key=lambda node: (node.path or "", node.id))[:MOST_CANDIDATES]
        candidates = [_candidate(node, reason) for node in shown]
        raise AmbiguousName(f"{len(first)} things are called this; send the id of one", candidates)

    def _slips(self, loose: str) -> list[str]:
        if len(loose) < SLIP_LETTERS:
            return []
        digits = digits_of(loose)
        return [
            id_
            for name, ids in self._loose.items()
            if abs(len(name) - len(loose)) <= 1 and _is_slip(loose, name) and digits_of(name) == digits
            for id_ in ids
        ]

    def _nearest(self, loose: str) -> list[Candidate]:
        wanted = _grams(loose)
        alike: dict[str, float] = {}
        for name, ids in self._loose.items():
            grams = _grams(name)
            share = len(wanted & grams) / (len(wanted | grams) or 1)
            if share >= _LEAST_ALIKE:
                for id_ in ids:
                    alike[id_] = max(alike.get(id_, 0.0), share)
        best = sorted(alike, key=lambda id_: (-alike[id_], _rank(self._graph.nodes[id_]), id_))[:5]
        return [_candidate(self._graph.nodes[id_], "a name like it") for id_ in best]


def _written(node: Node) -> Iterable[str]:
    yield node.name
    yield from node.names
    if node.note is not None:
        yield node.note
    if node.path is not None:
        _, _, path = node.path.partition(":")
        yield from (node.path, path, path.removesuffix(".md"))
    if node.kind == "tag":
        yield f"#{node.name}"
    if node.plane == "code" and (place := _place_of_code(node)):
        yield place


def _rank(node: Node) -> int:
    return len(PLANES) if node.kind in PLAIN_KINDS - {"note"} else PLANES.index(node.plane)


def _candidate(node: Node, reason: str) -> Candidate:
    place = node.path or (_place_of_code(node) if node.plane == "code" else "")
    where = f" ({place})" if place else ""
    return Candidate(node.id, node.kind, node.name, reason + where)


def _place_of_code(node: Node) -> str:
    """Return ``<path>#<name>`` of a definition, or the path of a file; nothing for a package."""
    return node.id.split(":", 2)[2] if is_path_end(node.id) else ""


def _is_slip(one: str, other: str) -> bool:
    """Tell whether one letter added, left out, exchanged, or two neighbours swapped make one of the other."""
    if one_letter_apart(one, other):
        return True
    if len(one) != len(other):
        return False
    differing = [at for at in range(len(one)) if one[at] != other[at]]
    if len(differing) != 2 or differing[1] != differing[0] + 1:
        return False
    first, second = differing
    return one[first] == other[second] and one[second] == other[first]


def _grams(loose: str) -> set[str]:
    padded = f" {loose} "
    return {padded[at : at + _GRAM] for at in range(max(1, len(padded) - _GRAM + 1))}
