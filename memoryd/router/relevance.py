"""Whether an answer holds an answer: what is best among what is stored may still have nothing to do with the question.

Two marks tell, and neither alone. The *words*: the share of the question's telling words that one of the first hits
holds. The *lead*: by how much the nearest vector is nearer than the hundredth; where nothing is about the question, all
are about equally far. The weights are a logistic fit on questions put to memories of other people and topics, see
``docs/benchmarks.md``. It is said only where it is nearly certain: a right answer in other words is worth more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.router.outdated import LANGUAGES, telling_terms
from memoryd.text.hit import Hit
from memoryd.text.terms import terms

LOOKED_AT = 5
DEPTH = 100
LEAST_ROWS = 50
"""A shorter list of vectors has no background to stand out from. Parts of one entry are one row, so few are whole."""
_WORDS, _LEAD, _LEAST = 7.55, 103.7, 5.6
_FEWEST_WORDS = 0.25
"""Without vectors: a hit that holds a smaller share of the telling words is a coincidence."""

NOTHING = "nothing that is stored seems to answer this: the hits are only the nearest"


@dataclass(frozen=True, slots=True)
class Relevance:
    """What the hits have to do with the question; ``lead`` is ``None`` where no list of vectors is long enough."""

    words: float
    lead: float | None
    is_relevant: bool
    is_named: bool = False

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
    words = 1.0
    if asked:
        held = (asked.intersection(terms(f"{hit.title}\n{hit.text}", LANGUAGES)) for hit in hits[:LOOKED_AT])
        words = max(map(len, held), default=0) / len(asked)
    named = _is_named(hits)
    dense = [list(one["dense"]) for one in arms if one.get("dense")]
    if not dense:
        return Relevance(words, None, bool(hits) and (words >= _FEWEST_WORDS or named), named)
    leads = [rows[0][1] - rows[:DEPTH][-1][1] for rows in dense if len(rows) >= LEAST_ROWS]
    if not leads:
        return Relevance(words, None, bool(hits), named)
    lead = max(leads)
    return Relevance(words, lead, bool(hits) and (_WORDS * words + _LEAD * lead >= _LEAST or named), named)


def _is_named(hits: Sequence[Hit]) -> bool:
    """Tell whether the question names one of the first hits, as written or nearly."""
    return any("names" in hit.arms for hit in hits[:LOOKED_AT])
