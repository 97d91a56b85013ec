"""A block that is too large for one piece, cut where it hurts least: at rows, then sentences, then graphemes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memoryd.text.sentences import cut_graphemes, estimate_tokens, split_sentences

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")


def cut_block(text: str, start: int, end: int, kind: str, limit: float) -> Iterator[tuple[int, int]]:
    """Yield the parts of a block that is too large, each within the limit, without their trailing white space."""
    levels: tuple[str, ...]
    if kind == "list":
        levels = ("items", "lines", "sentences", "graphemes")
    elif kind in {"paragraph", "quote"}:
        levels = ("sentences", "lines", "graphemes")
    else:
        levels = ("lines", "sentences", "graphemes")
    at = start
    for part in _cut(text[start:end], levels, limit):
        if part.strip():
            yield at, at + len(part.rstrip())
        at += len(part)


def _cut(text: str, levels: Sequence[str], limit: float) -> Iterator[str]:
    if estimate_tokens(text.rstrip()) <= limit:
        yield text
        return
    first, rest = levels[0], levels[1:]
    if first == "graphemes":
        yield from cut_graphemes(text, limit)
        return
    parts = {"items": _items, "lines": _lines, "sentences": split_sentences}[first](text)
    for part in parts:
        yield from _cut(part, rest, limit)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _items(text: str) -> list[str]:
    """Split a list at its outermost items."""
    items: list[str] = []
    indent: int | None = None
    for line in _lines(text):
        if _ITEM.match(line):
            depth = len(line) - len(line.lstrip(" \t"))
            indent = depth if indent is None else indent
            if depth <= indent or not items:
                items.append(line)
                continue
        if items:
            items[-1] += line
        else:
            items.append(line)
    return items
