"""Canonical JSON and the one hash function of the formats.

Every id and every link of the log chain is a hash of canonical JSON, so this module settles, once, which bytes
a value has. It is RFC 8785 (JSON Canonicalization Scheme) restricted to what all languages agree on: no floats,
integers that a double holds exactly, strings in NFC without lone surrogates, plain lower-case keys.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8785, section 3.2.2.3)."""

MAX_DEPTH = 100
"""Nested deeper than this no value of ours is; the limit keeps hostile input from exhausting the stack."""

_KEY = re.compile(r"[a-z0-9_.-]+")
_OPTIONS = orjson.OPT_SORT_KEYS


class CanonicalError(ValueError):
    """This value has no canonical JSON form."""


def canonical_json(value: Any) -> bytes:
    """Return the canonical UTF-8 bytes of a JSON value.

    Strings are brought to NFC first, so that two spellings of one text have one form.

    Raises:
        CanonicalError: The value holds a float, an integer beyond 2^53 - 1, a lone surrogate, a key outside
            ``[a-z0-9_.-]+``, something that is not JSON, or too deep a nesting. The message names the place.
    """
    return orjson.dumps(_checked(value, "$"), option=_OPTIONS)


def digest(*parts: Any, length: int = 64) -> str:
    """Return ``H(parts)``: the first ``length`` hex digits of sha256 over the canonical array of the parts."""
    return hashlib.sha256(canonical_json(list(parts))).hexdigest()[:length]


def sha256_hex(data: bytes) -> str:
    """Return the lower-case hex sha256 of bytes that are already canonical."""
    return hashlib.sha256(data).hexdigest()


def fold_name(name: str) -> str:
    """Return the form in which names are compared: NFKC, case-folded, white space collapsed. Accents stay."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _checked(value: Any, place: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise CanonicalError(f"{place[:80]}…: nested deeper than {MAX_DEPTH}")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _checked_text(value, place)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise CanonicalError(f"{place}: integers beyond 2^53 - 1 are not exact in JSON; send a string")
        return value
    if isinstance(value, float):
        raise CanonicalError(f"{place}: floats have no canonical form; send an integer or a string")
    if isinstance(value, Mapping):
        return {_checked_key(key, place): _checked(item, f"{place}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_checked(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise CanonicalError(f"{place}: {type(value).__name__} is not a JSON value")


def _checked_key(key: Any, place: str) -> str:
    if not isinstance(key, str) or _KEY.fullmatch(key) is None:
        raise CanonicalError(f"{place}: a key must match [a-z0-9_.-]+")
    return key


def _checked_text(text: str, place: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CanonicalError(f"{place}: the text holds a lone surrogate") from error
    return unicodedata.normalize("NFC", text)
