"""Which days a question is about: its own words for a span of time, read as a half-open window.

The words are found by templates of the language (``memoryd.router.timewords``), never by a free search of a date
library, which takes "we" for Wednesday and "may" for May. A phrase alone is an atom; words around it make it open
("since …", "before …") or join two to a range. Spans look back: "on Friday" is the latest Friday before today.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal

from memoryd.router.calendar import Calendar
from memoryd.router.language import detect, fold
from memoryd.router.lexicon import LEXICONS
from memoryd.router.readers import ABSOLUTE, Phrase, read
from memoryd.router.timewords import TIME_WORDS
from memoryd.router.timewords.table import Template, TimeWords
from memoryd.text.window import Window

READ_CHARACTERS = 1500
_BEFORE_CHARACTERS = 40
_WORD = re.compile(r"\w+")
_EDGE = " \t\n,;:.?!、，。？！"

Bound = Literal["since", "after", "until", "through", "plain"]


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time read from a question.

    Attributes:
        window: Half-open, with the offsets of the asker's zone; an end may be missing ("before March").
        text: The words it was read from, as they stand in the question.
        remainder: The question without these words.
        has_content: Whether the remainder holds a word to search for ("what did I do" does not).
    """

    window: Window
    text: str
    remainder: str
    has_content: bool


@dataclass(frozen=True, slots=True)
class _Atom:
    start: int
    end: int
    template: Template
    phrase: Phrase
    window: Window


@dataclass(frozen=True, slots=True)
class _Grammar:
    words: TimeWords
    trigger: re.Pattern[str]
    templates: tuple[tuple[Template, re.Pattern[str]], ...]
    before: re.Pattern[str]
    weak_before: re.Pattern[str]
    never: re.Pattern[str]
    never_after: re.Pattern[str]
    after: re.Pattern[str]
    opens: re.Pattern[str]
    join: re.Pattern[str]
    closes: re.Pattern[str]
    whole_day: re.Pattern[str]


def read_span(question: str, now: datetime, language: str | None = None) -> Span | None:
    """Return the span of time that the question names, or ``None``.

    Args:
        question: As written; its first ``READ_CHARACTERS`` are read.
        now: The asker's present, aware; its zone is the calendar's.
        language: ISO 639-1; without it the language is told from the words, and where nothing tells, each
            language's grammar is tried.

    Raises:
        ValueError: ``now`` has no zone.
    """
    if now.tzinfo is None:
        raise ValueError("the present needs a zone")
    opening = question[:READ_CHARACTERS]
    if language is None:
        lexicon = detect(fold(opening))
        language = lexicon.code if lexicon is not None else None
    for code in (language,) if language is not None and language in TIME_WORDS else tuple(TIME_WORDS):
        grammar = _grammar(code)
        if grammar.trigger.search(opening) is None:
            continue
        found = _find(opening, grammar, Calendar(now))
        if found is not None:
            window, start, end = found
            return span_of(question, start, end, window, code)
    return None


def span_of(question: str, start: int, end: int, window: Window, language: str) -> Span:
    """Return a window as the span that the words of a question from ``start`` to ``end`` give."""
    remainder = " ".join(f"{question[:start]} {question[end:]}".split())
    return Span(window, question[start:end], remainder, _has_content(remainder, language))


def _find(question: str, grammar: _Grammar, calendar: Calendar) -> tuple[Window, int, int] | None:
    atoms = _atoms(question, grammar, calendar)
    for index, atom in enumerate(atoms):
        following = atoms[index + 1] if index + 1 < len(atoms) else None
        ranged = _range(question, atom, following, grammar, calendar) if following is not None else None
        if ranged is not None:
            return ranged
        bound, start, end = _surroundings(question, atom, grammar)
        if atom.template.weak and not _made_clear(question, atom, bound, grammar):
            continue
        window = _bounded(atom.window, bound, calendar)
        if window is not None:
            return window, start, _with_whole_day(question, end, grammar)
    return None


def _atoms(question: str, grammar: _Grammar, calendar: Calendar) -> list[_Atom]:
    """Return the phrases that do not overlap: the longest first, of equal ones the first in the table."""
    candidates = sorted(_matches(question, grammar), key=lambda found: found[1].start() - found[1].end())
    atoms: list[_Atom] = []
    taken: list[tuple[int, int]] = []
    for template, match in candidates:
        start, end = match.span()
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        # A phrase that means no day ("this Friday" on a Monday, 31 June) leaves nothing to its parts.
        taken.append((start, end))
        if grammar.never.search(question[max(0, start - _BEFORE_CHARACTERS) : start]):
            continue
        if grammar.never_after.match(question, end):
            continue
        phrase = Phrase(template.reader, match.groupdict())
        window = read(phrase, grammar.words, calendar)
        if window is not None:
            atoms.append(_Atom(start, end, template, phrase, window))
    return sorted(atoms, key=lambda atom: atom.start)


def _matches(question: str, grammar: _Grammar) -> Iterator[tuple[Template, re.Match[str]]]:
    for template, pattern in grammar.templates:
        for match in pattern.finditer(question):
            yield template, match


def _surroundings(question: str, atom: _Atom, grammar: _Grammar) -> tuple[Bound, int, int]:
    """Return what the words beside an atom make of it, and the span of all of them."""
    base = max(0, atom.start - _BEFORE_CHARACTERS)
    before = grammar.before.search(question[base : atom.start])
    bound: Bound = "plain"
    start, end = atom.start, atom.end
    if before is not None:
        bound, start = _kind(before), base + before.start("words")
    after = grammar.after.match(question, atom.end)
    if after is not None:
        if bound == "plain":
            bound = _kind(after)
        end = after.end("words")
    return bound, start, end


def _kind(match: re.Match[str]) -> Bound:
    bounds: tuple[Bound, ...] = ("since", "after", "until", "through")
    return next((bound for bound in bounds if match.group(bound) is not None), "plain")


def _made_clear(question: str, atom: _Atom, bound: Bound, grammar: _Grammar) -> bool:
    if bound != "plain":
        return True
    return grammar.weak_before.search(question[max(0, atom.start - _BEFORE_CHARACTERS) : atom.start]) is not None


def _bounded(window: Window, bound: Bound, calendar: Calendar) -> Window | None:
    """Open a window to one side; what is open to the present ends with today."""
    today_ends = calendar.day(0).until
    if bound == "since":
        return _ordered(window.since, _later(today_ends, window.until))
    if bound == "after":
        return _ordered(window.until, today_ends) or Window(window.until, None)
    if bound == "until":
        return Window(None, window.since)
    if bound == "through":
        return Window(None, window.until)
    return window


def _range(
    question: str, first: _Atom, second: _Atom, grammar: _Grammar, calendar: Calendar
) -> tuple[Window, int, int] | None:
    """Return "from A to B" as one span, or ``None`` if nothing joins the two."""
    if grammar.join.fullmatch(question[first.end : second.start]) is None:
        return None
    base = max(0, first.start - _BEFORE_CHARACTERS)
    opened = grammar.opens.search(question[base : first.start])
    if opened is None and (first.template.weak or second.template.weak):
        return None
    window = _hull(first, second, grammar, calendar)
    if window is None:
        return None
    closed = grammar.closes.match(question, second.end)
    start = base + opened.start("words") if opened is not None else _surroundings(question, first, grammar)[1]
    return window, start, closed.end() if closed is not None else second.end


def _hull(first: _Atom, second: _Atom, grammar: _Grammar, calendar: Calendar) -> Window | None:
    """Return the span from the start of one to the end of the other; an end without a year takes the other's."""
    early, late = first.window, second.window
    dated = first.phrase.slots.get("year"), second.phrase.slots.get("year")
    if (
        late.until is not None
        and dated[0] is None
        and (dated[1] is not None or (early.since or late.until) >= late.until)
    ):
        early = read(first.phrase, grammar.words, Calendar(_in_zone(late.until, calendar))) or early
    if dated[0] is not None and dated[1] is None and early.since is not None:
        for year in (early.since.year, early.since.year + 1):
            moved = read(second.phrase.with_year(year), grammar.words, calendar)
            if moved is not None and moved.until is not None and moved.until > early.since:
                late = moved
                break
    ends = [end for end in (early.since, early.until, late.since, late.until) if end is not None]
    return _ordered(min(ends), max(ends)) if len(ends) == 4 else None


def _in_zone(end: datetime, calendar: Calendar) -> datetime:
    return end.astimezone(calendar.now.tzinfo)


def _with_whole_day(question: str, end: int, grammar: _Grammar) -> int:
    match = grammar.whole_day.match(question, end)
    return match.end() if match is not None else end


def _ordered(since: datetime | None, until: datetime | None) -> Window | None:
    return Window(since, until) if since is None or until is None or since < until else None


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)


def _has_content(remainder: str, code: str) -> bool:
    lexicon = LEXICONS[code]
    if len(remainder) > READ_CHARACTERS:
        return True
    text = fold(remainder)
    if lexicon.hollow_runs is not None:
        text = lexicon.hollow_runs.sub(" ", text)
    return any(word not in lexicon.hollow for word in _WORD.findall(text.strip(_EDGE)))


@cache
def _grammar(code: str) -> _Grammar:
    words = TIME_WORDS[code]
    gap = r"\s+" if words.spaced else r"\s*"
    plain = words.before_plain or "(?!)"

    def bounds(side: str) -> str:
        table = ((bound, getattr(words, f"{side}_{bound}")) for bound in ("since", "after", "until", "through"))
        return "|".join(f"(?P<{bound}>{text or '(?!)'})" for bound, text in table)

    edge, edge_after = (r"(?<!\w)", r"(?!\w)") if words.spaced else ("", "")
    any_before = f"(?:{bounds('before')}|{plain})"
    after = f"(?:{bounds('after')}|{words.after_plain or '(?!)'})"
    return _Grammar(
        words=words,
        trigger=words.trigger(),
        templates=tuple((template, words.compiled(template)) for template in (*words.templates, *ABSOLUTE)),
        before=_spaced(rf"{edge}(?P<words>{any_before}(?:{gap}(?:{plain}))?){_gap_end(words)}"),
        weak_before=_spaced(rf"{edge}(?:{words.before_weak or '(?!)'}){_gap_end(words)}"),
        never=_spaced(rf"{edge}(?:{words.never_before or '(?!)'}){_gap_end(words)}"),
        never_after=_spaced(rf"{gap}(?:{words.never_after or '(?!)'}){edge_after}"),
        after=_spaced(rf"\s*(?P<words>{after}){edge_after}"),
        opens=_spaced(rf"{edge}(?P<words>{words.opens or '(?!)'}){_gap_end(words)}"),
        join=_spaced(rf"\s*,?\s*(?:{words.joins or '(?!)'})\s*(?:(?:{plain})\s*)?"),
        closes=_spaced(rf"\s*(?:{words.closes or '(?!)'})"),
        whole_day=_spaced(rf"\s*,?\s*(?:{words.whole_day or '(?!)'}){edge_after}"),
    )


def _gap_end(words: TimeWords) -> str:
    return r"(?:\s+|(?<=['’]))$" if words.spaced else r"\s*$"


def _spaced(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)
