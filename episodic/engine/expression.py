"""Filters in Milvus's words, and the strings that fit its fields."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from episodic.engine.port import Filter
from memoryd.text.canonical import digest

MAX_BYTES = 256
"""No string field holds more; a longer name is shortened and kept apart by a hash."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def expression(where: Filter) -> str:
    """Return a filter as Milvus reads it; the empty text lets everything through.

    Only ``>= < == in array_contains and`` occur: every generation of Milvus has them. A literal is JSON without
    ASCII escapes, the one quoting that all of them read back as it was.
    """
    parts = []
    if where.since_ms is not None:
        parts.append(f"at >= {where.since_ms:d}")
    if where.until_ms is not None:
        parts.append(f"at < {where.until_ms:d}")
    if where.project is not None and where.also:
        parts.append(f"project in [{','.join(map(_literal, (where.project, *where.also)))}]")
    elif where.project is not None:
        parts.append(f"project == {_literal(where.project)}")
    if where.session is not None:
        parts.append(f"session == {_literal(where.session)}")
    if where.kinds is not None:
        parts.append(f"kind in [{','.join(map(_literal, where.kinds))}]")
    parts.extend(f"array_contains(tags, {_literal(tag)})" for tag in where.tags)
    return " and ".join(parts)


def id_expression(ids: Sequence[str]) -> str:
    """Return the filter that names these ids."""
    return f"id in [{','.join(map(_literal, ids))}]"


def capped(text: str) -> str:
    """Return a string that fits its field and can be asked for.

    Milvus counts bytes, and Lite does not check. Lite also reads an escaped control character in a filter as two
    characters, so a name that holds one is kept under its hash.
    """
    data = _CONTROL.sub(" ", text).encode()
    if len(data) <= MAX_BYTES and _CONTROL.search(text) is None:
        return text
    return data[: MAX_BYTES - 34].decode(errors="ignore") + "~" + digest(text, length=32)


def _literal(text: str) -> str:
    return json.dumps(capped(text), ensure_ascii=False)
