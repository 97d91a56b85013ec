"""What the search holds: notes, log, vectors, and which of them are one thing. Upkeep fills it, questions read it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from semantic.fields import Document, Unit
from semantic.plane import Plane
from semantic.postings import Segment
from semantic.spaces import Spaces
from semantic.weighing import Weighed

BATCH = 32
"""So many documents go in at once: the lock is held for a millisecond or two, whatever a batch holds."""


class Contents:
    """Two planes and the vectors of both. ``lock`` is held, briefly, by whoever reads or changes them.

    One thread changes it at a time, and makes what it puts in before it takes the lock.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.notes = Plane()
        self.log = Plane()
        self.spaces = Spaces(self._dated_units, self._unit)
        self.joins: Mapping[str, str] = {}
        """Note id to the id of the element that it is one thing with."""

    @property
    def planes(self) -> tuple[Plane, Plane]:
        """Return both planes."""
        return self.notes, self.log

    def plane_of(self, document: Document) -> Plane:
        """Return the plane that a document belongs to."""
        return self.notes if document.kind == "note" else self.log

    def put(self, changed: Sequence[tuple[Document, Weighed]]) -> None:
        """Add or replace documents; the lock is taken only to put in what was made of them."""
        for plane in self.planes:
            mine = [(document, weighed) for document, weighed in changed if self.plane_of(document) is plane]
            if not mine:
                continue
            weighed = [one for _, one in mine]
            segment = Segment.of(weighed)
            with self.lock:
                self.spaces.forget(plane.put([document for document, _ in mine], weighed, segment))
                for document, _ in mine:
                    for unit in document.units:
                        self.spaces.put(unit, document.at)
            self._tidy(plane)

    def drop(self, ids: Iterable[str]) -> None:
        """Take documents out."""
        gone = list(ids)
        for first in range(0, len(gone), BATCH):
            with self.lock:
                for one in gone[first : first + BATCH]:
                    self.spaces.forget([*self.notes.drop(one), *self.log.drop(one)])
        for plane in self.planes:
            self._tidy(plane)

    def _tidy(self, plane: Plane) -> None:
        while crowd := plane.words.crowd():
            merged = Segment.merged(crowd)  # outside the lock: nobody else changes what it is made of
            with self.lock:
                plane.words.replace(crowd, merged)

    def _dated_units(self) -> Iterator[tuple[Unit, datetime | None]]:
        return chain.from_iterable(plane.dated_units() for plane in self.planes)

    def _unit(self, id_: str) -> Unit | None:
        for plane in self.planes:
            held = plane.units.get(id_)
            if held is not None:
                return held[1]
        return None
