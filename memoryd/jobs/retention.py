"""Which backups are kept, and when the next is due. Both are read from the files, so a restart forgets nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

_NAME = re.compile(r"memoryd-\d{8}-\d{6}\.tar\.gz")


def backup_name(at: datetime) -> str:
    """Return the name of a backup that is made now."""
    return f"memoryd-{at:%Y%m%d-%H%M%S}.tar.gz"


def backups_in(folder: Path) -> list[Path]:
    """Return the backups that carry a name of ours, oldest first; a file with another name is none of ours."""
    return sorted(_ours(folder))


def is_due(folder: Path, *, every: timedelta, now: datetime) -> bool:
    """Tell whether the last backup is so old that a new one is wanted; a machine that slept is late once, not often."""
    # One of a time to come was written under a clock that was wrong, and says nothing about its age.
    ages_s = [now.timestamp() - path.stat().st_mtime for path in backups_in(folder)]
    return not any(0 <= age_s < every.total_seconds() for age_s in ages_s)


def drop_old(folder: Path, *, keep: int) -> list[Path]:
    """Delete the oldest backups but so many; return those that are gone."""
    gone = backups_in(folder)[:-keep]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def _ours(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())
