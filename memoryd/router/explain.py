"""The account of an answer: what was read from the question, who was asked, and what became of their hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from memoryd.router.decide import Route
from memoryd.router.fuse import Merge
from memoryd.router.language import fold
from memoryd.router.lexicon import LEXICONS
from memoryd.router.relevance import Relevance
from memoryd.text.hit import Found, Hit


@dataclass(frozen=True, slots=True)
class Asked:
    """What one store was asked and what its search arms found."""

    store: str
    text: str
    kinds: tuple[str, ...]
    found: Found
    took_ms: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything behind an answer, in the order in which it happened.

    Attributes:
        language: The name of the language the question was read in.
        mode: ``search``, or ``timeline`` where a span of time was read in order.
        asked: Each store that was asked.
        hits: The hits of the answer, with what each arm thought of them.
        weights: What each store's ranks counted.
        merged: Hits that became one.
        moved: Hits placed behind what superseded them.
        over_limit: Hits that the limit left out.
        cut: The hit whose text the budget shortened.
        dropped: Hits that the budget left out.
        notes: What else was done or left undone, in words.
        outdated: Entries that say what a decision replaced.
        repeats: Hits placed behind all others, since a better one says the same.
        relevance: What the hits have to do with the question; ``None`` for a timeline.
    """

    language: str | None
    mode: str
    route: Route
    asked: tuple[Asked, ...] = ()
    hits: tuple[Hit, ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    merged: tuple[Merge, ...] = ()
    moved: tuple[str, ...] = ()
    over_limit: tuple[str, ...] = ()
    cut: str | None = None
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    relevance: Relevance | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the account as plain JSON values."""
        span = self.route.range
        return {
            "language": self.language,
            "mode": self.mode,
            "cues": list(self.route.reasons),
            "range": None
            if span is None
            else {
                "since": span.window.since.isoformat() if span.window.since is not None else None,
                "until": span.window.until.isoformat() if span.window.until is not None else None,
                "words": span.text,
                "remainder": span.remainder,
                "has_content": span.has_content,
            },
            "stores": _stores_json(self.asked),
            "hits": [_hit_json(hit) for hit in self.hits],
            "weights": dict(self.weights),
            "merged": [{"kept": one.kept, "merged": one.merged, "reason": one.reason} for one in self.merged],
            "moved": list(self.moved),
            "outdated": list(self.outdated),
            "repeats": list(self.repeats),
            "relevance": None
            if self.relevance is None
            else {
                "words": self.relevance.words,
                "lead": self.relevance.lead,
                "is_relevant": self.relevance.is_relevant,
            },
            "over_limit": list(self.over_limit),
            "cut": self.cut,
            "dropped": list(self.dropped),
            "notes": list(self.notes),
        }


def language_name(code: str | None) -> str | None:
    """Return the English name of a language's code."""
    return LEXICONS[code].name if code is not None and code in LEXICONS else None


def asks_for_decisions(question: str, code: str | None) -> bool:
    """Tell whether the question's words ask for a decision ("decide", "choose", "agreed")."""
    lexicon = LEXICONS.get(code or "en", LEXICONS["en"])
    return lexicon.decision.search(fold(question)) is not None


def _stores_json(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return what was asked by the store; a store that a compound question was put to twice is there twice."""
    named: dict[str, Any] = {}
    for one in asked:
        times = sum(name.partition(" ")[0] == one.store for name in named)
        named[one.store if not times else f"{one.store} {times + 1}"] = _asked_json(one)
    return named


def _asked_json(asked: Asked) -> dict[str, Any]:
    return {
        "text": asked.text,
        "kinds": list(asked.kinds),
        "hits": len(asked.found.hits),
        "took_ms": asked.took_ms,
        "arms": {name: _arm_json(rows) for name, rows in asked.found.arms.items()},
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    """Return a hit's places: the ranks that were fused, which count inside the span that was searched first."""
    arms = {name: {"rank": arm.rank, "score": arm.score} for name, arm in sorted(hit.arms.items())}
    return {"id": hit.id, "store": hit.store, "score": hit.score, "sources": list(hit.sources), "arms": arms}


def _arm_json(rows: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"id": id_, "rank": rank, "score": score} for rank, (id_, score) in enumerate(rows, start=1)]
