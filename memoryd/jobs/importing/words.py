"""Words of another program as they may stand here: clean, in one line where they name something, comparable."""

from __future__ import annotations

import unicodedata
from typing import Any

from memoryd.capture.turn import clean

ACTOR = "job:import"
"""Who writes what is taken in, as the log and the notes name it."""


def storable(text: str) -> str:
    """Return a text that may be stored: clean, and Unicode where half of a character stood."""
    return clean(mended(text))


def mended(value: Any) -> Any:
    """Return a value as Unicode can hold it, whatever it is made of: JSON can name half of a character."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {mended(key): mended(one) for key, one in value.items()}
    return [mended(one) for one in value] if isinstance(value, list | tuple) else value


def line(text: str) -> str:
    """Return a text that may be stored, in one line."""
    return " ".join(storable(text).split())


def comparable(text: str) -> str:
    """Return a text as it is compared: what stores it may keep other white space and another form of accents."""
    return " ".join(unicodedata.normalize("NFC", text).split())
