"""Whether an answer holds an answer: what is best among what is stored may still have nothing to do with the question.

Two marks tell, and neither alone. The *words*: the share of the question's telling words that one of the first hits
holds. The *lead*: by how much the nearest vector is nearer than the mean of the hundred nearest; where nothing is about
the question, all are about equally far. In a small memory an answer that shares next to no word counts as one if the
nearest stands out. The numbers come from questions put to memories of other people and topics, of twelve entries and of
hundreds, see ``docs/benchmarks.md``. It is said only where it is nearly certain: a right answer in other words is worth
more.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.router.outdated import LANGUAGES, telling_terms
from memoryd.text.background import NOW_AND_THEN, background
from memoryd.text.hit import Hit
from memoryd.text.terms import term_id, terms

LOOKED_AT = 5
DEPTH = 100
LEAST_ROWS = 50
"""So many vectors or more are judged with the words; a shorter list has few that are far."""
FEWEST_ROWS = 8
"""A list that is shorter still has no mean to stand out from: it says nothing against its first."""
_WORDS, _LEAD, _LEAST = 7.55, 130.0, 5.6
_FEWEST_WORDS = 0.25
"""In a small memory and without vectors: a hit that holds a smaller share of the telling words is a coincidence."""
_STANDS_OUT = 0.033
"""In a small memory the nearest vector of an answer has at least such a lead."""

_ON_PURPOSE = frozenset({"element", "decision"})

NOTHING = "nothing that is stored seems to answer this: the hits are only the nearest"


@dataclass(frozen=True, slots=True)
class Relevance:
    """What the hits have to do with the question; ``lead`` is ``None`` where no list of vectors is long enough.

    ``rare`` is the share of the words that say what the question is about: "use" goes with anything.
    """

    words: float
    lead: float | None
    is_relevant: bool
    is_named: bool = False
    rare: float | None = None

    @property
    def held(self) -> float:
        """Return how much of what is asked about one of the hits holds."""
        return self.words if self.rare is None else self.rare

    @property
    def is_doubtful(self) -> bool:
        """Whether another memory had better be asked as well: no words, no name, and no lead that can be judged."""
        return not self.is_relevant or (self.lead is None and self.words < _FEWEST_WORDS and not self.is_named)


def judge(question: str, hits: Sequence[Hit], arms: Sequence[Mapping[str, Sequence[tuple[str, float]]]]) -> Relevance:
    """Judge an answer.

    Args:
        question: As it was searched for.
        hits: Best first.
        arms: What each store's arms found, best first, as in ``memoryd.text.hit.Found``.
    """
    asked = telling_terms(question)
    texts = [_terms(hit) for hit in hits[:LOOKED_AT]]
    words, rare = _share(asked, texts), _share(_subject(asked), texts)
    named = _is_named(hits)
    dense = [list(one["dense"]) for one in arms if one.get("dense")]
    if not dense:
        return Relevance(words, None, bool(hits) and (words >= _FEWEST_WORDS or named), named, rare)
    long = [_lead(rows) for rows in dense if len(rows) >= LEAST_ROWS]
    short = [_lead(rows) for rows in dense if FEWEST_ROWS <= len(rows) < LEAST_ROWS]
    is_clear = named or any(lead >= _STANDS_OUT for lead in short)
    if long:
        lead = max(long)
        return Relevance(words, lead, bool(hits) and (is_clear or _WORDS * words + _LEAD * lead >= _LEAST), named, rare)
    is_relevant = is_clear or not short or words >= _FEWEST_WORDS
    return Relevance(words, None, bool(hits) and is_relevant, named, rare)


def is_recorded(question: str, hits: Sequence[Hit]) -> bool:
    """Tell whether one of the first hits was recorded on purpose, still holds, and is on the question's matter.

    A gist is a few words. It holds no more of a question's words than a journal of years, where all words stand
    somewhere, and is worth more.
    """
    about = _subject(telling_terms(question))
    return any(
        hit.kind in _ON_PURPOSE and hit.superseded_by is None and 2 * len(about & _terms(hit)) >= len(about)
        for hit in hits[:LOOKED_AT]
        if not hit.is_bookkeeping
    )


def _subject(asked: frozenset[str]) -> frozenset[str]:
    """Return the words that say what a question is about: "use" goes with anything."""
    shares = background(asked, LANGUAGES)
    return frozenset(word for word in asked if shares.get(term_id(word), 0.0) < NOW_AND_THEN) or asked


def _terms(hit: Hit) -> frozenset[str]:
    return frozenset(terms(f"{hit.title}\n{hit.text}", LANGUAGES))


def _share(asked: frozenset[str], texts: Sequence[frozenset[str]]) -> float:
    """Return the largest share of the asked words that one text holds."""
    return max((len(asked & text) for text in texts), default=0) / len(asked) if asked else 1.0


def _lead(rows: Sequence[tuple[str, float]]) -> float:
    scores = [score for _, score in rows[:DEPTH]]
    return scores[0] - statistics.fmean(scores)


def _is_named(hits: Sequence[Hit]) -> bool:
    """Tell whether the question names one of the first hits, as written or nearly."""
    return any("names" in hit.arms for hit in hits[:LOOKED_AT])
