"""What each word of a document weighs: BM25 over fields, one piece at a time.

A weight depends on its own document alone, so nothing is recounted when another note changes. The formula is the one
of both memories (``memoryd.text.bm25``); its constants are those that fit notes, which are longer and more even than
turns (measured: the differences are small, and no stored format depends on them).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoryd.text.bm25 import document_weights
from memoryd.text.terms import term_id, terms
from semantic.fields import Document, Unit

K1 = 1.2
B = 0.6
AVERAGE_LENGTH = 100.0
ANCHOR_LENGTH = 40.0
"""What a line with a link has, in terms, where a piece of a note has ``AVERAGE_LENGTH``."""

NAME_WEIGHT = 1.5
GIST_WEIGHT = 1.5
HEADING_WEIGHT = 1.0
TAG_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Weighed:
    """A document's units, each with its term ids and their BM25 weights side by side: eight bytes a term."""

    document: str
    units: tuple[tuple[str, array[int], array[float]], ...]

    def terms(self) -> set[int]:
        """Return the ids of all terms of the document."""
        return set().union(*(ids for _, ids, _ in self.units))


def weigh(document: Document, languages: Sequence[str]) -> Weighed:
    """Return the weights of a document's units: each piece is found by its own text and by the document's head."""
    head: defaultdict[int, float] = defaultdict(float)
    _add(head, document.names, NAME_WEIGHT, languages)
    _add(head, [document.gist], GIST_WEIGHT, languages)
    _add(head, [" ".join(document.tags)], TAG_WEIGHT, languages)
    units = []
    for unit in document.units:
        weights = _unit_weights(unit, head, languages)
        units.append((unit.id, array("I", weights), array("f", weights.values())))
    return Weighed(document.id, tuple(units))


def weigh_anchors(document: Document, languages: Sequence[str]) -> Weighed:
    """Return the weights of the lines by which a document links to others; units are their places, from 0."""
    units = []
    for place, anchor in enumerate(document.anchors):
        weights = document_weights(terms(anchor.text, languages), {}, k1=K1, b=B, avgdl=ANCHOR_LENGTH)
        units.append((str(place), array("I", weights), array("f", weights.values())))
    return Weighed(document.id, tuple(units))


def _unit_weights(unit: Unit, head: Mapping[int, float], languages: Sequence[str]) -> dict[int, float]:
    fields = defaultdict(float, head)
    _add(fields, [unit.heading], HEADING_WEIGHT, languages)
    return document_weights(terms(unit.body, languages), fields, k1=K1, b=B, avgdl=AVERAGE_LENGTH)


def _add(fields: defaultdict[int, float], texts: Iterable[str], weight: float, languages: Sequence[str]) -> None:
    """Add a field's weight to each of its terms, once a term: a name that says a word twice is no better name."""
    for id_ in dict.fromkeys(term_id(term) for text in texts for term in terms(text, languages)):
        fields[id_] += weight
