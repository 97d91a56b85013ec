"""Which install writes the plain day file of a shared home.

``memory/.primary`` holds the install that made the folder. It writes ``YYYY-MM-DD.md``; every other install writes
``YYYY-MM-DD.<install>.md``, so that two machines never write one file. Where a sync tool brought two claims
together, the smaller id stays.
"""

from __future__ import annotations

import contextlib
import os
import re
from datetime import date
from pathlib import Path

from episodic.errors import JournalUnwritable
from episodic.journal.enclosure import is_link_refused
from memoryd.text.durable import create_file, sync_folder, write_file
from memoryd.text.window import is_in_calendar

NAME = ".primary"
_CLAIM = re.compile(r"[0-9A-Za-z_-]+")
_DAY_FILE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[^0-9].*)?\.md")


def claim(memory: Path, install: str) -> str:
    """Return the install that is the primary of a home, claiming it where nobody has.

    Raises:
        JournalUnwritable: The claim can be neither read nor written.
    """
    try:
        claims = _claims(memory)
        if not claims:
            _make(memory / NAME, install)
            claims = _claims(memory) or {install}
        primary = min(claims)
        if len(claims) > 1 and install == primary:
            write_file(memory / NAME, f"{primary}\n".encode())
            for other in memory.glob(f"{NAME}*"):
                if other.name != NAME:
                    other.unlink()
    except OSError as error:
        if is_link_refused(error):
            raise JournalUnwritable(
                f"{error.filename} is a link, and only the file itself says who writes here; put the file in its place"
            ) from error
        raise JournalUnwritable(f"{memory / NAME} cannot be used: {error.strerror or error}") from error
    return primary


def day_file_name(day: date, *, install: str, primary: str) -> str:
    """Return the name of the file in which an install writes a day."""
    return f"{day.isoformat()}.md" if install == primary else f"{day.isoformat()}.{install}.md"


def day_of(name: str) -> date | None:
    """Return the day that a file of the journal is about, ``None`` where its name is no day's."""
    match = _DAY_FILE.fullmatch(name)
    if match is None:
        return None
    try:
        day = date.fromisoformat(match[1])
    except ValueError:
        return None
    return day if is_in_calendar(day) else None


def _claims(memory: Path) -> set[str]:
    found: set[str] = set()
    for path in memory.glob(f"{NAME}*"):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
            found.update(_CLAIM.findall(file.read()))
    return found


def _make(path: Path, install: str) -> None:
    with contextlib.suppress(FileExistsError):
        create_file(path, f"{install}\n".encode())
        sync_folder(path.parent)
