"""Two texts under one id: a file copied by a person, a sync tool's conflict copy, an anchor pasted twice.

Both are kept and found. The id stays with the text that stands first: in a file with a day's plain name before any
other, then by path, then by place. Each place with another text gets an id of its own, made from the id, the path, and
how many such places stand above it. Equal texts are copies, and remain one entry. Which file was read first plays no
part, so an index that grew is the one that is made anew.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable

from memoryd.text.canonical import digest

_PLAIN = re.compile(r"(?:.*/)?\d{4}-\d{2}-\d{2}(?:\.[0-9a-f]{12})?\.md")
_SHARED = """
SELECT anchor FROM episodes WHERE anchor IN (SELECT value FROM json_each(?)) AND written < 2
GROUP BY anchor HAVING COUNT(*) > 1 OR MAX(id <> anchor)
"""
_HOLDERS = "SELECT path, position, text, id FROM episodes WHERE anchor = ? AND written < 2"

Spot = tuple[str, int]
"""A file and a position in it."""


def derived_id(anchor: str, path: str, number: int) -> str:
    """Return the id of a text whose own id belongs to another one: ``ep_`` and 20 hex digits."""
    return f"ep_{digest(anchor, path, number, length=20)}"


def settled_ids(connection: sqlite3.Connection, anchors: Collection[str]) -> dict[Spot, tuple[str, str]]:
    """Return (id now, id that it should be) of each entry whose id, as its file has it, stands in several places."""
    found: dict[Spot, tuple[str, str]] = {}
    for (anchor,) in connection.execute(_SHARED, (json.dumps(sorted(anchors)),)).fetchall():
        holders = connection.execute(_HOLDERS, (anchor,)).fetchall()
        holders.sort(key=lambda row: (_PLAIN.fullmatch(row[0]) is None, row[0], row[1]))
        others: Counter[str] = Counter()
        for path, position, text, id_ in holders:
            should_be = anchor
            if text != holders[0][2]:
                should_be = derived_id(anchor, path, others[path])
                others[path] += 1
            found[path, position] = (id_, should_be)
    return found


def renamed(connection: sqlite3.Connection, path: str) -> list[str]:
    """Return, in words, which entries of a file have another id than the file says."""
    rows = connection.execute("SELECT first, anchor, id FROM episodes WHERE path = ? AND id <> anchor", (path,))
    return [
        f"line {first}: the id {anchor} belongs to another text; both are kept, and this one is {id_}"
        for first, anchor, id_ in rows
    ]


def texts_under(connection: sqlite3.Connection, path: str, ids: Iterable[str]) -> set[tuple[str, str]]:
    """Return (id as the file has it, text) of the entries of a file that have one of these ids instead."""
    return set(
        connection.execute(
            "SELECT anchor, text FROM episodes WHERE path = ? AND id <> anchor "
            "AND id IN (SELECT value FROM json_each(?))",
            (path, json.dumps(list(ids))),
        )
    )
