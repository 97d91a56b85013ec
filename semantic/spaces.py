"""The vectors of all units, one matrix for each embedding model that gave some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

from semantic.matrix import Vector, VectorMatrix
from semantic.plane import Plane


class Spaces:
    """Vectors by the fingerprint of their space. Not safe for several threads."""

    def __init__(self) -> None:
        self._spaces: dict[str, VectorMatrix] = {}
        self._offered: dict[tuple[str, str], str] = {}

    def get(self, fingerprint: str | None) -> VectorMatrix | None:
        """Return a space, or ``None`` if nothing has a vector of it."""
        return None if fingerprint is None else self._spaces.get(fingerprint)

    def wanting(self, fingerprint: str, planes: Sequence[Plane], limit: int) -> list[tuple[str, str]]:
        """Return (unit id, exact string to embed) of units that have no vector of their present text, newest first."""
        space = self._spaces.get(fingerprint)
        wanting = []
        for plane in planes:
            for document_id, unit in plane.units.values():
                if unit.embedded and (space is None or space.key(unit.id) != unit.key):
                    at = plane.documents[document_id].at
                    wanting.append((0.0 if at is None else -at.timestamp(), unit.id, unit))
        chosen = [unit for _, _, unit in nsmallest(limit, wanting, key=lambda row: row[:2])]
        for unit in chosen:
            # The text may change before its vector comes: the vector is filed under what was really embedded.
            self._offered[fingerprint, unit.id] = unit.key
        return [(unit.id, unit.embedded) for unit in chosen]

    def add(self, fingerprint: str, dimension: int, vectors: Mapping[str, Vector], planes: Sequence[Plane]) -> None:
        """Take in vectors of strings that were offered, for units that are still there."""
        space = self._spaces.get(fingerprint)
        if space is None:
            space = self._spaces[fingerprint] = VectorMatrix(dimension)
        for unit_id, vector in vectors.items():
            key = self._offered.pop((fingerprint, unit_id), None)
            if key is not None and any(unit_id in plane.units for plane in planes):
                space.put(unit_id, key, vector)

    def forget(self, units: Iterable[str]) -> None:
        """Drop the vectors of units that are no more."""
        gone = list(units)
        for space in self._spaces.values():
            space.drop(gone)
