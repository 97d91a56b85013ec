"""What was read of note files before, so that a start reads only what changed. It may be deleted at any time.

A row is believed for a file only where its path, size, time stamps and inode are those of the file, and were old enough
when it was read that no later write could share them; else the file is read, and the row counts only if it is of the
very same bytes. Everything goes when the code that reads notes, or what it is told, is another.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol, TypeVar

from memoryd.text.canonical import digest, sha256_hex
from semantic.log.ids import note_id
from semantic.model import Note
from semantic.vault.scan import Seen
from semantic.vault.stored import pack_note, pack_weights, unpack_note, unpack_weights
from semantic.weighing import Weighed

_T = TypeVar("_T")

_READERS = ("memoryd.text", "semantic.vault", "semantic")
_LIBRARIES = ("markdown-it-py", "ruamel.yaml", "regex", "snowballstemmer", "PyStemmer")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS stamp (value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notes (
  vault TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL, is_settled INTEGER NOT NULL, etag TEXT NOT NULL, note BLOB NOT NULL,
  PRIMARY KEY (vault, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS words (
  id TEXT NOT NULL PRIMARY KEY, etag TEXT NOT NULL, weights BLOB NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A row: the state of the file when it was read, and the note, packed until somebody wants it."""

    vault: str
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    is_settled: bool
    etag: str
    packed: bytes

    def proves(self, seen: Seen) -> bool:
        """Tell whether a file in this state has the bytes that were read."""
        state = (self.size, self.mtime_ns, self.ctime_ns, self.inode)
        return self.is_settled and state == (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode)

    def may_be(self, seen: Seen) -> bool:
        """Tell whether the bytes of a file in this state, once read, may be these: all else that a note says is."""
        return (self.size, self.mtime_ns) == (seen.size, seen.mtime_ns)

    def seen(self, root: Path) -> Seen:
        """Return the state of the file when it was read, as a scan of this folder would see it."""
        return Seen(root / self.path, self.mtime_ns, self.size, self.inode, self.ctime_ns)

    def note(self) -> Note | None:
        """Return the note with its links as written, or ``None`` if the row is damaged."""
        try:
            note = unpack_note(self.vault, self.path, self.packed)
        except ValueError:
            return None
        return note if note.etag == self.etag else None


class Keeping(Protocol):
    """Where a shelf finds and keeps what it read."""

    def known(self, vault: str) -> Mapping[str, Kept]:
        """Return what is kept of a vault, by path."""
        ...

    def keep(self, vault: str, read: Iterable[tuple[Note, Seen, bool]], gone: Iterable[str]) -> None:
        """Keep notes as read, each with the state of its file and whether that proves its bytes; let others go."""
        ...


class NoteCache:
    """A file of what was read. Safe in several threads. It never fails: what it cannot keep is read again.

    Args:
        path: The file; ``None`` keeps nothing.
        told: What the readers are told beside the bytes (contract, zone, languages), in one string.
    """

    def __init__(self, path: Path | None, told: str) -> None:
        self._path = path
        self._stamp = digest("notes", reader_stamp(), told, length=32)
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._is_broken = False

    def known(self, vault: str) -> Mapping[str, Kept]:
        """Return what is kept of a vault, by path."""
        columns = "vault, path, size, mtime_ns, ctime_ns, inode, is_settled, etag, note"

        def select(database: sqlite3.Connection) -> dict[str, Kept]:
            rows = database.execute(f"SELECT {columns} FROM notes WHERE vault = ?", (vault,))  # noqa: S608 - constant
            return {row[1]: Kept(*row) for row in rows}

        return self._guarded(select, dict[str, Kept]())

    def keep(self, vault: str, read: Iterable[tuple[Note, Seen, bool]], gone: Iterable[str]) -> None:
        """Keep notes as read, and let go of those that are gone, with their words."""
        rows = [
            (vault, note.path, *_state(seen), settled, note.etag, packed)
            for note, seen, settled in read
            if (packed := pack_note(note)) is not None
        ]
        paths = [(vault, path) for path in gone]
        # A note's words lie under its id, and under that id with "#" and something behind it.
        ids = [(id_, f"{id_}$") for _, path in paths if (id_ := note_id(vault, path))]
        if not rows and not paths:
            return

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
                database.executemany("DELETE FROM notes WHERE vault = ? AND path = ?", paths)
                database.executemany("DELETE FROM words WHERE id >= ? AND id < ?", ids)

        self._guarded(write, None)

    def words(self, etags: Mapping[str, str]) -> dict[str, Weighed]:
        """Return, by note id, the words of the notes that have these ETags still."""

        def select(database: sqlite3.Connection) -> dict[str, Weighed]:
            marks = ",".join("?" * len(etags))
            rows = database.execute(f"SELECT id, etag, weights FROM words WHERE id IN ({marks})", list(etags))  # noqa: S608 - marks
            found = {}
            for id_, etag, weights in rows:
                if etags[id_] == etag:
                    with contextlib.suppress(ValueError):
                        found[id_] = unpack_weights(id_, weights)
            return found

        return self._guarded(select, dict[str, Weighed]()) if etags else {}

    def keep_words(self, weighed: Mapping[str, tuple[str, Weighed]]) -> None:
        """Keep the words of notes: by id, the ETag of what was weighed and its words."""
        rows = [(id_, etag, pack_weights(words)) for id_, (etag, words) in weighed.items()]

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", rows)

        if rows:
            self._guarded(write, None)

    def clear(self) -> None:
        """Let go of everything."""

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.execute("DELETE FROM notes")
                database.execute("DELETE FROM words")

        self._guarded(write, None)

    def close(self) -> None:
        """Close the file; later calls open it again."""
        with self._lock:
            self._shut()

    def _guarded(self, access: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        if self._path is None:
            return otherwise
        with self._lock:
            if self._is_broken:
                return otherwise
            try:
                return access(self._opened(self._path))
            except (sqlite3.Error, OSError, ValueError):
                # A damaged or full file is worth nothing: it goes, and all is read from the notes as ever.
                self._shut()
                self._is_broken = not _remove(self._path)
                return otherwise

    def _opened(self, path: Path) -> sqlite3.Connection:
        if self._database is None:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            database = sqlite3.connect(path, check_same_thread=False, timeout=1)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = OFF")
                database.execute("PRAGMA secure_delete = ON")  # a note that was removed is not to be read here
                with database:
                    database.executescript(_SCHEMA)
                    if database.execute("SELECT value FROM stamp").fetchall() != [(self._stamp,)]:
                        for table in ("stamp", "notes", "words"):
                            database.execute(f"DELETE FROM {table}")  # noqa: S608 - one of three constants
                        database.execute("INSERT INTO stamp VALUES (?)", (self._stamp,))
            except BaseException:
                database.close()
                raise
            self._database = database
        return self._database

    def _shut(self) -> None:
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None


@cache
def reader_stamp() -> str:
    """Return a hash of the code that reads notes and of the libraries it uses: what it made is its own alone."""
    files = [file for package in _READERS for file in resources.files(package).iterdir() if file.name.endswith(".py")]
    sources = sorted([file.name, sha256_hex(file.read_bytes())] for file in files)
    return digest(sources, [[name, _version(name)] for name in _LIBRARIES])


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _state(seen: Seen) -> tuple[int, int, int, int]:
    return seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode


def _remove(path: Path) -> bool:
    try:
        for one in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            one.unlink(missing_ok=True)
    except OSError:
        return False
    return True
