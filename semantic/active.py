"""The active set: what of one scope a session is told unasked, within a budget of rendered text.

It belongs to the person and is a pure function of the graph, the attention record, the budget and the present instant.
A pass returns the steps that lead to it; whoever applies them writes them to the attention record with their scores,
so that every move can be explained later.

All arithmetic is in integers, so that two machines with the same truth come to the same set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from semantic.instant import read_instant
from semantic.model import Decision, Element, Link
from semantic.standing import MILLION, UNATTENDED, Standing

LIMIT_UNITS = 20_000
"""The budget of a scope in UTF-16 units of rendered text, about 5,000 tokens."""

CEILING = (4, 5)
"""Archiving goes down to this share of the limit, and refilling up to it."""

GRACE = timedelta(days=7)
GRACE_SHARE = (3, 10)
"""So much of the limit may be held by elements that are only kept because they are new."""

SWAP_MARGIN = 50_000
"""By so many millionths an archived element has to beat one that was just archived to come back for it."""

_RECENCY, _CONNECTEDNESS = 33, 66
_IN, _OUT = 66, 33
_ACTIVE, _ARCHIVED = 10, 2

Cost = Callable[[Element], int]
"""Returns the UTF-16 units that an element takes in the rendered text, its line end included."""

_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Step:
    """One move: ``archive`` and ``promote`` name one id, ``swap`` the one that came back and the one it came back for.

    ``scores`` are those that decided it, in millionths.
    """

    op: str
    ids: tuple[str, ...]
    scores: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element stands and why. Scores in millionths, ``units`` as rendered."""

    id: str
    score: int
    recency: int
    connectedness: int
    units: int
    archived: bool
    pinned: bool
    graced: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """What a pass came to: the moves, the active ids best first, their units, and every element's place after it."""

    steps: tuple[Step, ...]
    active: tuple[str, ...]
    units: int
    places: Mapping[str, Place]


class ActiveSet:
    """One pass over the living elements of a scope.

    Args:
        elements: All living elements of the scope.
        links: All living links; those to elements of another scope, to notes and to paths connect nothing here.
        decisions: By id; they tell when an element was made.
        standings: The state of the attention record.
        cost: What an element takes in the rendered text.
        now: The present instant.
        limit: The budget, in UTF-16 units.
    """

    def __init__(
        self,
        elements: Iterable[Element],
        links: Iterable[Link],
        *,
        decisions: Mapping[str, Decision],
        standings: Mapping[str, Standing],
        cost: Cost,
        now: datetime,
        limit: int = LIMIT_UNITS,
    ) -> None:
        self._elements = sorted(elements, key=lambda one: one.id)
        self._index = {one.id: place for place, one in enumerate(self._elements)}
        self._limit = limit
        self._ceiling = limit * CEILING[0] // CEILING[1]
        self._costs = [cost(one) for one in self._elements]
        self._standings = [standings.get(one.id, UNATTENDED) for one in self._elements]
        self._is_active = np.array([not standing.archived for standing in self._standings], dtype=bool)
        self._recency = _percentiles(_instants(self._elements, self._standings))
        every = [link for link in links if link.source != link.target]
        self._sources, self._targets = _edges(every, self._index)
        self._degree = self._count_links(every)
        self._graced = self._find_graced(decisions, now)

    def look(self) -> Pass:
        """Return where everything stands as it is, without a move."""
        return self._outcome([])

    def settle(self) -> Pass:
        """Run the pass: archive, then swap back; or, where nothing had to be archived, refill."""
        scores = self._scores()
        was_archived = [place for place in range(len(self._elements)) if not self._is_active[place]]
        steps = self._archive(scores)
        if steps:
            steps += self._swap_back(scores, was_archived, [self._index[step.ids[0]] for step in steps])
        else:
            steps = self._refill()
        return self._outcome(steps)

    def _archive(self, scores: _Numbers) -> list[Step]:
        units = self._units()
        if units <= self._limit:
            return []
        steps = []
        for place in self._order(scores, reverse=False):
            if units <= self._ceiling:
                break
            if self._is_active[place] and not self._is_protected(place):
                self._is_active[place] = False
                units -= self._costs[place]
                steps.append(self._step("archive", scores, place))
        return steps

    def _swap_back(self, scores: _Numbers, candidates: Sequence[int], gone: Sequence[int]) -> list[Step]:
        units = self._units()
        steps = []
        beaten = sorted(gone, key=lambda place: (scores[place], self._elements[place].id))
        for place in sorted(candidates, key=lambda place: (-scores[place], self._elements[place].id)):
            if not beaten or scores[place] < scores[beaten[0]] + SWAP_MARGIN:
                break
            if units + self._costs[place] <= self._limit:
                self._is_active[place] = True
                units += self._costs[place]
                steps.append(self._step("swap", scores, place, beaten.pop(0)))
        return steps

    def _refill(self) -> list[Step]:
        steps: list[Step] = []
        units = self._units()
        while units < self._ceiling:
            scores = self._scores()
            fitting = (
                place
                for place in self._order(scores, reverse=True)
                if not self._is_active[place] and units + self._costs[place] <= self._ceiling
            )
            place = next(fitting, None)
            if place is None:
                break
            self._is_active[place] = True
            units += self._costs[place]
            steps.append(self._step("promote", scores, place))
        return steps

    def _outcome(self, steps: list[Step]) -> Pass:
        scores, connectedness = self._scores(), _percentiles(self._connectedness())
        places = {
            one.id: Place(
                one.id,
                int(scores[place]),
                int(self._recency[place]),
                int(connectedness[place]),
                self._costs[place],
                not self._is_active[place],
                self._standings[place].pinned,
                place in self._graced,
            )
            for place, one in enumerate(self._elements)
        }
        active = tuple(
            self._elements[place].id for place in self._order(scores, reverse=True) if self._is_active[place]
        )
        return Pass(tuple(steps), active, self._units(), places)

    def _scores(self) -> _Numbers:
        weighted = _RECENCY * self._recency + _CONNECTEDNESS * _percentiles(self._connectedness())
        return weighted // 100

    def _connectedness(self) -> _Numbers:
        """Return the weighted edges of each element: a neighbour counts whole if active, a fifth if archived.

        An archived neighbour that hangs on this edge alone counts nothing: it would keep what keeps it.
        """
        weights = np.where(self._is_active, _ACTIVE, np.where(self._degree > 1, _ARCHIVED, 0))
        found = np.zeros(len(self._elements), dtype=np.int64)
        np.add.at(found, self._targets, _IN * weights[self._sources])
        np.add.at(found, self._sources, _OUT * weights[self._targets])
        return found

    def _count_links(self, links: Iterable[Link]) -> _Numbers:
        """Return how many links each element has, those to notes, paths and other scopes included."""
        degree = np.zeros(len(self._elements), dtype=np.int64)
        for link in links:
            for end in (link.source, link.target):
                if end in self._index:
                    degree[self._index[end]] += 1
        return degree

    def _find_graced(self, decisions: Mapping[str, Decision], now: datetime) -> frozenset[int]:
        """Return the elements that are kept since they are new: newest first, while they fit their share."""
        young = []
        for place, one in enumerate(self._elements):
            made = min((decisions[id_].at for id_ in one.decisions if id_ in decisions), default=one.at)
            if made is not None and now - made < GRACE:
                young.append((made, place))
        room = self._limit * GRACE_SHARE[0] // GRACE_SHARE[1]
        kept = set()
        for _, place in sorted(young, key=lambda pair: (-pair[0].timestamp(), self._elements[pair[1]].id)):
            if self._costs[place] <= room:
                room -= self._costs[place]
                kept.add(place)
        return frozenset(kept)

    def _is_protected(self, place: int) -> bool:
        return place in self._graced or self._standings[place].pinned

    def _order(self, scores: _Numbers, *, reverse: bool) -> list[int]:
        """Return all places by score; equal scores by id, so that no machine chooses otherwise."""
        places = np.arange(len(scores))
        return [int(place) for place in np.lexsort((places, -scores if reverse else scores))]

    def _step(self, op: str, scores: _Numbers, *places: int) -> Step:
        ids = tuple(self._elements[place].id for place in places)
        return Step(op, ids, {id_: int(scores[place]) for id_, place in zip(ids, places, strict=True)})

    def _units(self) -> int:
        return sum(cost for cost, active in zip(self._costs, self._is_active, strict=True) if active)


def _percentiles(values: _Numbers) -> _Numbers:
    """Return the mid-rank percentile of each value, in millionths: (below + half of the equal) / all."""
    if values.size == 0:
        return values
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    through = np.searchsorted(ordered, values, side="right")
    found: _Numbers = (below + through).astype(np.int64) * (MILLION // 2) // values.size
    return found


def _instants(elements: Sequence[Element], standings: Sequence[Standing]) -> _Numbers:
    """Return when each element was last written or read, in milliseconds."""
    return np.array([_last(one, standing) for one, standing in zip(elements, standings, strict=True)], dtype=np.int64)


def _last(element: Element, standing: Standing) -> int:
    known = [read_instant(text) for text in (standing.read_at, standing.useful_at) if text is not None]
    if element.at is not None:
        known.append(element.at)
    return max((int(at.timestamp() * 1000) for at in known), default=0)


def _edges(links: Iterable[Link], index: Mapping[str, int]) -> tuple[_Numbers, _Numbers]:
    found: Collection[tuple[int, int]] = [
        (index[link.source], index[link.target]) for link in links if link.source in index and link.target in index
    ]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
