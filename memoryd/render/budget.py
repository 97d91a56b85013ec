"""Fitting text into a limit without hiding what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import regex

from memoryd.render.meter import cut_to_units, utf16_units
from memoryd.text.hit import Hit
from memoryd.text.sentences import split_sentences

ELLIPSIS = "\u2026"
_LEAST_TEXT_UNITS = 24
"""Less of a text than this tells nobody anything; the hit is dropped instead."""

_BEYOND_UNITS = 256
_MOST_SKIPPED = 100
"""So many lines one after the other that do not fit end a part: the room left is smaller than its lines are."""
_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Part:
    """A titled list of lines, the most important first. A line may itself hold line ends."""

    name: str
    title: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of the parts fits, and for each part that was shortened the number of lines left out."""

    parts: tuple[Part, ...]
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Hits inside a budget: ``cut`` had its text shortened, ``dropped`` did not fit."""

    hits: tuple[Hit, ...]
    cut: str | None = None
    dropped: tuple[str, ...] = ()


def cut_text(text: str, units: int) -> str:
    """Return the text in at most ``units`` UTF-16 units: whole sentences, then an ellipsis.

    Where not even one sentence fits it is cut between two words, and where there are none, between two graphemes.
    Returns an empty string where nothing but the ellipsis would fit.
    """
    if utf16_units(text) <= units:
        return text
    room = units - utf16_units(ELLIPSIS)
    kept = ""
    # The last sentence of the opening may go on behind it, and does not fit anyway.
    for sentence in split_sentences(cut_to_units(text, units + _BEYOND_UNITS))[:-1]:
        if utf16_units((kept + sentence).rstrip()) > room:
            break
        kept += sentence
    kept = kept.rstrip() or _cut_words(text, room)
    return kept + ELLIPSIS if kept else ""


def trim_hits(hits: Sequence[Hit], max_units: int) -> Trimmed:
    """Keep hits, best first, while the sum of their titles and texts fits; the last may lose the end of its text."""
    kept: list[Hit] = []
    room = max_units
    for index, hit in enumerate(hits):
        size = utf16_units(hit.title) + utf16_units(hit.text)
        if size <= room:
            kept.append(hit)
            room -= size
            continue
        for_text = room - utf16_units(hit.title)
        text = cut_text(hit.text, for_text) if for_text >= _LEAST_TEXT_UNITS else ""
        if text:
            kept.append(replace(hit, text=text))
            return Trimmed(tuple(kept), hit.id, tuple(other.id for other in hits[index + 1 :]))
        return Trimmed(tuple(kept), None, tuple(other.id for other in hits[index:]))
    return Trimmed(tuple(kept))


def fit(parts: Sequence[Part], max_units: int, *, shares: Mapping[str, float] = MappingProxyType({})) -> Fitted:
    """Fill a limit with lines in the order of the parts; a part whose title alone would stand is left out.

    A line that does not fit is skipped and shorter ones behind it are tried, a hundred in a row at the most: one long
    line must not hide a part, and a part may have thousands of lines.

    Args:
        parts: The most important first.
        max_units: The limit, titles and line ends included.
        shares: At most so much of the limit for a part by name, as long as a later part wants the rest: one long part
            must not hide those behind it. What is left goes to the parts in their order.
    """
    taken: dict[str, set[int]] = {part.name: set() for part in parts}
    room = max_units
    for is_shared in (True, False) if shares else (False,):
        for part in parts:
            own = taken[part.name]
            share = int(max_units * shares.get(part.name, 1.0)) if is_shared else room
            title = 0 if own else utf16_units(part.title) + 2
            limit = min(room, share) - title
            used = skipped = 0
            for index, line in enumerate(part.lines):
                if index in own:
                    continue
                size = utf16_units(line) + 1
                if used + size <= limit:
                    own.add(index)
                    used += size
                    skipped = 0
                elif (skipped := skipped + 1) == _MOST_SKIPPED:
                    break
            if used:
                room -= used + title
    return _fitted(parts, taken)


def _fitted(parts: Sequence[Part], taken: Mapping[str, set[int]]) -> Fitted:
    fitted: list[Part] = []
    left_out: dict[str, int] = {}
    for part in parts:
        lines = tuple(part.lines[index] for index in sorted(taken[part.name]))
        if lines:
            fitted.append(replace(part, lines=lines))
        if len(lines) < len(part.lines):
            left_out[part.name] = len(part.lines) - len(lines)
    return Fitted(tuple(fitted), left_out)


def _cut_words(text: str, units: int) -> str:
    start = cut_to_units(text, max(units, 0))
    head, _, _ = start.rpartition(" ")
    if len(head) >= len(start) // 2:
        return head.rstrip()
    end = 0
    for grapheme in _GRAPHEME.finditer(text):
        if grapheme.end() > len(start):
            break
        end = grapheme.end()
    return text[:end].rstrip()
