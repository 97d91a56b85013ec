"""Entries that state what a later decision replaced: an old line "we use X" is history once the graph says "we use Y".

An entry that a superseded decision cites is known to be outdated without reading it. Others are recognised by what they
say, in one sentence from before: the name of the thing that was decided on, and the value that its successor does not
have any more. A value alone says nothing: one thing left it, and others may stay with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from memoryd.text.background import COMMON, background
from memoryd.text.hit import Hit
from memoryd.text.terms import term_id, terms

LANGUAGES = ("en", "de")
_SAYS_IT = 0.5
"""From this share of the replaced words on, a sentence says what was replaced."""
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|[。\n]+")
_LEFT = re.compile(
    r"\b(?:from|off|over|instead of|rather than|away from|not|replaced?|replaces|replacing|dropped|left"
    r"|statt|anstatt|anstelle von|von|nicht|kein|keine|ersetzt|ersetzen)\s+(?:the\s+|our\s+|use\s+)?"
    r"([\w.+#-]*\w)",
    re.IGNORECASE,
)
"""What says that the thing after it was left, or not taken."""
_NO_MORE = re.compile(r"\b(?:no longer|any ?more|nicht mehr|nicht länger|used to)\b", re.IGNORECASE)
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
    names = [words for name in {*old.names, *new.names} if (words := _words(name))]
    named = {form for words in names for word in words for form in word}
    kept = telling_terms("\n".join((new.title, new.text, *new.values))) | named
    values = [gone for said in (old.title, *old.values) if (gone := telling_terms(said) - kept)]
    before = telling_terms("\n".join((old.title, old.text, *old.values))) | named
    fresh = telling_terms("\n".join((new.title, *new.values))) - before
    if not values or not names:
        return None

    def says_it(sentence: str) -> bool:
        said = frozenset(terms(sentence, LANGUAGES))
        gone = [one for one in values if len(one & said) >= _SAYS_IT * len(one)]
        if not gone or not any(all(word & said for word in words) for words in names):
            return False
        # Who names the new as well as the old, or says that the old was left, tells of the change.
        left = {form for found in _LEFT.finditer(sentence) for form in terms(found[1], LANGUAGES)}
        return not fresh & said and not _NO_MORE.search(sentence) and left.isdisjoint(frozenset().union(*gone))

    def newer(entry: Hit) -> str | None:
        if entry.at is None or new.at is None or entry.at >= new.at:
            return None
        sentences = (*_SENTENCE_END.split(entry.title), *_SENTENCE_END.split(entry.text))
        return new.id if any(map(says_it, sentences)) else None

    return newer


def _words(name: str) -> list[frozenset[str]]:
    """Return the words of a name, each with its stems."""
    return [forms for word in re.findall(r"\w+", name) if (forms := frozenset(terms(word, LANGUAGES)))]
