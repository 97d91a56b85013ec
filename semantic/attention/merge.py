"""Two copies of one attention file, made one: for a home that several machines keep in step."""

from __future__ import annotations

from semantic.attention.standing import read_record
from semantic.log.ndjson import split_lines


def merge_records(one: bytes, other: bytes) -> bytes:
    """Return the union of two copies of an attention file, in the order of seq, each line with its end.

    An unfinished last line is left out, as in a shard.
    """
    lines = {raw for data in (one, other) for raw in split_lines(data)[0] if raw}
    return b"".join(raw + b"\n" for raw in sorted(lines, key=_record_place))


def _record_place(raw: bytes) -> tuple[int, bytes]:
    try:
        record = read_record(raw)
    except ValueError:
        record = None
    return (2**53 if record is None else record.seq, raw)
