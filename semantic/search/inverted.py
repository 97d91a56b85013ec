"""Which pieces hold the words of a question, and how well: an inverted index that changes one document at a time.

A question costs only the postings of its own terms. ``rank_bm25`` was measured beside it: it looks at every document
for every term (115 ms at the median and 600 ms at worst on 3,176 Chinese notes, against 6 and 15 here), counts the
whole corpus anew for one changed note, knows no fields, and gives a term of half the documents no weight, which is
every term of a vault of two notes.

What comes is a segment of its own; segments of like size are merged, so that there are few. Making and merging them
touches nothing that a question reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np

from semantic.search.postings import Segment, Slot
from semantic.weighing import Weighed

_LIKE = 2
"""A segment that is not this many times as large as all after it together is merged with them."""

_FEW = 256
"""So many slots may be dead before a segment is made anew for them alone."""


class InvertedIndex:
    """Postings by term, of documents that come and go. Not safe for several threads.

    Whoever fills it makes the segments beforehand (``Segment.of``, ``Segment.merged``): ``put`` and ``replace`` are
    short, and may stand under a lock that questions wait for.
    """

    def __init__(self) -> None:
        self._weighed: dict[str, Weighed] = {}
        self._segments: list[Segment] = []
        self._places: dict[str, tuple[Segment, range]] = {}

    def __len__(self) -> int:
        return len(self._weighed)

    def frequency(self, term: int) -> int:
        """Return in how many documents a term id stands."""
        return sum(segment.frequency(term) for segment in self._segments)

    def put(self, documents: Sequence[Weighed], segment: Segment) -> None:
        """Add documents, or replace them; ``segment`` is made of these very documents."""
        for weighed in documents:
            self.drop(weighed.document)
            self._weighed[weighed.document] = weighed
        self._places.update(segment.places)
        self._segments.append(segment)

    def drop(self, document: str) -> None:
        """Take a document out; one that is not there is no error."""
        weighed = self._weighed.pop(document, None)
        place = self._places.pop(document, None)
        if weighed is not None and place is not None:
            segment, slots = place
            segment.take_out(slots, weighed.terms())

    def weighed(self, document: str) -> Weighed | None:
        """Return a document's weights as they were put."""
        return self._weighed.get(document)

    def crowd(self) -> list[Segment]:
        """Return neighbouring segments that are better one, or one that is half dead; nothing if all is well."""
        size = 0
        first = len(self._segments)
        for index in reversed(range(len(self._segments))):
            if index < len(self._segments) - 1 and self._segments[index].living >= _LIKE * size:
                break
            size += self._segments[index].living
            first = index
        if len(self._segments) - first > 1:
            return self._segments[first:]
        return next(([one] for one in self._segments if len(one.units) - one.living > max(_FEW, one.living)), [])

    def replace(self, crowd: Sequence[Segment], merged: Segment) -> None:
        """Put one segment in the place of those that it was made of; nothing may have changed in between."""
        at = self._segments.index(crowd[0])
        self._segments[at : at + len(crowd)] = [merged] if merged.living else []
        self._places.update(merged.places)

    def ranking(self, query: Mapping[int, float]) -> Iterator[tuple[str, str, float]]:
        """Yield (document, unit, score) of every unit that holds a term of the query, best first.

        ``query`` maps a term id to its weight, as ``memoryd.text.bm25.query_weights`` gives it. Equal scores come in
        the order of ids, so that an index that grew and one that was built anew answer alike.
        """
        units: list[Slot] = []
        for segment in self._segments:
            units += segment.units
        scores = np.zeros(len(units), dtype=np.float64)
        first = 0
        for segment in self._segments:
            own = scores[first : first + len(segment.units)]
            first += len(segment.units)
            for term, weight in sorted(query.items()):
                segment.add_scores(term, weight, own)
        found = np.flatnonzero(scores)
        best = found[np.argsort(-scores[found], kind="stable")].tolist()
        for score, slots in groupby(best, key=lambda slot: float(scores[slot])):
            for document, unit in sorted(held for slot in slots if (held := units[slot]) is not None):
                yield document, unit, score
