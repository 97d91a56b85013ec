"""Two copies of one file of lines, made one: for a folder that several machines keep in step.

Commutative, associative and idempotent. A line of the log is known by its seq and hash; of a whole and a purged copy
the purged one stays. A line of the attention record is known by its words. Lines that cannot be read are kept as they
are: what is damage in one copy may not be lost for being so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from semantic.errors import BrokenLine
from semantic.log.event import Event, purged_line, read_line
from semantic.log.ids import is_forgettable
from semantic.log.ndjson import split_lines

_Key = tuple[int, str, bytes]
"""(seq, hash, nothing) of a good line; what cannot be read sorts last and is its own key."""


def merge_shards(one: bytes, other: bytes) -> bytes:
    """Return the union of two copies, in the order of seq, each line with its end.

    An unfinished last line is left out: its writer will write it whole, or never acknowledged it.
    """
    lines: dict[_Key, bytes] = {}
    for data in (one, other):
        for raw in split_lines(data)[0]:
            key, purged = _read(raw)
            held = lines.get(key)
            # A reformatted copy of a good line loses to the canonical one, whichever came first.
            if held is None or (purged, -len(raw), raw) > (_read(held)[1], -len(held), held):
                lines[key] = raw
    return b"".join(lines[key] + b"\n" for key in sorted(lines))


def forgotten_by(event: Event) -> Collection[str]:
    """Return the ids that an event says are forgotten."""
    if event.head.kind != "forget" or not event.known or event.body is None:
        return ()
    ids = event.body.get("ids")
    return [id_ for id_ in ids if is_forgettable(id_)] if isinstance(ids, list) else ()


def without_bodies(data: bytes, is_covered: Callable[[str, str | None], bool]) -> tuple[bytes, int]:
    """Return a shard with the body of each line that is covered set to null, and how many those are.

    Args:
        data: The bytes of the shard.
        is_covered: Tells of an id and of the project in whose log it stands whether it was forgotten.
    """
    lines, rest = split_lines(data)
    count = 0
    for index, raw in enumerate(lines):
        try:
            event = read_line(raw).event
        except BrokenLine:
            continue
        if event.body is not None and is_covered(event.head.id, event.head.project):
            lines[index] = purged_line(raw)
            count += 1
    return b"".join(line + b"\n" for line in lines) + rest, count


def _read(raw: bytes) -> tuple[_Key, bool]:
    try:
        event = read_line(raw).event
    except BrokenLine:
        return (2**53, "", raw), False
    return (event.head.seq, event.hash, b""), event.body is None
