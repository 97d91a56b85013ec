"""Entries that state what a later decision replaced: an old line "we use X" is history once the graph says "we use Y".

An entry that a superseded decision cites is known to be outdated without reading it. Others are recognised by what they
say: the words of the superseded decision's title that its successor does not have any more, in an entry from before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from memoryd.text.background import COMMON, background
from memoryd.text.hit import Hit
from memoryd.text.terms import term_id, terms

LANGUAGES = ("en", "de")
_SAYS_IT = 0.5
"""From this share of the replaced words on, an entry says what was replaced."""
_ENTRIES = frozenset({"episode", "section"})


def telling_terms(text: str) -> frozenset[str]:
    """Return the terms of a text that are not common in any text."""
    words = dict.fromkeys(terms(text, LANGUAGES))
    shares = background(words, LANGUAGES)
    return frozenset(word for word in words if shares.get(term_id(word), 0.0) < COMMON)


def cited(hits: Iterable[Hit], superseded: Mapping[str, str]) -> Iterable[Hit]:
    """Mark entries that a superseded decision cites, by episode id."""
    for hit in hits:
        newer = superseded.get(hit.episode) if hit.episode is not None and hit.superseded_by is None else None
        yield hit if newer is None else replace(hit, superseded_by=newer)


def contradicted(found: Mapping[str, Sequence[Hit]]) -> tuple[dict[str, list[Hit]], list[str]]:
    """Mark entries that say what a decision among the hits replaced; return all hits, and the ids that were marked.

    Only pairs of which both were found count: the question must be about their matter.
    """
    by_id = {hit.id: hit for hits in found.values() for hit in hits}
    pairs = [
        (hit, by_id[hit.superseded_by])
        for hit in by_id.values()
        if hit.kind == "decision" and hit.superseded_by is not None and hit.superseded_by in by_id
    ]
    tests = [test for old, new in pairs if (test := _test(old, new)) is not None]
    marked: list[str] = []

    def judged(hit: Hit) -> Hit:
        if hit.kind not in _ENTRIES or hit.superseded_by is not None:
            return hit
        newer = next((newer for test in tests if (newer := test(hit)) is not None), None)
        if newer is None:
            return hit
        marked.append(hit.id)
        return replace(hit, superseded_by=newer)

    if not tests:
        return {name: list(hits) for name, hits in found.items()}, []
    return {name: [judged(hit) for hit in hits] for name, hits in found.items()}, marked


def _test(old: Hit, new: Hit) -> Callable[[Hit], str | None] | None:
    """Return what tells whether an entry says what ``new`` replaced; ``None`` where no word tells the two apart."""
    kept = telling_terms(f"{new.title}\n{new.text}")
    gone = telling_terms(old.title) - kept
    fresh = telling_terms(new.title) - telling_terms(f"{old.title}\n{old.text}")
    if not gone:
        return None

    def newer(entry: Hit) -> str | None:
        if entry.at is None or new.at is None or entry.at >= new.at:
            return None
        said = telling_terms(f"{entry.title}\n{entry.text}")
        # Who names the new as well as the old tells of the change, and is not outdated by it.
        return new.id if len(gone & said) >= _SAYS_IT * len(gone) and not (fresh and fresh <= said) else None

    return newer
