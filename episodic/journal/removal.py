"""Taking sections out of a day file."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, tzinfo

from episodic.errors import JournalUnwritable
from episodic.journal.text import Entry, read_day_text
from memoryd.text.decode import decode


def without_entries(
    data: bytes,
    ids: Collection[str],
    *,
    file: str,
    day: date,
    zone: tzinfo,
    written_only: bool = False,
    texts: Collection[tuple[str, str]] = (),
) -> bytes:
    """Return a day file without the sections of these ids; every other byte stays.

    A hand-written entry's id counts equal headings above it. Where such a heading follows, the removed entry leaves
    its heading behind, so that the next one keeps its id. ``written_only`` leaves hand-written entries alone. ``texts``
    names more entries, by id and text, where one id stands over several texts.

    Raises:
        JournalUnwritable: The file is not UTF-8, so its lines cannot be told apart.
    """
    decoded = decode(data)
    if data.count(b"\n") != decoded.text.count("\n") or b"\0" in data[:4]:
        raise JournalUnwritable(f"{file} is not UTF-8; save it as UTF-8, then forget the entry")
    entries = read_day_text(decoded.text, file=file, day=day, zone=zone).entries
    lines = data.split(b"\n")
    for index, entry in reversed(list(enumerate(entries))):
        is_named = entry.episode.id in ids or (entry.episode.id, entry.episode.text) in texts
        if not is_named or (written_only and not entry.written):
            continue
        first, last = entry.episode.lines
        if _has_twin_below(entry, entries[index + 1 :]):
            first += 1
        while last < len(lines) and not lines[last].strip() and last + 1 < len(lines):
            last += 1
        del lines[first - 1 : last]
    return b"\n".join(lines)


def _has_twin_below(entry: Entry, below: Collection[Entry]) -> bool:
    heading = entry.hand_heading
    return heading is not None and any(other.hand_heading == heading for other in below)
