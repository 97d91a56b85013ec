"""Keeping each scope's active set within its budget, and saying where an element stands and why.

The set itself is a pure function (``semantic.active``). Here it is fed with the present picture and the attention
record, and its moves are written to that record, each with the scores that decided it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from semantic.active import ActiveSet, Cost, Pass, Place
from semantic.attention import Attention, Entry
from semantic.instant import Clock
from semantic.ledger import Ledger
from semantic.model import Scope
from semantic.projection import Projection
from semantic.standing import Standing


class Settling:
    """Runs passes over one scope at a time. Every method may be called from any thread."""

    def __init__(self, ledger: Ledger, attention: Attention, clock: Clock) -> None:
        self._ledger = ledger
        self._attention = attention
        self._clock = clock
        self._one_at_a_time = threading.Lock()

    def settle(self, scope: Scope, project: str | None, *, cost: Cost, limit: int, actor: str) -> Pass:
        """Run a pass over a scope and record its moves, all of them in one write.

        Reads that wait are written first, so that what was just read counts.

        Raises:
            WriteFailed: The moves could not be made durable: they did not happen.
        """
        with self._one_at_a_time:
            self._attention.flush()
            passed = self._active(self._ledger.projection(), scope, project, cost, limit).settle()
            self._attention.record([Entry(step.op, step.ids, actor, scores=step.scores) for step in passed.steps])
            return passed

    def place_of(self, id_: str, *, cost: Cost, limit: int) -> Place:
        """Return where an element stands in its scope now, and the scores that say so.

        Raises:
            UnknownElement: No element has this id.
        """
        picture = self._ledger.projection()
        element = picture.element(id_)
        return self._active(picture, element.scope, element.project, cost, limit).look().places[element.id]

    def _active(self, picture: Projection, scope: Scope, project: str | None, cost: Cost, limit: int) -> ActiveSet:
        standings: Mapping[str, Standing] = self._attention.state()
        return ActiveSet(
            (one for one in picture if one.scope == scope and one.project == project),
            picture.links,
            decisions=picture.decisions,
            standings=standings,
            cost=cost,
            now=self._clock(),
            limit=limit,
        )
