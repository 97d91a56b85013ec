"""Stretches inside a line or paragraph that are not prose: inline code, comments, math."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_MARK = re.compile(r"\\[\\`$%<]|(?P<ticks>`+)|(?P<html><!--)|(?P<percent>%%)|(?P<display>\$\$)|(?P<dollar>\$)")
# An inline span cannot leave its block: a blank line, a heading, a list item, a quote's or a table's next row ends it.
_BLOCK_END = re.compile(r"\n(?=[ \t\r]*(?:\n|\Z|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|\|))")
_TICKS = re.compile(r"`+")
_CLOSING_DOLLAR = re.compile(r"(?<![\s\\])\$(?![\d$])")


def inline_spans(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield ``(start, end, kind)`` of inline code, comments and math from ``start`` on, in order.

    ``kind`` is ``code``, ``comment`` or ``math``. Whichever begins first wins; fenced code must be blanked before.
    A comment that starts a line and is never closed runs to the end, as it does in HTML; elsewhere it is text.
    """
    region_ends = [end.start() for end in _BLOCK_END.finditer(text)]
    region_ends.append(len(text))
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    dollars: list[int] | None = None
    position = start
    without = dict.fromkeys(("html", "percent", "display"), False)
    while match := _MARK.search(text, position):
        begin, position = match.start(), match.end()
        kind = match.lastgroup
        if kind is None:
            continue
        if kind in {"html", "percent", "display"}:
            closing = {"html": "-->", "percent": "%%", "display": "$$"}[kind]
            end = -1 if without[kind] else text.find(closing, position)
            if end >= 0:
                position = end + len(closing)
                yield begin, position, "math" if kind == "display" else "comment"
            else:
                without[kind] = True
                if kind == "html" and not text[text.rfind("\n", 0, begin) + 1 : begin].strip(" \t"):
                    yield begin, len(text), "comment"
                    return
            continue
        limit = region_ends[bisect_right(region_ends, begin - 1)]
        if kind == "ticks":
            places = runs.get(position - begin, [])
            following = bisect_right(places, begin)
            if following < len(places) and places[following] < limit:
                end = places[following] + (position - begin)
                yield begin, end, "code"
                position = end
        elif position < len(text) and not text[position].isspace():
            if dollars is None:
                dollars = [mark.start() for mark in _CLOSING_DOLLAR.finditer(text)]
            following = bisect_right(dollars, position)
            if following < len(dollars) and dollars[following] < limit:
                position = dollars[following] + 1
                yield begin, position, "math"
