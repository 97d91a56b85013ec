"""What others wrote: decisions that a session has not heard of, by a cursor into the log's shards.

A cursor names for each install and project the Lamport number of the last decision that was looked at: an install
writes them in that order. So it holds over restarts, and what a second machine recorded earlier and a sync brought
later is news all the same.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from semantic.model import Decision
from semantic.projection.layered import changed_keys
from semantic.projection.picture import Projection

MOST_CHANGES = 50


@dataclass(frozen=True, slots=True)
class News:
    """Decisions of others in replay order, how many more there are, and the cursor behind those that are here."""

    decisions: tuple[Decision, ...]
    more: int
    cursor: Mapping[str, int]


class Written:
    """What each shard wrote, in its order, followed from picture to picture. May be used from any thread.

    What is new is found without a look at all that is old.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._picture: Projection | None = None
        self._shards: dict[str, list[Decision]] = {}

    def cursor(self, picture: Projection) -> dict[str, int]:
        """Return the cursor behind everything that a picture holds."""
        with self._lock:
            self._follow(picture)
            return {shard: decisions[-1].order[0] for shard, decisions in self._shards.items()}

    def since(
        self,
        picture: Projection,
        cursor: Mapping[str, int],
        *,
        session: str,
        concerns: Callable[[Decision], bool] = lambda _: True,
        limit: int = MOST_CHANGES,
    ) -> News:
        """Return what others recorded behind a cursor, as far as it concerns the session."""
        with self._lock:
            self._follow(picture)
            fresh = [
                one
                for shard, decisions in self._shards.items()
                for one in decisions[bisect_right(decisions, cursor.get(shard, 0), key=_lamport) :]
            ]
        fresh.sort(key=_order)
        behind = dict(cursor)
        found: list[Decision] = []
        more = 0
        for one in fresh:
            is_news = one.session != session and concerns(one)
            if is_news and len(found) == limit:
                more += 1
            if more:
                continue
            behind[_shard(one)] = one.order[0]
            if is_news:
                found.append(one)
        return News(tuple(found), more, behind)

    def _follow(self, picture: Projection) -> None:
        before = self._picture
        if before is picture:
            return
        # Forgotten meanwhile: a failure in between leaves none that is half of each.
        self._picture = None
        if before is None:
            self._shards.clear()
            for one in picture.decisions.values():
                self._shards.setdefault(_shard(one), []).append(one)
            for decisions in self._shards.values():
                decisions.sort(key=_order)
        else:
            for id_ in _changed(before, picture):
                self._drop(before.decisions.get(id_))
                if (now := picture.decisions.get(id_)) is not None:
                    insort(self._shards.setdefault(_shard(now), []), now, key=_order)
        self._picture = picture

    def _drop(self, decision: Decision | None) -> None:
        if decision is None:
            return
        decisions = self._shards[_shard(decision)]
        del decisions[bisect_left(decisions, _order(decision), key=_order)]
        if not decisions:
            del self._shards[_shard(decision)]


def _changed(before: Projection, picture: Projection) -> Collection[str]:
    """Return the ids of decisions that may differ between two pictures."""
    delta = picture.delta
    if delta is not None and before.token is not None and delta.before is before.token:
        return delta.decisions
    return changed_keys(before.decisions, picture.decisions)


def _lamport(decision: Decision) -> int:
    return decision.order[0]


def _order(decision: Decision) -> tuple[int, str, int]:
    return decision.order


def _shard(decision: Decision) -> str:
    """Return what a cursor counts by: an install numbers all that it writes, but a sync may bring one file first."""
    return f"{decision.order[1]}/{decision.project or ''}"
