"""The excerpts of turns: one file a turn below ``transcripts/``, kept because an agent deletes its own files.

An excerpt is written as a section of a day is, under the id of the turn's entry, so that the same reader takes it in
and a find in it leads to the entry.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, tzinfo
from pathlib import Path

from episodic.episode import NewEpisode
from episodic.errors import JournalUnwritable, LeadsOut
from episodic.journal.dayfile import make_folder
from episodic.journal.enclosure import check_inside
from episodic.journal.text import entry_heading, read_day_text, render_section
from memoryd.text.canonical import digest
from memoryd.text.decode import decode
from memoryd.text.durable import replace_file

EXCERPTS = "transcripts"
"""The folder, and the name of its root."""

NO_DAY = date(1970, 1, 1)
"""An excerpt's instant stands in its anchor; its file is no day."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PATH = re.compile(rf"{EXCERPTS}/{_NAME.pattern}/{_NAME.pattern}\.md")


def excerpt_path(session: str, turn: str) -> str:
    """Return where the excerpt of a turn lies, relative to ``memory/``; ids that are no file names are hashed."""
    names = (name if _NAME.fullmatch(name) else digest(name, length=32) for name in (session, turn))
    return f"{EXCERPTS}/{'/'.join(names)}.md"


def named_excerpt(memory: Path, transcript: str | None) -> Path | None:
    """Return where an excerpt that an entry names lies, there or not; ``None`` where it is no name of ours."""
    return None if transcript is None or _PATH.fullmatch(transcript) is None else memory / transcript


def write_excerpt(memory: Path, id: str, new: NewEpisode, *, key: str | None) -> None:  # noqa: A002 - the domain's word
    """Write the excerpt of an entry that is about to be appended; it is on the disk when this returns.

    Raises:
        JournalUnwritable: It cannot be written, or ``new.transcript`` names no place for it.
    """
    if new.excerpt is None:
        return
    path = named_excerpt(memory, new.transcript)
    if path is None:
        raise JournalUnwritable(f"an excerpt lies at {EXCERPTS}/<session>/<turn>.md")
    try:
        check_inside(path, (memory,))
    except LeadsOut as error:
        raise JournalUnwritable(f"{path}: {error}; nothing of the turn was stored") from error
    make_folder(path.parent)
    _replace(path, render_section(id, replace(new, text=new.excerpt), key=key).encode())


def read_excerpt(path: Path, *, zone: tzinfo) -> str:
    """Return an excerpt without its anchor; a file that is none of ours is returned as it is."""
    text = decode(path.read_bytes()).text
    entries = [one for one in read_day_text(text, file=path.name, day=NO_DAY, zone=zone).entries if one.written]
    return f"{entry_heading(entries[0].episode)}\n{entries[0].episode.text}" if entries else text


def put_first(path: Path, heading: str, text: str) -> bool:
    """Put a part under a level 3 heading at the top of an excerpt; return whether it was not there yet.

    Raises:
        JournalUnwritable: The file cannot be read or written.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        raise JournalUnwritable(f"{path.name} cannot be read: {error}") from error
    if f"### {heading}" in lines[:4] or len(lines) < 3:
        return False
    # Level 1 and 2 headings are boundaries in this file; a summary has no use for them.
    part = [re.sub(r"^(\\*)(#{1,2}[ \t]|<!-- memoryd:)", r"\\\1\2", line) for line in text.strip("\n").split("\n")]
    _replace(path, "\n".join([*lines[:2], f"### {heading}", *part, "", *lines[2:]]).encode())
    return True


def _replace(path: Path, data: bytes) -> None:
    try:
        replace_file(path, data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise JournalUnwritable(f"{path} could not be written: {reason}; nothing of the turn was stored") from error
