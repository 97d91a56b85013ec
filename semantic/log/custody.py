"""What becomes of a shard of ours that something else cut, replaced or took away while its lines are held.

Our own shard has one writer. Lines that were read, verified and acknowledged are therefore put back when they are
missing from the file, and what stood in their place is set aside beside the shards, never thrown away. Files set
aside are no part of the log: nothing in them is shown until someone records it.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import orjson

from semantic.errors import BrokenLine, WriteFailed
from semantic.log import ndjson
from semantic.log.event import line_of, purged_line
from semantic.log.instant import write_instant
from semantic.log.reach import Reach
from semantic.log.shard import Shard, ShardKey

FOLDER = "set-aside"
"""Below the folder of the log, beside ``user`` and ``projects``."""


def lost_lines(known: Shard, found: Shard) -> int:
    """Return how many lines that are held the file has no more."""
    there = {event.hash for event in found.events}
    return sum(event.hash not in there for event in known.events)


def restored(known: Shard, found: Shard) -> bytes:
    """Return the bytes of a file that holds what is held and what was found, in the order of seq.

    A line that either of the two has purged stays purged. Damaged lines that stood in the file before stay in it.

    Raises:
        WriteFailed: A line was written by a later version, so its bytes cannot be made again from what is held.
    """
    lines: dict[tuple[int, str], bytes] = {(seq, ""): raw for seq, raw in known.broken}
    for event in (*known.events, *found.events):
        raw = line_of(event)
        if raw is None:
            raise WriteFailed(
                f"{known.key.shown} lost lines of a later version of memoryd, which this one cannot write again; "
                "bring the file back from a backup"
            )
        place = (event.head.seq, event.hash)
        if event.body is None or place not in lines:
            lines[place] = raw
    return b"".join(lines[place] + b"\n" for place in sorted(lines))


def strange_bytes(data: bytes, whole: bytes) -> bytes:
    """Return the lines of ``data`` that ``whole`` has not, and an unfinished end."""
    kept = set(ndjson.split_lines(whole)[0])
    lines, rest = ndjson.split_lines(data)
    strange = [line + b"\n" for line in lines if line and line not in kept]
    return b"".join(strange) + rest


def set_aside(log: Path, key: ShardKey, data: bytes, now: datetime) -> Path:
    """Put bytes that may not stay in a shard into a file of their own, durably; return it.

    Raises:
        WriteFailed: They could not be kept; the shard is as it was.
    """
    stamp = "".join(letter for letter in write_instant(now) if letter.isdigit())
    stem = f"{key.project or 'user'}.{key.install}.{stamp}"
    folder = log / FOLDER
    try:
        ndjson.make_folder(folder)
    except OSError as error:
        raise WriteFailed(f"{folder} cannot be made ({error.strerror}); nothing was changed") from error
    number, path = 0, folder / f"{stem}.ndjson"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.ndjson"
    ndjson.replace(path, data)
    return path


def purge_set_aside(log: Path, reach: Reach) -> int:
    """Take what was forgotten out of the files set aside; return how many lines changed.

    A line that cannot be read may hold forgotten text without naming its id, so it goes with the first forget. It was
    never acknowledged, or it is a changed copy of a line that was.

    Raises:
        WriteFailed: A file could not be rewritten; those done before stay done.
    """
    count = 0
    for path in sorted((log / FOLDER).glob("*.ndjson")) if reach else ():
        lines, rest = ndjson.split_lines(path.read_bytes())
        kept = []
        for raw in lines:
            cleaned = _cleaned(raw, reach)
            count += cleaned != raw
            if cleaned:
                kept.append(cleaned + b"\n")
        count += bool(rest)
        if b"".join(kept) != b"".join(line + b"\n" for line in lines) or rest:
            ndjson.replace(path, b"".join(kept))
    return count


def _cleaned(raw: bytes, reach: Reach) -> bytes:
    try:
        line = orjson.loads(raw)
        head = line["head"]
        is_covered = reach.covers(head["id"], head["project"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return b""
    if not is_covered or line.get("body") is None:
        return raw
    try:
        return purged_line(raw)
    except BrokenLine:
        return b""
