"""An answer with little room is not spent on saying one thing three times."""

from __future__ import annotations

from collections.abc import Sequence

from memoryd.router.outdated import telling_terms
from memoryd.text.hit import Hit

ALIKE = 0.75
"""From this share of common words on, of all words that either has, one text repeats another."""
LEAST_TERMS = 5
"""Shorter texts are alike by chance."""


def spread(hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
    """Return the hits with those that repeat a better one behind all others, and the ids of these.

    What was superseded keeps its place behind what superseded it, and so does that.
    """
    first: list[Hit] = []
    behind: list[Hit] = []
    said: list[frozenset[str]] = []
    successors = {hit.superseded_by for hit in hits}
    for hit in hits:
        words = telling_terms(f"{hit.title}\n{hit.text}")
        repeats = len(words) >= LEAST_TERMS and any(_alike(words, other) for other in said)
        if repeats and hit.superseded_by is None and hit.id not in successors:
            behind.append(hit)
        else:
            first.append(hit)
            said.append(words)
    return first + behind, [hit.id for hit in behind]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    # Numbers tell entries apart that are made from one form: versions, counts, amounts.
    if {word for word in one if word[0].isdigit()} != {word for word in other if word[0].isdigit()}:
        return False
    return len(one & other) >= ALIKE * len(one | other)
