"""Whether a SQLite file is still as we left it, and what its errors mean.

In write-ahead mode the database file itself changes only when the log is written back, which its owner does at times
of its own choosing. Any other change is somebody else's: a file that was removed, cut off, overwritten or replaced.
SQLite notices that late or never, since it goes on with the file that it has open.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN})
_DAMAGED_EXTENDED = frozenset(
    {
        sqlite3.SQLITE_IOERR_SHORT_READ,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_READONLY_DBMOVED,
    }
)
_MISSING = ("no such table", "no such column", "malformed", "file is not a database", "decode to UTF-8")


@dataclass(frozen=True, slots=True)
class Footprint:
    """The database file as it was left, and the log and the shared memory beside it; 0 for what is not there."""

    inode: int
    mtime_ns: int
    size: int
    log: int
    shared: int


def footprint(path: Path) -> Footprint | None:
    """Return what a database looks like from outside, ``None`` where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    log, shared = (_inode(f"{path}{suffix}") for suffix in ("-wal", "-shm"))
    return Footprint(status.st_ino, status.st_mtime_ns, status.st_size, log, shared)


def is_damage(error: sqlite3.Error | OSError) -> bool:
    """Tell whether an error says that the file is of no use, and not only that it cannot be used right now."""
    if isinstance(error, OSError):
        return isinstance(error, IsADirectoryError)
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and (code in _DAMAGED_EXTENDED or code & 0xFF in _DAMAGED):
        return True
    return any(words in str(error) for words in _MISSING)


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked for every use of the database
    except OSError:
        return 0
