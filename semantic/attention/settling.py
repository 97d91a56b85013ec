"""Keeping each scope's active set within its budget, and saying where an element stands and why.

The set itself is a pure function (``semantic.attention.active``). Here it is fed with the present picture and the
attention record, and its moves are written to that record, each with the scores that decided it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from semantic.attention.active import ActiveSet, Pass, Place
from semantic.attention.ground import Grounds
from semantic.attention.record import Attention, Entry
from semantic.attention.standing import Standing
from semantic.log.instant import Clock
from semantic.model import Cost, Element, Scope
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection


class Settling:
    """Runs passes over one scope at a time. Every method may be called from any thread."""

    def __init__(self, ledger: Ledger, attention: Attention, clock: Clock) -> None:
        self._ledger = ledger
        self._attention = attention
        self._clock = clock
        self._one_at_a_time = threading.Lock()
        self._grounds = Grounds()
        self._settled: dict[tuple[Scope, str | None, int], _Settled] = {}

    def settle(self, scope: Scope, project: str | None, *, cost: Cost, limit: int, actor: str) -> Pass:
        """Run a pass over a scope and record its moves, all of them in one write.

        Reads that wait are written first, so that what was just read counts. A pass that moved nothing is not run
        again before something changes that it follows from.

        Raises:
            WriteFailed: The moves could not be made durable: they did not happen.
        """
        with self._one_at_a_time:
            self._attention.flush()
            version, standings = self._attention.versioned()
            picture, now = self._ledger.projection(), self._clock()
            settled = self._settled.get((scope, project, limit))
            if settled is not None and settled.holds(picture, version, cost, now):
                return settled.passed
            active = self._active(picture, scope, project, cost, limit, standings, now)
            passed = active.settle()
            if passed.steps:
                self._attention.record([Entry(step.op, step.ids, actor, scores=step.scores) for step in passed.steps])
            else:
                kept = _Settled(passed, picture.elements, version, cost, now, active.good_until)
                self._settled[scope, project, limit] = kept
            return passed

    def place_of(self, id_: str, *, cost: Cost, limit: int) -> Place:
        """Return where an element stands in its scope now, and the scores that say so.

        Raises:
            UnknownElement: No element has this id.
        """
        picture = self._ledger.projection()
        element = picture.element(id_)
        with self._one_at_a_time:
            _, standings = self._attention.versioned()
            now = self._clock()
            active = self._active(picture, element.scope, element.project, cost, limit, standings, now)
            return active.look().places[element.id]

    def _active(
        self,
        picture: Projection,
        scope: Scope,
        project: str | None,
        cost: Cost,
        limit: int,
        standings: Mapping[str, Standing],
        now: datetime,
    ) -> ActiveSet:
        ground = self._grounds.of(picture, scope, project, cost)
        return ActiveSet(ground, standings=standings, now=now, limit=limit)


@dataclass(frozen=True, slots=True)
class _Settled:
    """A pass that moved nothing, and all that it follows from."""

    passed: Pass
    elements: Mapping[str, Element]
    version: int
    cost: Cost
    at: datetime
    good_until: datetime | None

    def holds(self, picture: Projection, version: int, cost: Cost, now: datetime) -> bool:
        """Tell whether the same would come of a pass now. What is young grows old with time alone."""
        same = self.elements is picture.elements and self.version == version and self.cost is cost
        return same and self.at <= now and (self.good_until is None or now < self.good_until)
