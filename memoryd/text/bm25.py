"""BM25 split in two halves whose inner product is the score.

The document half depends on the document alone, so it can be stored as a sparse vector and never needs rewriting
when others come or go; the query half carries the inverse document frequency. k1, b and the average length are
constants of the format: a stored vector stays right for ever. Formula: Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond" (2009), with the idf that stays positive (``ln(1 + (N - n + 0.5) / (n + 0.5))``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from memoryd.text.terms import term_id

K1 = 0.9
"""How soon a repeated term stops counting."""

B = 0.75
"""How much a long document is held against its terms, 0 to 1."""

AVGDL = 100.0
"""The length, in terms, that counts as average: between a single turn (about 30) and a full piece (about 250)."""


NO_FIELDS: Mapping[int, float] = MappingProxyType({})


def document_weights(
    terms: Sequence[str],
    fields: Mapping[int, float] = NO_FIELDS,
    *,
    k1: float = K1,
    b: float = B,
    avgdl: float = AVGDL,
) -> dict[int, float]:
    """Return the stored half: term id to ``tf (k1 + 1) / (tf + k1 (1 - b + b length / avgdl))``, all above 0.

    ``fields`` are weighted frequencies, by term id, of what stands beside the running text and is not held against its
    length: names, headings, tags. They are added before the whole saturates (BM25F; Robertson, Zaragoza, Taylor:
    "Simple BM25 extension to multiple weighted fields", 2004).
    """
    length = 1 - b + b * len(terms) / avgdl
    norm = k1 * length
    counts: dict[int, float] = Counter(map(term_id, terms))  # type: ignore[assignment]  # its counts become fractions
    for id_, frequency in fields.items():
        counts[id_] = counts.get(id_, 0) + frequency * length
    return {id_: count * (k1 + 1) / (count + norm) for id_, count in counts.items()}


def query_weights(terms: Iterable[str], document_frequency: Mapping[int, int], documents: int) -> dict[int, float]:
    """Return the query half: term id to idf, for the terms that some document holds. Empty when none does.

    ``document_frequency`` says in how many of ``documents`` a term id stands. A term that is asked twice counts once.
    """
    weights: dict[int, float] = {}
    for id_ in map(term_id, terms):
        holders = document_frequency.get(id_, 0)
        if holders > 0:
            weights[id_] = inverse_frequency(holders, documents)
    return weights


def inverse_frequency(holders: float, documents: float) -> float:
    """Return the idf of a term that so many documents hold; above 0."""
    # A frequency counted a moment after the total may exceed it; the logarithm must stay above 0.
    total = max(documents, holders)
    return math.log(1 + (total - holders + 0.5) / (holders + 0.5))
