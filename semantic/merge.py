"""Two copies of one install's shard, made one: for a folder that several machines keep in step.

Commutative, associative and idempotent. A line is known by its seq and hash; of a whole and a purged copy the purged
one stays. Lines that cannot be read are kept as they are: what is damage in one copy may not be lost for being so.
"""

from __future__ import annotations

from semantic.errors import BrokenLine
from semantic.event import read_line
from semantic.ndjson import split_lines

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


def _read(raw: bytes) -> tuple[_Key, bool]:
    try:
        event = read_line(raw).event
    except BrokenLine:
        return (2**53, "", raw), False
    return (event.head.seq, event.hash, b""), event.body is None
