"""Entries that state what a later decision replaced: an old line "we use X" is history once the graph says "we use Y".

An entry that a superseded decision cites is known to be outdated without reading it. Others are recognised by what they
say, in one sentence from before: the name of the thing that was decided on, and the value that its successor does not
have any more; or, where another thing took the place ("Valkey replaces Redis"), the name of the thing that was left and
what it was. A value alone says nothing: one thing left it, and others may stay with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

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
ENTRIES = frozenset({"episode", "section"})

_State = tuple[list[list[frozenset[str]]], list[frozenset[str]]]
"""Names, each as its words with their stems, and what was said of what is called so."""

Outdates = Callable[[Hit], str | None]
"""Returns the id of the decision that replaced what an entry says; ``None`` for one that says nothing of it."""


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
    tests = [test for old, new in pairs if (test := outdates(old, new)) is not None]
    if not tests:
        return {name: list(hits) for name, hits in found.items()}, []

    def newer(hit: Hit) -> str | None:
        return next((by for test in tests if (by := test(hit)) is not None), None) if hit.kind in ENTRIES else None

    return marked(found, newer)


def marked(found: Mapping[str, Sequence[Hit]], newer: Outdates) -> tuple[dict[str, list[Hit]], list[str]]:
    """Mark entries by what is known of them; return all hits, and the ids that were marked."""
    named: list[str] = []

    def judged(hit: Hit) -> Hit:
        if hit.superseded_by is not None or (by := newer(hit)) is None:
            return hit
        named.append(hit.id)
        return replace(hit, superseded_by=by)

    return {name: [judged(hit) for hit in hits] for name, hits in found.items()}, named


def outdates(old: Hit, new: Hit) -> Outdates | None:
    """Return what tells whether an entry says what ``new`` replaced; ``None`` where no word tells the two apart."""
    names = [words for name in {*old.names, *new.names} if (words := _words(name))]
    named = {form for words in names for word in words for form in word}
    # A reason often names what was left, so it only tells what stays where no value does.
    kept = telling_terms("\n".join(new.values or (new.title, new.text))) | named
    values = [gone for said in (old.title, *old.values) if (gone := telling_terms(said) - kept)]
    before = telling_terms("\n".join((old.title, old.text, *old.values))) | named
    fresh = telling_terms("\n".join((new.title, *new.values))) - before
    states = [(names, values), *_roles(old, new)]
    if not any(of and says for of, says in states):
        return None
    takers = frozenset(form for name in set(new.names) - set(old.names) for word in _words(name) for form in word)
    leaving = frozenset(form for of, _ in states[1:] for words in of for word in words for form in word)

    def says_it(sentence: str) -> bool:
        said = _said(sentence)
        gone = [
            value
            for of, says in states
            if any(all(word & said for word in words) for words in of)
            for value in says
            if len(value & said) >= _SAYS_IT * len(value)
        ]
        # Who names the new as well as the old, or says that the old was left, tells of the change.
        tells_of_it = (fresh | takers) & said or _NO_MORE.search(sentence) or _left(sentence) & leaving.union(*gone)
        return bool(gone) and not tells_of_it

    def newer(entry: Hit) -> str | None:
        if entry.at is None or new.at is None or entry.at >= new.at:
            return None
        return new.id if any(map(says_it, _sentences(f"{entry.title}\n{entry.text}"))) else None

    return newer


def _roles(old: Hit, new: Hit) -> list[_State]:
    """Return what was left for another thing, if ``new`` says so ("Valkey replaces Redis"), and what it was until then.

    The value may be the same as before, word for word: it is another thing's now.
    """
    left = _left("\n".join((new.title, new.text, *new.values)))
    leaving = [words for name in old.names if (words := _words(name)) and words[0] & left]
    if not leaving or not set(new.names) - set(old.names):
        return []
    own = {form for name in old.names for word in _words(name) for form in word}
    return [(leaving, [role for said in (old.title, *old.values) if (role := telling_terms(said) - own)])]


def _left(text: str) -> frozenset[str]:
    """Return the terms of what a text says was left, or not taken."""
    return frozenset(form for found in _LEFT.finditer(text) for form in terms(found[1], LANGUAGES))


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(filter(None, _SENTENCE_END.split(text)))


@lru_cache(maxsize=1024)
def _said(sentence: str) -> frozenset[str]:
    """Return the terms of a sentence; one entry is tried against all that was replaced of what it names."""
    return frozenset(terms(sentence, LANGUAGES))


def _words(name: str) -> list[frozenset[str]]:
    """Return the words of a name, each with its stems."""
    return [forms for word in re.findall(r"\w+", name) if (forms := frozenset(terms(word, LANGUAGES)))]
