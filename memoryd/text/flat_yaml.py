"""The plain kind of front matter, read without a YAML parser: keys with scalars, and flat lists.

Nearly every block that a person or an editor writes is of this kind, and a parser takes most of the time in which a
vault is read for the first time. Only what has one meaning in YAML 1.2 is read here. Everything else (nesting,
escapes, block scalars, comments behind values, duplicate keys, tabs) is left to the parser, which also says what is
wrong with it.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

MOST_ITEMS = 1_000
"""A longer list is left to the parser, which has the limits."""

_FOREIGN = re.compile(r"[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Line ends of other kinds, tabs, controls and byte order marks: what they do is the parser's affair."""

_NOTHING = re.compile(r" *(?:#.*)?")
_PAIR = re.compile(r"([^\W\d_](?:[\w -]{0,100}\w)?): *(?:(?<= )(\S.*?))? *")
_ITEM = re.compile(r"( *)-(?: +(\S.*?))? *")
_WORDS = re.compile(
    r"(?:[A-Za-z/($]|[^\x00-\xa0]).*|[0-9](?=.*[^-+0-9A-Fa-fox_.:TtZz ]).*|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}"
)
"""Text: it starts with a sign that means nothing to YAML, or like a number and holds one that no number has."""

_NO_WORDS = re.compile(r":(?:\s|$)|\s#")
"""Inside a plain scalar: a key of its own, or a comment."""

_FLOW_WORDS = re.compile(r"[^\W\d_](?:[\w /.+-]*\w)?")
_FLOW_ITEM = re.compile(r" *(\"[^\"\\]*\"|'[^']*'|[^\s,\"'\[\]{}][^,\"'\[\]{}]*?) *(?:,|\Z)")
_QUOTED = re.compile(r"\"[^\"\\]*\"|'[^']*'")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z?)?",
)
_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
_FRACTION = re.compile(r"(?:0|[1-9][0-9]{0,8})\.[0-9]{1,6}")
_NAMED = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL"), None),
}


class _NotFlatError(Exception):
    """The block is not of the plain kind."""


def read_flat(raw: str) -> dict[str, Any] | None:
    """Return the values of a block of the plain kind, as JSON has them, or ``None`` for any other block."""
    text = raw.replace("\r\n", "\n")
    if _FOREIGN.search(text) is not None:
        return None
    try:
        return _read(text.split("\n")) or None
    except _NotFlatError:
        return None


def iso_text(written: str) -> str:
    """Return a date or an instant in ISO form; one that is none (the 31st of June) as it was written."""
    for form in (date, datetime):
        try:
            return form.fromisoformat(written).isoformat()
        except ValueError:
            continue
    return written


def _read(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    items: list[Any] | None = None  # of the key above, while it may still get a list
    owner, indent = "", None
    for line in lines:
        if _NOTHING.fullmatch(line):
            continue
        pair = _PAIR.fullmatch(line)
        if pair is not None:
            owner, value = pair[1], pair[2]
            if owner in found or owner in _NAMED:
                raise _NotFlatError
            items, indent = (None, None) if value is not None else ([], None)
            found[owner] = None if value is None else _value(value)
            continue
        item = _ITEM.fullmatch(line)
        if item is None or items is None or len(items) == MOST_ITEMS or indent not in (None, item[1]):
            raise _NotFlatError
        indent = item[1]
        items.append(None if item[2] is None else _scalar(item[2], _WORDS))
        found[owner] = items
    return found


def _value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return _flow(text[1:-1])
    return {} if text == "{}" else _scalar(text, _WORDS)


def _flow(inner: str) -> list[Any]:
    items: list[Any] = []
    at = 0
    inner = inner.strip(" ")
    while at < len(inner):
        match = _FLOW_ITEM.match(inner, at)
        if match is None or len(items) == MOST_ITEMS or (match[0].endswith(",") and match.end() == len(inner)):
            raise _NotFlatError
        items.append(_scalar(match[1], _FLOW_WORDS))
        at = match.end()
    return items


def _scalar(text: str, words: re.Pattern[str]) -> Any:
    if text in _NAMED:
        return _NAMED[text]
    if words.fullmatch(text) is not None and _NO_WORDS.search(text) is None:
        return text
    if _QUOTED.fullmatch(text):
        return text[1:-1]
    if _INSTANT.fullmatch(text):
        return iso_text(text)
    if _WHOLE.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text):
        return float(text)
    raise _NotFlatError
