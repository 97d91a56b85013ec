"""What the search holds: notes, log, vectors, and which of them are one thing. Upkeep fills it, questions read it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from semantic.fields import Document, Unit
from semantic.search.inverted import InvertedIndex
from semantic.search.plane import Plane
from semantic.search.postings import Segment
from semantic.search.spaces import Spaces
from semantic.weighing import Weighed

BATCH = 32
"""So many documents go in at once: the lock is held for a millisecond or two, whatever a batch holds."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a document says, and what it says of the notes that it links to."""

    own: Weighed
    anchors: Weighed


class Contents:
    """Two planes and the vectors of both. ``lock`` is held, briefly, by whoever reads or changes them.

    One thread changes it at a time, and makes what it puts in before it takes the lock.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.notes = Plane()
        self.log = Plane()
        self.anchors = InvertedIndex()
        """The lines of notes that link to others, by the note that holds them."""
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

    def words_of(self, document: Document) -> Words | None:
        """Return the words of a document, if one with the very same words is held."""
        plane = self.plane_of(document)
        held = plane.documents.get(document.id)
        weighed = plane.weighed(document)
        if (
            weighed is None
            or held is None
            or [one.text for one in held.anchors] != [one.text for one in document.anchors]
        ):
            return None
        return Words(weighed, self.anchors.weighed(document.id) or Weighed(document.id, ()))

    def put(self, changed: Sequence[tuple[Document, Words]]) -> None:
        """Add or replace documents; the lock is taken only to put in what was made of them."""
        for plane in self.planes:
            mine = [(document, words) for document, words in changed if self.plane_of(document) is plane]
            if not mine:
                continue
            weighed = [words.own for _, words in mine]
            segment = Segment.of(weighed)
            anchors = [words.anchors for _, words in mine if words.anchors.units]
            anchored = Segment.of(anchors)
            with self.lock:
                self.spaces.forget(plane.put([document for document, _ in mine], weighed, segment))
                for document, _ in mine:
                    self.anchors.drop(document.id)
                    for unit in document.units:
                        self.spaces.put(unit, document.at)
                if anchors:
                    self.anchors.put(anchors, anchored)
            self._tidy(plane.words)
            self._tidy(self.anchors)

    def drop(self, ids: Iterable[str]) -> None:
        """Take documents out."""
        gone = list(ids)
        for first in range(0, len(gone), BATCH):
            with self.lock:
                for one in gone[first : first + BATCH]:
                    self.anchors.drop(one)
                    self.spaces.forget([*self.notes.drop(one), *self.log.drop(one)])
        for plane in self.planes:
            self._tidy(plane.words)
        self._tidy(self.anchors)

    def _tidy(self, index: InvertedIndex) -> None:
        while crowd := index.crowd():
            merged = Segment.merged(crowd)  # outside the lock: nobody else changes what it is made of
            with self.lock:
                index.replace(crowd, merged)

    def _dated_units(self) -> Iterator[tuple[Unit, datetime | None]]:
        return chain.from_iterable(plane.dated_units() for plane in self.planes)

    def _unit(self, id_: str) -> Unit | None:
        for plane in self.planes:
            held = plane.units.get(id_)
            if held is not None:
                return held[1]
        return None
