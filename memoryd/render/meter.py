"""How long a text is: in UTF-16 code units, as the agents' own limits are counted."""

from __future__ import annotations

import json
from typing import Any

_BEYOND_BMP = 0xFFFF


def utf16_units(text: str) -> int:
    """Return the number of UTF-16 code units: two for a character beyond the basic plane, one for any other."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def json_units(value: Any) -> int:
    """Return how long a value is as JSON, as an answer carries it."""
    return utf16_units(json.dumps(value, ensure_ascii=False))


def cut_to_units(text: str, units: int) -> str:
    """Return the longest start of the text that has at most so many units; never half a character."""
    if utf16_units(text) <= units:
        return text
    used = 0
    for index, character in enumerate(text):
        used += 2 if ord(character) > _BEYOND_BMP else 1
        if used > units:
            return text[:index]
    return text
