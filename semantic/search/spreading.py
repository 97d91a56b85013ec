"""What links lead to from what was found: a short walk, and what the passages found by meaning link to.

The walk is a personalised PageRank cut short (Brin and Page 1998; Haveliwala 2002): weight starts at what was found by
words, and each step hands it on along links, both ways. A note that many link to gets less of it, by the root of its
links, or every walk would end in the hubs. Two steps reach what notes beside the found ones are linked to as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from math import sqrt

from semantic.fields import Document
from semantic.search.plane import Plane

SEEDS = 10
SHARPNESS = 3
"""The power of a seed's score beside the best one's: of ten that differ, the first few start the walk."""

STEPS = 2
STEP_SHARE = 0.5
"""What a step counts beside the one before."""

PASSING = 50
"""So many hand their weight on in a step, the heaviest: it bounds the time, whatever the links."""

MAX_LINKS = 200
"""A note with more links hands nothing on: each of them would get next to nothing."""

PASSAGES = 200
"""So many of the passages nearest in meaning count for what they link to."""

FOUND = 300


class Spreading:
    """Links of both planes; a note and the element that it is joined to are one node."""

    def __init__(self, planes: Sequence[Plane], joins: Mapping[str, str]) -> None:
        self._planes, self._joins = planes, joins
        self._members: defaultdict[str, list[str]] = defaultdict(list)
        for note, element in joins.items():
            self._members[element].append(note)

    def walk(self, found: Mapping[str, float]) -> list[tuple[str, float]]:
        """Return (node, weight), heaviest first, of what a walk from the best of ``found`` (scores, best first) meets.

        What the walk starts from is met only where a link leads back to it.
        """
        best = [(node, score) for node, score in found.items() if score > 0][:SEEDS]
        if not best:
            return []
        top = best[0][1]
        weights = {self._node(node): min(score / top, 1.0) ** SHARPNESS for node, score in best}
        whole = sum(weights.values())
        held = {node: weight / whole for node, weight in weights.items()}
        met: defaultdict[str, float] = defaultdict(float)
        for step in range(STEPS):
            handed: defaultdict[str, float] = defaultdict(float)
            for node, weight in nlargest(PASSING, held.items(), key=lambda pair: (pair[1], pair[0])):
                for other, share in self._shares(node):
                    handed[other] += weight * share
            for node, weight in handed.items():
                met[node] += weight * STEP_SHARE**step
            held = handed
        return sorted(met.items(), key=lambda pair: (-pair[1], pair[0]))[:FOUND]

    def neighbors(self, node: str) -> Iterator[str]:
        """Yield what a node is linked with, either way; some come more than once."""
        for member in (node, *self._members.get(node, ())):
            for plane in self._planes:
                yield from map(self._node, plane.web.neighbors(member))

    def _shares(self, node: str) -> Iterator[tuple[str, float]]:
        neighbors = dict.fromkeys(other for other in self.neighbors(node) if other != node)
        if not 0 < len(neighbors) <= MAX_LINKS:
            return
        damped = {other: 1 / sqrt(max(1, self._degree(other))) for other in neighbors}
        whole = sum(damped.values())
        for other, weight in damped.items():
            yield other, weight / whole

    def _node(self, id_: str) -> str:
        return self._joins.get(id_, id_)

    def _degree(self, node: str) -> int:
        members = (node, *self._members.get(node, ()))
        return sum(plane.web.degree(member) for plane in self._planes for member in members)


def linked_from(passages: Iterable[tuple[Document, tuple[int, int], float]]) -> list[tuple[str, float]]:
    """Return (note, score), best first, of what the passages nearest in meaning link to.

    A passage counts by how much nearer it is than the last one that is looked at, and says less of each the more notes
    it links to. Several passages that link to one note add up: it is what they have in common.

    Args:
        passages: Document, first and last line, and nearness, nearest first.
    """
    looked_at = [passage for passage, _ in zip(passages, range(PASSAGES), strict=False)]
    said: defaultdict[str, float] = defaultdict(float)
    farthest = looked_at[-1][2] if looked_at else 0.0
    for document, (first, last), nearness in looked_at:
        lines = (anchor.targets for anchor in document.anchors if first <= anchor.line <= last)
        targets = {target for some in lines for target in some}
        for target in targets:
            said[target] += (nearness - farthest) / sqrt(len(targets))
    found = ((target, score) for target, score in said.items() if score > 0)
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:FOUND]
