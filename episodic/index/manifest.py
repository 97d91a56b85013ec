"""What is in which file and in which index: the derived bookkeeping of the journal, in one SQLite file.

The file can be deleted at any time; it is rebuilt from the journal. Every change of a file is one transaction that
covers its entries, its pieces and the document frequencies, so that no reader ever sees half a file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from episodic.errors import ManifestDamaged, ManifestUnusable, StoreClosed
from episodic.index.schema import CONTENT, FORMAT, SCHEMA
from episodic.journal.dayfile import FILE_MODE, Stamp
from episodic.soundness import Footprint, footprint, is_damage

_LOG_BYTES = 4 * 1024 * 1024
"""A longer write-ahead log is written back."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was read last; ``sha256`` is empty where only its end was read since."""

    path: str
    root: str
    day: str
    stamp: Stamp
    lines: int
    sha256: str
    read_at_ns: int
    problem: str | None


class Manifest:
    """The SQLite file: one writer at a time, readers beside it. All methods may be called from any thread.

    A file that is found damaged, or that another program removed or changed, is set aside, and an empty one takes its
    place at once: whoever reads on finds less until it is filled again.
    """

    def __init__(self, path: Path) -> None:
        """Prepare, without opening anything."""
        self._path = path
        self.on_anew: Callable[[str], None] = lambda _: None
        """Told in words why an open manifest was set aside; a lock is held, so it only takes note."""
        self._stamp = ""
        self._writing = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._readers: list[sqlite3.Connection] = []
        self._pool = threading.Lock()
        self._opened = 0
        self._is_lost = False
        self._writing_back = threading.Lock()
        self._left: Footprint | None = None

    def open(self, stamp: str) -> str | None:
        """Open the file, or make it. ``stamp`` names all that the stored terms depend on.

        Returns:
            In words, why what was there had to be thrown away; ``None`` where it was good.

        Raises:
            ManifestUnusable: It can be neither opened nor made.
        """
        self._stamp = stamp
        try:
            return self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            if not is_damage(error):
                self.close()
                raise self._unusable(error) from error
            self._begin_anew()
            return f"the manifest could not be read ({error})"

    def damage(self) -> str | None:
        """Return what SQLite finds wrong with the file, ``None`` where it is sound."""
        try:
            with self.reading() as connection:
                found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
        except ManifestUnusable as error:
            return str(error)
        return None if found == ["ok"] else "; ".join(found)

    def begin_anew(self) -> None:
        """Set the file aside and make a new one. What reads just now reads the old one to its end.

        Raises:
            ManifestUnusable: A new one cannot be made; the next use tries again.
        """
        with self._writing:
            self._begin_anew()

    @property
    def is_open(self) -> bool:
        """Whether it can be read and written."""
        return self._writer is not None

    def close(self) -> None:
        """Close all connections."""
        self._is_lost = False
        self._close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the writer's connection inside one transaction; nested uses join the outer one.

        Raises:
            StoreClosed: The manifest is not open.
            ManifestUnusable: It cannot be written now, or was damaged and is made anew.
        """
        with self._writing:
            self._see_that_it_is_sound()
            connection = self._writer
            if connection is None:
                raise StoreClosed
            if connection.in_transaction:
                yield connection
                return
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.DatabaseError):
                    raise self._failed(error, self._opened) from error
                raise
            self._write_back()

    def shrink_log(self) -> None:
        """Empty the write-ahead log, so that forgotten text is not left in it.

        Raises:
            ManifestUnusable: As above.
        """
        with self._writing:
            self._see_that_it_is_sound()
            if not self._write_back("TRUNCATE", least_bytes=1):  # it has waited for readers as long as for a lock
                raise ManifestUnusable(f"{self._path}-wal cannot be emptied, since the manifest is being read")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a reader's connection; what it sees does not change until it is handed back.

        Raises:
            StoreClosed: The manifest is not open.
            ManifestUnusable: It cannot be read now, or was damaged and is made anew.
        """
        self._see_that_it_is_sound()
        with self._pool:
            opened = self._opened
            connection = self._readers.pop() if self._readers else None
        try:
            if connection is None:
                connection = self._connect()
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise self._failed(error, opened) from error
            raise
        with self._pool:
            if opened != self._opened:  # it was closed meanwhile, and perhaps opened again
                connection.close()
            else:
                self._readers.append(connection)

    def file(self, path: str) -> FileRow | None:
        """Return a file's row."""
        with self.reading() as connection:
            row = connection.execute(f"{_SELECT_FILE} WHERE path = ?", (path,)).fetchone()
        return None if row is None else _file_row(row)

    def files(self, root: str | None = None) -> list[FileRow]:
        """Return the rows of a root's files, or of all."""
        with self.reading() as connection:
            rows = connection.execute(f"{_SELECT_FILE} WHERE ? IS NULL OR root = ? ORDER BY path", (root, root))
            return [_file_row(row) for row in rows]

    def paths_at(self, root: str, path: str) -> list[str]:
        """Return the paths of a root's files that are this path, or lie below it if it is a folder."""
        with self.reading() as connection:
            rows = connection.execute(
                # "0" is the sign behind "/": between the two lies everything below the folder, and nothing else.
                "SELECT path FROM files WHERE (path = ? OR (path > ? AND path < ?)) AND root = ? ORDER BY path",
                (path, f"{path}/", f"{path}0", root),
            )
            return [str(row[0]) for row in rows]

    def meta(self, name: str) -> str | None:
        """Return a value kept under a name."""
        with self.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, name: str, value: str) -> None:
        """Keep a value under a name."""
        with self.writing() as connection:
            _set_meta(connection, name, value)

    def sequence(self) -> int:
        """Return a number that grows with each change of the index."""
        return int(self.meta("sequence") or 0)

    def _see_that_it_is_sound(self) -> None:
        """Set aside a file that is not as it was left, unless a transaction of this very thread is under way."""
        if self._writer is not None:
            if footprint(self._path) == self._left:
                return
            with self._writing_back:
                if footprint(self._path) == self._left:
                    return
        elif not self._is_lost:
            raise StoreClosed
        with self._writing:
            if self._writer is None and not self._is_lost:
                raise StoreClosed
            if self._writer is not None and (self._writer.in_transaction or footprint(self._path) == self._left):
                return
            self._begin_anew()
            self.on_anew("it was removed or changed by another program")

    def _failed(self, error: sqlite3.DatabaseError, opened: int) -> Exception:
        """Return what to raise for an error; a damaged file is set aside, unless another thread has done it."""
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            return error
        if not is_damage(error):
            return self._unusable(error)
        with self._writing:
            if opened == self._opened and self._writer is not None:
                self._begin_anew()
                self.on_anew(str(error))
        return ManifestDamaged(f"{self._path.name} was damaged ({error}); it is made anew from the journal. Ask again")

    def _unusable(self, error: Exception) -> ManifestUnusable:
        return ManifestUnusable(f"{self._path} cannot be used: {error}")

    def _begin_anew(self) -> None:
        self._close()
        self._is_lost = True
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            set_aside(self._path)
            self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            self._close()
            raise ManifestUnusable(f"{self._path} cannot be made anew: {error}") from error
        self._is_lost = False

    def _close(self) -> None:
        with self._writing, self._pool:
            for connection in [*self._readers, *([self._writer] if self._writer else [])]:
                with contextlib.suppress(sqlite3.Error):  # a file that was cut off refuses even that
                    connection.close()
            self._readers.clear()
            self._writer = None
            self._left = None
            self._opened += 1

    def _write_back(self, mode: str = "PASSIVE", *, least_bytes: int = _LOG_BYTES) -> bool:
        """Write the log into the file, whole if nobody reads it; SQLite is told not to choose the time itself."""
        writer = self._writer
        if writer is None:
            raise StoreClosed
        with contextlib.suppress(OSError):
            if self._path.with_name(f"{self._path.name}-wal").stat().st_size < least_bytes:
                return True
        is_whole = False
        with self._writing_back:
            try:
                is_whole = not writer.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()[0]
            except sqlite3.DatabaseError as error:
                if mode != "PASSIVE":
                    raise self._unusable(error) from error
                # The log keeps what was written; there may be room for it in the file the next time.
            self._left = footprint(self._path)
        return is_whole

    def _prepare(self) -> str | None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        os.close(descriptor)
        self._writer = self._connect()
        connection = self._writer
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA secure_delete = ON")  # what was forgotten must not stay in free pages
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and version != FORMAT:
            raise sqlite3.DatabaseError(f"file is not a database of format {FORMAT}, but of {version}")
        if not tables:
            connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
        row = connection.execute("SELECT value FROM meta WHERE name = 'stamp'").fetchone()
        if row is None or row[0] != self._stamp:
            connection.execute("BEGIN IMMEDIATE")
            _set_meta(connection, "stamp", self._stamp)
            for table in CONTENT:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names stand in this module
            connection.execute("COMMIT")
        self._left = footprint(self._path)
        if row is None or row[0] == self._stamp:
            return None
        return "the rules by which words are taken from texts have changed"

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection


def set_aside(path: Path) -> None:
    """Put a database that is of no use where the next one is in nobody's way; only the last such one is kept."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    aside = broken_path(path)
    if path.exists() or path.is_symlink():
        if aside.is_dir():
            shutil.rmtree(aside)
        path.replace(aside)


def broken_path(path: Path) -> Path:
    """Return where a database that was set aside lies."""
    return path.with_name(f"{path.name}.broken")


_SELECT_FILE = "SELECT path, root, day, inode, mtime_ns, size, lines, sha256, read_at_ns, problem FROM files"


def put_file(connection: sqlite3.Connection, row: FileRow) -> None:
    """Write a file's row inside a transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.path,
            row.root,
            row.day,
            row.stamp.inode,
            row.stamp.mtime_ns,
            row.stamp.size,
            row.lines,
            row.sha256,
            row.read_at_ns,
            row.problem,
        ),
    )


def grow_sequence(connection: sqlite3.Connection) -> None:
    """Count a change of the index inside a transaction."""
    connection.execute(
        "INSERT INTO meta VALUES ('sequence', '1') ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


def _set_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def _file_row(row: tuple[object, ...]) -> FileRow:
    path, root, day, inode, mtime_ns, size, lines, sha256, read_at_ns, problem = row
    return FileRow(
        str(path),
        str(root),
        str(day),
        Stamp(_int(inode), _int(mtime_ns), _int(size)),
        _int(lines),
        str(sha256),
        _int(read_at_ns),
        None if problem is None else str(problem),
    )


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value
