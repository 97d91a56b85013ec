"""Spans that an event bounds: "since the release" says when, if the journal tells when the release was.

The words are found by patterns of the language. What they name is looked up among the entries of the journal, and the
local day of the best entry that tells of it bounds the span. "Since" is nearly always said of time; "after", "before"
and their like are said of places and orders too, so behind them only a word for an event counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Literal

from memoryd.router.anchorwords import ANCHOR_WORDS, AnchorWords
from memoryd.router.calendar import Calendar
from memoryd.router.decide import Route
from memoryd.router.lexicon import LEXICONS
from memoryd.router.temporal import READ_CHARACTERS, span_of
from memoryd.text.hit import Hit
from memoryd.text.terms import terms
from memoryd.text.window import Window

MOST_WORDS = 6
"""A longer phrase names no event."""

_NAME = re.compile(r"[^\W\d_]|\d\.\d")

Bound = Literal["since", "until"]
LookUp = Callable[[str], Sequence[Hit]]
"""Returns the journal's entries that tell of something, best first."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event named as the bound of a span: ``phrase`` without article, ``text`` from ``start`` to ``end``."""

    bound: Bound
    phrase: str
    start: int
    end: int


def read_anchor(question: str, language: str) -> Anchor | None:
    """Return the event by which a question bounds a span of time, or ``None``."""
    pattern = _patterns().get(language)
    match = None if pattern is None else pattern.search(question[:READ_CHARACTERS])
    if match is None:
        return None
    bound, what = next(
        (bound, match[group]) for bound, group in _GROUPS if group in match.re.groupindex and match[group] is not None
    )
    if len(what.split()) > MOST_WORDS or _NAME.search(what) is None:
        return None
    return Anchor(bound, what.strip(), match.start(), match.end())


def anchored(route: Route, question: str, now: datetime, look_up: LookUp) -> Route:
    """Return a route with the span that an event bounds, and a reason that says which entry it was taken from.

    A question whose own words give a span keeps it. Where the journal tells of no such event, the reason says so.
    """
    language = route.language or "en"
    anchor = read_anchor(question, language) if route.range is None else None
    if anchor is None:
        return route
    words = question[anchor.start : anchor.end].strip()
    hit = _telling(look_up(anchor.phrase), anchor.phrase, language, now)
    if hit is None or hit.at is None:
        reason = f'"{words}" names an event, and the journal tells of none, so it bounds no span'
        return replace(route, reasons=(*route.reasons, reason))
    calendar = Calendar(now)
    day = calendar.day((hit.at.astimezone(now.tzinfo).date() - calendar.today).days)
    window = Window(day.since, calendar.day(0).until) if anchor.bound == "since" else Window(None, day.since)
    reason = f'"{words}" is counted from {hit.at.astimezone(now.tzinfo):%Y-%m-%d}, the day of "{hit.title}"'
    span = span_of(question, anchor.start, anchor.end, window, language)
    return replace(route, range=span, reasons=(*route.reasons, reason))


def _telling(hits: Sequence[Hit], phrase: str, language: str, now: datetime) -> Hit | None:
    """Return the best entry in which every word of the phrase stands; a near miss must not move a span."""
    languages = tuple(dict.fromkeys((language, "en")))
    idle = LEXICONS[language].function_words
    wanted = [set(terms(word, languages)) for word in phrase.split() if word.lower() not in idle]
    for hit in hits if any(wanted) else ():
        said = set(terms(f"{hit.title}\n{hit.text}", languages))
        if hit.at is not None and hit.at <= now and all(not word or word & said for word in wanted):
            return hit
    return None


_GROUPS: tuple[tuple[Bound, str], ...] = (
    ("since", "since"),
    ("since", "after"),
    ("until", "before"),
)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return MappingProxyType({code: _compiled(words) for code, words in ANCHOR_WORDS.items()})


def _compiled(words: AnchorWords) -> re.Pattern[str]:
    if not words.spaced:
        events = f"(?:{words.events})"
        lead = f"(?:{words.leads})*"
        run = r"[^\s，。、？！,.?!]{0,8}?"
        return re.compile(
            f"{lead}(?:(?P<since>{run}{events})(?:{words.since})"
            f"|(?P<after>{run}{events})(?:{words.after})|(?P<before>{run}{events})(?:{words.before}))"
        )
    gap, article = r"\s+", f"(?:(?:{words.articles})(?:\\s+|(?<=['’])))?"
    word = r"(?:[^\s,;:.?!]|[.:](?=\w))+"  # "2.0" is one word
    stop = rf"(?:{words.stops})(?!\w)"
    end = rf"(?=\s*(?:$|[,;:.?!](?!\w))|\s+{stop})"
    anything = rf"(?!{stop})\w(?:{word})?(?:\s+{word}){{0,{MOST_WORDS - 1}}}?"
    events = rf"(?:(?!{stop}){word}\s+){{0,2}}?(?:{words.events})(?:\s+{word}){{0,4}}?"
    since = anything if words.since_is_time else events
    return re.compile(
        rf"(?<!\w)(?:(?:{words.since}){gap}{article}(?P<since>{since}){end}"
        rf"|(?:{words.after}){gap}{article}(?P<after>{events}){end}"
        rf"|(?:{words.before}){gap}{article}(?P<before>{events}){end})",
        re.IGNORECASE,
    )
