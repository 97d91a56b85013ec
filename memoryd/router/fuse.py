"""One ranked answer out of what the stores found: by ranks, each thing once, nothing outdated in front.

The stores' scores have no common unit, so lists of several stores meet by rank (``memoryd.text.rrf``). A hit of one
store can stand in no list of another, so the highest value it can reach is the first place in its own: its score does
not depend on what the other store found. Where one store alone was asked, its hits keep the scores of its arms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from memoryd.capture.account import is_unanswered
from memoryd.text import rrf
from memoryd.text.hit import Hit
from memoryd.text.terms import terms
from memoryd.text.window import Window

_LED_WITHIN = timedelta(hours=1)
_LED_SHARE = 0.5
_EVENT_KINDS = frozenset({"episode", "section", "decision"})
_ENTRY_KINDS = frozenset({"episode", "section"})


@dataclass(frozen=True, slots=True)
class Merge:
    """Two hits that became one, and why."""

    kept: str
    merged: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fusion:
    """The fused hits, best first, scores not increasing; what was merged; what was moved below its successor."""

    hits: tuple[Hit, ...]
    merges: tuple[Merge, ...] = ()
    moved: tuple[str, ...] = ()


def fuse(
    found: Mapping[str, Sequence[Hit]],
    *,
    weights: Mapping[str, float] | None = None,
    prefer: Window | None = None,
    k: int = rrf.DEFAULT_K,
) -> Fusion:
    """Fuse the lists of several stores.

    Args:
        found: Hits by the name of the store that was asked, best first.
        weights: What a store's ranks count; 1 where a store is not named.
        prefer: Dated hits inside this span stand before dated hits outside; undated ones keep their places.
        k: The constant of the reciprocal rank fusion.
    """
    ranked = _ranked(found, weights or {}, prefer, k)
    merged, merges = _merged(ranked)
    if prefer is not None:
        merged = _preferred(merged, prefer)
    ordered, moved = _superseded_last(merged, _following(found))
    # Neither books nor what was asked and never answered is an answer, whatever words it shares with the question.
    ordered.sort(key=lambda hit: (hit.is_bookkeeping, hit.kind in _EVENT_KINDS and is_unanswered(hit.text)))
    return Fusion(tuple(descending(ordered)), tuple(merges), tuple(moved))


def _following(found: Mapping[str, Sequence[Hit]]) -> frozenset[str]:
    """Return the decisions that a store put right behind what superseded them: no other store comes between."""
    return frozenset(
        hit.id
        for hits in found.values()
        for before, hit in pairwise(hits)
        if hit.kind == "decision" and hit.superseded_by is not None and before.kind == "decision"
        # Of several that one decision superseded, all follow it.
        if hit.superseded_by in {before.id, before.superseded_by}
    )


def in_order(found: Iterable[Sequence[Hit]]) -> Fusion:
    """Join lists as a timeline: each thing once, by instant; all of one score, since none is more in the span."""
    hits = sorted((hit for hits in found for hit in hits), key=lambda hit: (hit.at is None, hit.at, hit.id))
    merged, merges = _merged(_once(hits))
    ordered = sorted(merged, key=lambda hit: (hit.at is None, hit.at, hit.id))
    return Fusion(tuple(replace(hit, score=1.0) for hit in ordered), tuple(merges))


def _ranked(
    found: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], prefer: Window | None, k: int
) -> list[Hit]:
    lists = {name: _once(hits) for name, hits in found.items()}
    if len(lists) <= 1:
        return next(iter(lists.values()), [])
    best: dict[str, Hit] = {}
    for hits in lists.values():
        for hit in hits:
            best[hit.id] = _joined(best[hit.id], hit) if hit.id in best else hit
    rankings = {name: [hit.id for hit in hits] for name, hits in lists.items()}
    counted = {name: weights.get(name, 1.0) for name in rankings}
    fused = rrf.fuse(rankings, k=k, weights=counted)
    # From the share of all lists to the share of one: the heaviest.
    whole = sum(counted.values()) / max(counted.values())
    placed = [(min(place.score * whole, 1.0), best[place.id]) for place in fused]

    def order(pair: tuple[float, Hit]) -> tuple[float, bool, float, float, str]:
        score, hit = pair
        # Of two stores' hits on one place the later word goes first: what holds now, before what was so once.
        later = 0.0 if hit.at is None else -hit.at.timestamp()
        return (-score, not _inside(hit, prefer), later, -hit.score, hit.id)

    return [replace(hit, score=score) for score, hit in sorted(placed, key=order)]


def _once(hits: Sequence[Hit]) -> list[Hit]:
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.id, hit)
    return list(first.values())


def _merged(hits: Sequence[Hit]) -> tuple[list[Hit], list[Merge]]:
    """Make one hit of equal texts, and of an entry and the decision it led to; the better placed one stays.

    A timeline has hundreds of hits, so equal texts are looked up; only entries and decisions meet pair by pair.
    """
    kept: list[Hit] = []
    merges: list[Merge] = []
    words: dict[str, frozenset[str]] = {}
    places: dict[tuple[str, str], int] = {}
    entries: list[int] = []
    decisions: list[int] = []
    for hit in hits:
        text = (_family(hit), _plain(hit.text))
        place = places.get(text) if text[0] and text[1] else None
        reason = None if place is None else "the same text"
        if place is None:
            others = decisions if hit.kind in _ENTRY_KINDS else entries if hit.kind == "decision" else []
            place, reason = next(
                ((index, why) for index in others if (why := _led(kept[index], hit, words)) is not None), (None, None)
            )
        if place is not None and reason is not None:
            merges.append(Merge(kept[place].id, hit.id, reason))
            kept[place] = _joined(kept[place], hit)
            continue
        places.setdefault(text, len(kept))
        if hit.kind == "decision":
            decisions.append(len(kept))
        elif hit.kind in _ENTRY_KINDS:
            entries.append(len(kept))
        kept.append(hit)
    return kept, merges


def _family(hit: Hit) -> str:
    """Return the kinds whose equal texts are one thing; empty where equal texts may be two things."""
    return "entry" if hit.kind in _ENTRY_KINDS else "note" if hit.kind == "note" else ""


def _led(one: Hit, other: Hit, words: dict[str, frozenset[str]]) -> str | None:
    """Return, in words, why an entry and a decision are one thing, if they are."""
    entry, decision = (one, other) if other.kind == "decision" else (other, one)
    # Both would be gone in an entry that led to both; and the books are nobody's answer.
    if decision.superseded_by is not None or entry.superseded_by is not None or decision.is_bookkeeping:
        return None
    if (entry.episode or entry.id) in decision.evidence:
        return "the decision cites this entry"
    if _led_to(entry, decision, words):
        return "an entry of the same session about the decision"
    return None


def _led_to(entry: Hit, decision: Hit, words: dict[str, frozenset[str]]) -> bool:
    """Tell whether an entry is the one in which a decision without evidence was taken.

    One session holds many entries, so the entry has to be near in time and to speak of the decision.
    """
    if decision.evidence or entry.session is None or entry.session != decision.session:
        return False
    if entry.at is None or decision.at is None or abs(entry.at - decision.at) > _LED_WITHIN:
        return False
    title = _words(decision.title, words)
    return bool(title) and len(title & _words(f"{entry.title}\n{entry.text}", words)) >= _LED_SHARE * len(title)


def _words(text: str, known: dict[str, frozenset[str]]) -> frozenset[str]:
    if text not in known:
        known[text] = frozenset(terms(text))
    return known[text]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _joined(kept: Hit, other: Hit) -> Hit:
    """Return the kept hit with all that the other knows beside its text."""
    places = (other.path, *other.sources) if other.id == kept.id else (other.id, other.path, *other.sources)
    sources = dict.fromkeys([*kept.sources, *(place for place in places if place is not None)])
    return replace(
        kept,
        sources=tuple(source for source in sources if source not in {kept.id, kept.path}),
        episode=kept.episode or other.episode or (other.id if other.kind == "episode" else None),
        superseded_by=kept.superseded_by or (other.superseded_by if other.superseded_by != kept.id else None),
        evidence=tuple(dict.fromkeys([*kept.evidence, *other.evidence])),
        elements=tuple(dict.fromkeys([*kept.elements, *other.elements])),
        summary=kept.summary or other.summary,
        arms={**other.arms, **kept.arms},
    )


def _preferred(hits: Sequence[Hit], prefer: Window) -> list[Hit]:
    """Put dated hits inside the span before those outside; what has no date, or is no event, keeps its place."""
    places = [index for index, hit in enumerate(hits) if hit.kind in _EVENT_KINDS]
    events = sorted((hits[index] for index in places), key=lambda hit: not _inside(hit, prefer))
    arranged = list(hits)
    for index, hit in zip(places, events, strict=True):
        arranged[index] = hit
    return arranged


def _inside(hit: Hit, prefer: Window | None) -> bool:
    at: datetime | None = hit.at
    return prefer is not None and at is not None and prefer.holds(at)


def _superseded_last(hits: Sequence[Hit], following: Collection[str] = frozenset()) -> tuple[list[Hit], list[str]]:
    """Place what was superseded directly behind its successor where that is in the answer, through whole chains.

    What stands below its successor keeps its place, but for the decisions in ``following``.
    """
    present = {name for hit in hits for name in (hit.id, *hit.sources)}
    ordered: list[Hit] = []
    moved: list[str] = []
    shown: set[str] = set()
    waiting: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.id in following and hit.superseded_by in present and hit.superseded_by is not None:
            waiting.setdefault(hit.superseded_by, []).append(hit)
    held_back = {hit.id for behind in waiting.values() for hit in behind}

    def show(hit: Hit) -> None:
        pending = [hit]
        while pending:
            current = pending.pop(0)
            ordered.append(current)
            names = (current.id, *current.sources)
            shown.update(names)
            behind = [held for name in names for held in waiting.pop(name, [])]
            # The decision itself before what only said so.
            pending.extend(sorted(behind, key=lambda held: held.kind != "decision"))

    for hit in hits:
        if hit.id in held_back:
            if hit.superseded_by not in shown:
                moved.append(hit.id)
            continue
        newer = hit.superseded_by
        if newer is not None and newer in present and newer not in shown and newer not in (hit.id, *hit.sources):
            waiting.setdefault(newer, []).append(hit)
            moved.append(hit.id)
        else:
            show(hit)
    # Decisions that supersede each other in a ring wait for ever: they keep their order, at the end.
    ordered.extend(hit for held in waiting.values() for hit in held)
    return ordered, moved


def descending(hits: Sequence[Hit]) -> Iterable[Hit]:
    """Lower each score to the one before it, so that a hit that was moved does not look better than its place."""
    ceiling = 1.0
    for hit in hits:
        ceiling = min(ceiling, hit.score)
        yield hit if hit.score == ceiling else replace(hit, score=ceiling)
