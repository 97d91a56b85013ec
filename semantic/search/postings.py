"""Postings of many pieces in a few arrays, made in one go, away from whoever asks questions meanwhile.

A dictionary of small arrays would take five times the memory: most terms stand in one piece only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from semantic.weighing import Weighed

Slot = tuple[str, str] | None
"""A (document, unit), or ``None`` where it was taken out."""

Terms = npt.NDArray[np.uint32]
Slots = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


class Segment:
    """The postings of some documents. Nothing comes in later; documents may be taken out.

    Those of ``terms[i]`` lie from ``starts[i]`` to ``starts[i + 1]``. A term stands at most once in a slot.

    Attributes:
        units: The (document, unit) of each slot, ``None`` where it was taken out.
        living: How many slots are not taken out.
        places: This segment with the slots of each document, which lie side by side; as it was made.
    """

    def __init__(self, units: list[Slot], terms: Terms, slots: Slots, weights: Floats) -> None:
        order = np.argsort(terms, kind="stable")  # a term's slots stay in their order
        terms, self._slots, self._weights = terms[order], slots[order], weights[order]
        firsts = np.flatnonzero(np.diff(terms, prepend=terms[:1] + 1)) if len(terms) else np.zeros(0, np.int64)
        self.units = units
        self.living = sum(one is not None for one in units)
        self._terms = terms[firsts]
        self._starts = np.append(firsts, len(terms))
        self._frequency = self._count_documents(terms)
        self._gone: Counter[int] = Counter()
        self.places = {document: (self, slots_) for document, slots_ in _side_by_side(units).items()}

    @classmethod
    def of(cls, documents: Iterable[Weighed]) -> Segment:
        """Return the postings of documents."""
        held: list[Slot] = []
        ids: list[Terms] = [np.zeros(0, np.uint32)]
        weights: list[Floats] = [np.zeros(0, np.float32)]
        for weighed in documents:
            for unit, terms, values in weighed.units:
                held.append((weighed.document, unit))
                ids.append(np.array(terms, np.uint32))
                weights.append(np.array(values, np.float32))
        slots = np.repeat(np.arange(len(held), dtype=np.int32), [len(one) for one in ids[1:]])
        return cls(held, np.concatenate(ids), slots, np.concatenate(weights))

    @classmethod
    def merged(cls, segments: Sequence[Segment]) -> Segment:
        """Return one segment of what is left of several, in their order."""
        units: list[Slot] = []
        parts = []
        for segment in segments:
            kept, terms, slots, weights = segment.left()
            parts.append((terms, slots + len(units), weights))
            units += kept
        terms, slots, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return cls(units, terms, slots, weights)

    def left(self) -> tuple[list[Slot], Terms, Slots, Floats]:
        """Return what is not taken out: slots in their order, and term, slot and weight of each posting."""
        lives = np.fromiter((one is not None for one in self.units), bool, len(self.units))
        moved = (np.cumsum(lives) - 1).astype(np.int32)
        kept = lives[self._slots]
        terms = np.repeat(self._terms, np.diff(self._starts))[kept]
        return [one for one in self.units if one is not None], terms, moved[self._slots[kept]], self._weights[kept]

    def take_out(self, slots: range, terms: Iterable[int]) -> None:
        """Take a document out: its slots, and its terms, which it counts for no more."""
        for slot in slots:
            self.units[slot] = None
        self.living -= len(slots)
        self._gone.update(terms)

    def frequency(self, term: int) -> int:
        """Return in how many documents a term id stands."""
        place = self._place(term)
        return 0 if place is None else int(self._frequency[place]) - self._gone[term]

    def add_scores(self, term: int, weight: float, scores: npt.NDArray[np.float64]) -> None:
        """Add what a term of a question gives to each slot's score."""
        place = self._place(term)
        if place is not None:
            held = slice(self._starts[place], self._starts[place + 1])
            # A term stands once in a slot, so no slot comes twice and a plain indexed addition is right.
            scores[self._slots[held]] += weight * self._weights[held].astype(np.float64)

    def _place(self, term: int) -> int | None:
        at = int(self._terms.searchsorted(np.uint32(term)))
        return at if at < len(self._terms) and int(self._terms[at]) == term else None

    def _count_documents(self, terms: Terms) -> Slots:
        """Count the documents of each term: its slots are in order and a document's lie side by side."""
        if not len(terms):
            return np.zeros(0, np.int32)
        numbers: dict[str, int] = {}
        of_slot = [-1 if held is None else numbers.setdefault(held[0], len(numbers)) for held in self.units]
        documents = np.array(of_slot, np.int32)[self._slots]
        is_first = np.ones(len(terms), np.int32)
        is_first[1:] = (terms[1:] != terms[:-1]) | (documents[1:] != documents[:-1])
        counted: Slots = np.add.reduceat(is_first, self._starts[:-1])
        return counted


def _side_by_side(units: Sequence[Slot]) -> dict[str, range]:
    found: dict[str, range] = {}
    first = 0
    for document, slots in groupby(units, key=lambda held: None if held is None else held[0]):
        count = sum(1 for _ in slots)
        if document is not None:
            found[document] = range(first, first + count)
        first += count
    return found
