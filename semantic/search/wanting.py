"""Which pieces want a vector of one embedding space, newest first, known at any time without a look at all others."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from heapq import heapify, heappop, heappush

from semantic.fields import Unit

_Entry = tuple[float, str, str]
"""(newest first, unit id, key of its text)."""

_SPARE = 64


class Wanting:
    """The units without a vector of their present text. Not safe for several threads.

    The order is a heap that may hold what is wanted no more; the dictionary says what is. A text that changes is
    entered anew, so that its former entry means nothing.
    """

    def __init__(self, units: Iterable[tuple[Unit, datetime | None]] = ()) -> None:
        self._held: dict[str, tuple[_Entry, Unit]] = {}
        for unit, at in units:
            self._held[unit.id] = (_entry(unit, at), unit)
        self._heap: list[_Entry] = []
        self._build()

    def __len__(self) -> int:
        return len(self._held)

    def put(self, unit: Unit, at: datetime | None) -> None:
        """Enter a unit, or what it is now; ``at`` is the instant by which the newest comes first."""
        entry = _entry(unit, at)
        self._held[unit.id] = (entry, unit)
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._held) + _SPARE:
            self._build()

    def drop(self, id_: str) -> None:
        """Take a unit out: it has a vector, or is no more."""
        self._held.pop(id_, None)

    def newest(self, limit: int) -> list[Unit]:
        """Return the newest units; those of one instant by id."""
        found: list[Unit] = []
        entries: dict[_Entry, None] = {}
        while self._heap and len(found) < limit:
            entry = heappop(self._heap)
            held = self._held.get(entry[1])
            if held is not None and held[0] == entry and entry not in entries:
                entries[entry] = None
                found.append(held[1])
        for entry in entries:
            heappush(self._heap, entry)
        return found

    def _build(self) -> None:
        self._heap = [entry for entry, _ in self._held.values()]
        heapify(self._heap)


def _entry(unit: Unit, at: datetime | None) -> _Entry:
    return (0.0 if at is None else -at.timestamp(), unit.id, unit.key)
