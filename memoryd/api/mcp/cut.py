"""Making stored things fit for an agent: within a length, with a sentence on what was left out, and harmless."""

from __future__ import annotations

import re
from typing import Any

from memoryd.render.budget import cut_text
from memoryd.render.meter import json_units
from memoryd.text.fence import defuse

HIDDEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Marks that turn the order of text around, and characters that only a machine sees."""
_LEAST = 200
_SHARE = 2
"""One text may take a half of the room, so that a long first hit leaves some for the others."""


def tame(value: Any) -> Any:
    """Return a value with every text in it defused: no look-alike of an agent's tags, nothing that hides."""
    if isinstance(value, str):
        return defuse(HIDDEN.sub("", value))
    if isinstance(value, list):
        return [tame(one) for one in value]
    if isinstance(value, dict):
        return {key: tame(one) for key, one in value.items()}
    return value


def without_empty(value: dict[str, Any]) -> dict[str, Any]:
    """Return the members that say something."""
    return {key: one for key, one in value.items() if one is not None and one not in ([], {})}


def cut_items(items: list[dict[str, Any]], max_chars: int, *, noun: str) -> tuple[list[dict[str, Any]], str | None]:
    """Return the items that fit, in order, long texts shortened, and a sentence on what was left out.

    Args:
        items: As JSON has them; the member ``text``, or ``why`` or ``gist``, may be shortened.
        max_chars: UTF-16 units of all items as JSON.
        noun: What an item is called, in the plural.
    """
    kept: list[dict[str, Any]] = []
    room, shortened = max_chars, 0
    for item in items:
        size = json_units(item)
        fitted, was_shortened = item, False
        if size > room or size > max(max_chars // _SHARE, _LEAST):
            fitted, was_shortened = _shorten(item, min(room, max(max_chars // _SHARE, _LEAST)))
            size = json_units(fitted)
        if size > room:
            break
        kept.append(fitted)
        shortened += was_shortened
        room -= size
    said = []
    if shortened:
        said.append(f"{shortened} long texts were shortened; read gives each whole by its id.")
    if left := len(items) - len(kept):
        said.append(f"{left} more {noun} were left out; ask more narrowly, or with a larger max_chars.")
    return kept, " ".join(said) or None


def cut_item(item: dict[str, Any], max_chars: int) -> tuple[dict[str, Any], str | None]:
    """Return one item within a length, and a sentence on what was left out."""
    if json_units(item) <= max_chars:
        return item, None
    fitted, _ = _shorten(item, max_chars)
    names = [key for key in item if fitted.get(key) != item[key]]
    return fitted, f"{' and '.join(names)} was shortened to fit; ask again with a larger max_chars for the whole."


def _shorten(item: dict[str, Any], room: int) -> tuple[dict[str, Any], bool]:
    """Return the item with its longest texts cut, and its longest lists shortened, until it fits."""
    fitted = dict(item)
    for _ in range(len(item)):
        over = json_units(fitted) - room
        if over <= 0:
            break
        longest = max(fitted, key=lambda key: json_units(fitted[key]))
        value = fitted[longest]
        keep = max(json_units(value) - over - 2, 0)
        if isinstance(value, str) and json_units(value) > _LEAST:
            fitted[longest] = _cut_to_json(value, max(keep, 0))
        elif isinstance(value, list):
            while value and json_units(value) > keep:
                value = value[: len(value) * 3 // 4 if len(value) > 3 else len(value) - 1]
            fitted[longest] = value
        else:
            break
    return fitted, fitted != item


def _cut_to_json(text: str, units: int) -> str:
    """Return the text cut so that it takes so many units as JSON, where a line end takes two."""
    room = units
    while room > 0:
        cut = cut_text(text, room)
        if (over := json_units(cut) - units) <= 0:
            return cut
        room -= max(over, 8)
    return ""
