"""The vectors of all units, one matrix for each embedding model that gave some, and what still wants one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from semantic.fields import Unit
from semantic.search.matrix import Vector, VectorMatrix
from semantic.search.wanting import Wanting

Dated = tuple[Unit, datetime | None]


class Spaces:
    """Vectors by the fingerprint of their space. Not safe for several threads.

    A unit is handed out under a handle that names its text too, so that a vector is only ever taken for the very
    string it was made of, however long a model took and whatever changed meanwhile.

    Args:
        present: Gives every unit to embed as it is now, with its document's instant.
        unit_of: Gives one as it is now, or ``None``.
    """

    def __init__(self, present: Callable[[], Iterable[Dated]], unit_of: Callable[[str], Unit | None]) -> None:
        self._present = present
        self._unit_of = unit_of
        self._spaces: dict[str, VectorMatrix] = {}
        self._wanting: dict[str, Wanting] = {}

    def get(self, fingerprint: str | None) -> VectorMatrix | None:
        """Return a space, or ``None`` if nothing has a vector of it."""
        return None if fingerprint is None else self._spaces.get(fingerprint)

    def put(self, unit: Unit, at: datetime | None) -> None:
        """Say that a unit came, or changed; without a text to embed it wants nothing."""
        for fingerprint, wanting in self._wanting.items():
            if unit.embedded and not self._has(fingerprint, unit):
                wanting.put(unit, at)
            else:
                wanting.drop(unit.id)

    def fingerprints(self) -> set[str]:
        """Return the spaces that hold vectors."""
        return set(self._spaces)

    def drop(self, fingerprint: str) -> None:
        """Drop a space whole."""
        self._spaces.pop(fingerprint, None)
        self._wanting.pop(fingerprint, None)

    def forget(self, units: Iterable[str]) -> None:
        """Drop the vectors of units that are no more."""
        gone = list(units)
        for space in self._spaces.values():
            space.drop(gone)
        for wanting in self._wanting.values():
            for one in gone:
                wanting.drop(one)

    def count_wanting(self, fingerprint: str) -> int:
        """Return how many units have no vector of their present text."""
        return len(self._wanting_of(fingerprint))

    def wanting(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (handle, exact string to embed) of units that have no vector of their present text, newest first."""
        return [(f"{unit.id}:{unit.key}", unit.embedded) for unit in self._wanting_of(fingerprint).newest(limit)]

    def add(self, fingerprint: str, dimension: int, vectors: Mapping[str, Vector]) -> None:
        """Take in vectors by handle, for units that are still there and still say what was embedded.

        Raises:
            ValueError: A vector does not fit the space or holds a component that is no number.
        """
        space = self._spaces.get(fingerprint)
        if space is None:
            space = self._spaces[fingerprint] = VectorMatrix(dimension)
        wanting = self._wanting_of(fingerprint)
        for handle, vector in vectors.items():
            id_, _, key = handle.rpartition(":")
            unit = self._unit_of(id_)
            if unit is not None and unit.key == key:
                space.put(id_, key, vector)
                wanting.drop(id_)

    def _wanting_of(self, fingerprint: str) -> Wanting:
        wanting = self._wanting.get(fingerprint)
        if wanting is None:
            units = (dated for dated in self._present() if not self._has(fingerprint, dated[0]))
            wanting = self._wanting[fingerprint] = Wanting(units)
        return wanting

    def _has(self, fingerprint: str, unit: Unit) -> bool:
        space = self._spaces.get(fingerprint)
        return space is not None and space.key(unit.id) == unit.key
