"""The active set: what of one scope a session is told unasked, within a budget of rendered text.

It belongs to the person and is a pure function of the graph, the attention record, the budget and the present instant.
A pass returns the steps that lead to it; whoever applies them writes them to the attention record with their scores,
so that every move can be explained later.

All arithmetic is in integers, so that two machines with the same truth come to the same set.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from semantic.attention.ground import NEVER, Ground, microseconds
from semantic.attention.standing import MILLION, Standing

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


class Places(Mapping[str, Place]):
    """Where each element of a scope stands, made when it is asked for: most passes are asked for a few, or none."""

    def __init__(self, ids: tuple[str, ...], make: Callable[[int], Place]) -> None:
        self._ids = ids
        self._make = make

    def __getitem__(self, id_: str) -> Place:
        place = bisect_left(self._ids, id_)
        if place == len(self._ids) or self._ids[place] != id_:
            raise KeyError(id_)
        return self._make(place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class ActiveSet:
    """One pass over the living elements of a scope.

    Args:
        ground: The elements, what they cost, and the links between them; links to elements of another scope, to notes
            and to paths connect nothing here.
        standings: The state of the attention record.
        now: The present instant.
        limit: The budget, in UTF-16 units.
    """

    def __init__(
        self, ground: Ground, *, standings: Mapping[str, Standing], now: datetime, limit: int = LIMIT_UNITS
    ) -> None:
        self._ground = ground
        self._limit = limit
        self._ceiling = limit * CEILING[0] // CEILING[1]
        self._costs = ground.costs.copy()
        ground.attend(standings)
        self._is_active = ~ground.archived
        self._is_pinned = ground.pinned.copy()
        self._recency = _percentiles(np.maximum(ground.written, ground.attended))
        self._graced, self.good_until = self._find_graced(now)
        self._scored: tuple[_Numbers, _Numbers] | None = None

    def look(self) -> Pass:
        """Return where everything stands as it is, without a move."""
        return self._outcome([])

    def settle(self) -> Pass:
        """Run the pass: archive, then swap back; or, where nothing had to be archived, refill."""
        was_archived = np.flatnonzero(~self._is_active)
        scores = self._scores()
        steps, gone = self._archive(scores)
        if steps:
            steps += self._swap_back(scores, was_archived, gone)
        else:
            steps = self._refill()
        return self._outcome(steps)

    def _archive(self, scores: _Numbers) -> tuple[list[Step], list[int]]:
        units = self._units()
        steps: list[Step] = []
        gone: list[int] = []
        if units <= self._limit:
            return steps, gone
        for place in self._order(scores, reverse=False):
            if units <= self._ceiling:
                break
            if self._is_active[place] and not (self._graced[place] or self._is_pinned[place]):
                self._turn(place, active=False)
                units -= int(self._costs[place])
                steps.append(self._step("archive", scores, place))
                gone.append(place)
        return steps, gone

    def _swap_back(self, scores: _Numbers, candidates: _Numbers, gone: Sequence[int]) -> list[Step]:
        units = self._units()
        steps: list[Step] = []
        beaten = sorted(gone, key=lambda place: (scores[place], place))
        # The lowest of those that went has to be beaten by so much: most that were out before need not be looked at.
        near = candidates[scores[candidates] >= scores[beaten[0]] + SWAP_MARGIN]
        for place in sorted(near.tolist(), key=lambda place: (-scores[place], place)):
            if not beaten or scores[place] < scores[beaten[0]] + SWAP_MARGIN:
                break
            if units + self._costs[place] <= self._limit:
                self._turn(place, active=True)
                units += int(self._costs[place])
                steps.append(self._step("swap", scores, place, beaten.pop(0)))
        return steps

    def _refill(self) -> list[Step]:
        steps: list[Step] = []
        units = self._units()
        while units < self._ceiling:
            fitting = np.flatnonzero(~self._is_active & (units + self._costs <= self._ceiling))
            if not fitting.size:
                break
            scores = self._scores()
            place = int(fitting[np.argmax(scores[fitting])])  # of equal scores the first, which has the smallest id
            self._turn(place, active=True)
            units += int(self._costs[place])
            steps.append(self._step("promote", scores, place))
        return steps

    def _outcome(self, steps: list[Step]) -> Pass:
        scores, connectedness, ids = self._scores(), self._connectedness(), tuple(self._ground.ids)
        # Plain copies: the ground changes with the next picture, and a pass is good for ever.
        recency, costs, is_active = self._recency, self._costs, self._is_active.copy()
        is_pinned, graced = self._is_pinned, self._graced

        def place_at(place: int) -> Place:
            return Place(
                ids[place],
                int(scores[place]),
                int(recency[place]),
                int(connectedness[place]),
                int(costs[place]),
                not is_active[place],
                bool(is_pinned[place]),
                bool(graced[place]),
            )

        active = np.flatnonzero(is_active)
        active = active[np.lexsort((active, -scores[active]))]
        return Pass(tuple(steps), tuple(ids[place] for place in active.tolist()), self._units(), Places(ids, place_at))

    def _turn(self, place: int, *, active: bool) -> None:
        self._is_active[place] = active
        self._scored = None

    def _scores(self) -> _Numbers:
        return self._both()[0]

    def _connectedness(self) -> _Numbers:
        return self._both()[1]

    def _both(self) -> tuple[_Numbers, _Numbers]:
        """Return the scores, and the percentiles of connectedness in them, of the set as it is now."""
        if self._scored is None:
            connectedness = _percentiles(self._edges())
            self._scored = (_RECENCY * self._recency + _CONNECTEDNESS * connectedness) // 100, connectedness
        return self._scored

    def _edges(self) -> _Numbers:
        """Return the weighted edges of each element: a neighbour counts whole if active, a fifth if archived.

        An archived neighbour that hangs on this edge alone counts nothing: it would keep what keeps it.
        """
        ground = self._ground
        weights = np.where(self._is_active, _ACTIVE, np.where(ground.degree > 1, _ARCHIVED, 0))
        # Sums of small whole numbers are exact in the floats that a weighted count gives.
        found = np.bincount(ground.targets, _IN * weights[ground.sources], minlength=len(weights))
        found += np.bincount(ground.sources, _OUT * weights[ground.targets], minlength=len(weights))
        return found.astype(np.int64)

    def _find_graced(self, now: datetime) -> tuple[npt.NDArray[np.bool_], datetime | None]:
        """Return the elements that are kept since they are new, newest first while they fit their share.

        With them comes the instant at which the first of the young is young no more, if any is.
        """
        made = self._ground.made
        horizon = microseconds(now) - GRACE // timedelta(microseconds=1)
        young = np.flatnonzero((made != NEVER) & (made > horizon))
        room = self._limit * GRACE_SHARE[0] // GRACE_SHARE[1]
        kept = np.zeros(len(made), dtype=bool)
        for place in young[np.lexsort((young, -made[young]))].tolist():
            if self._costs[place] <= room:
                room -= int(self._costs[place])
                kept[place] = True
        if not young.size:
            return kept, None
        return kept, now + timedelta(microseconds=int(made[young].min()) - horizon)

    def _order(self, scores: _Numbers, *, reverse: bool) -> list[int]:
        """Return all places by score; equal scores by id, so that no machine chooses otherwise."""
        places = np.arange(len(scores))
        found: list[int] = np.lexsort((places, -scores if reverse else scores)).tolist()
        return found

    def _step(self, op: str, scores: _Numbers, *places: int) -> Step:
        ids = tuple(self._ground.ids[place] for place in places)
        return Step(op, ids, {id_: int(scores[place]) for id_, place in zip(ids, places, strict=True)})

    def _units(self) -> int:
        return int(self._costs[self._is_active].sum())


def _percentiles(values: _Numbers) -> _Numbers:
    """Return the mid-rank percentile of each value, in millionths: (below + half of the equal) / all."""
    if values.size == 0:
        return values
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    through = np.cumsum(counts)
    found: _Numbers = (2 * through - counts).astype(np.int64)[which] * (MILLION // 2) // values.size
    return found
