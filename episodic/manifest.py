"""What is in which file and in which index: the derived bookkeeping of the journal, in one SQLite file.

The file can be deleted at any time; it is rebuilt from the journal. Every change of a file is one transaction that
covers its entries, its pieces and the document frequencies, so that no reader ever sees half a file.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from episodic.dayfile import FILE_MODE, Stamp
from episodic.errors import StoreClosed

FORMAT = 2
"""Grows when tables or stored stamps change; an older manifest is then rebuilt."""

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  path TEXT PRIMARY KEY, root TEXT NOT NULL, day TEXT NOT NULL, inode INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  size INTEGER NOT NULL, lines INTEGER NOT NULL, sha256 TEXT NOT NULL, read_at_ns INTEGER NOT NULL, problem TEXT
) WITHOUT ROWID;
CREATE TABLE episodes (
  path TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, title TEXT NOT NULL,
  text TEXT NOT NULL, at_us INTEGER NOT NULL, offset_min INTEGER NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL, project TEXT, session TEXT, turn TEXT, transcript TEXT, key TEXT, files TEXT NOT NULL,
  written INTEGER NOT NULL, pieces INTEGER NOT NULL, PRIMARY KEY (path, position)
);
CREATE INDEX episodes_id ON episodes (id, path, position);
CREATE INDEX episodes_at ON episodes (at_us, id);
CREATE INDEX episodes_day ON episodes (day);
CREATE INDEX episodes_turn ON episodes (session, turn) WHERE turn IS NOT NULL;
CREATE INDEX episodes_key ON episodes (key) WHERE key IS NOT NULL;
CREATE INDEX episodes_session ON episodes (session, at_us, path, position, written, id) WHERE session IS NOT NULL;
CREATE VIEW entries AS SELECT * FROM episodes WHERE written < 2;
CREATE TABLE chunks (
  path TEXT NOT NULL, ordinal INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, heading TEXT NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (path, ordinal)
) WITHOUT ROWID;
CREATE INDEX chunks_id ON chunks (id, path, ordinal);
CREATE TABLE documents (
  id TEXT PRIMARY KEY, text TEXT NOT NULL, text_hash TEXT NOT NULL, at_us INTEGER NOT NULL, project TEXT NOT NULL,
  session TEXT NOT NULL, kind TEXT NOT NULL, heading TEXT NOT NULL, row_stamp TEXT NOT NULL, stamp TEXT NOT NULL,
  terms BLOB NOT NULL, in_lexical TEXT
);
CREATE INDEX documents_at ON documents (at_us, id);
CREATE INDEX documents_pending ON documents (at_us) WHERE in_lexical IS NOT stamp;
CREATE TABLE vectors (
  fingerprint TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (fingerprint, id)
) WITHOUT ROWID;
CREATE INDEX vectors_id ON vectors (id);
CREATE TABLE spaces (fingerprint TEXT PRIMARY KEY, vectors INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER vectors_came AFTER INSERT ON vectors BEGIN
  INSERT INTO spaces VALUES (NEW.fingerprint, 1) ON CONFLICT (fingerprint) DO UPDATE SET vectors = vectors + 1;
END;
CREATE TRIGGER vectors_went AFTER DELETE ON vectors BEGIN
  UPDATE spaces SET vectors = vectors - 1 WHERE fingerprint = OLD.fingerprint;
END;
CREATE TABLE frequencies (term INTEGER PRIMARY KEY, documents INTEGER NOT NULL);
CREATE TABLE dropped (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE refused (id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_CONTENT = ("files", "episodes", "chunks", "documents", "frequencies")


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
    """The SQLite file: one writer at a time, readers beside it. All methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._readers: list[sqlite3.Connection] = []
        self._pool = threading.Lock()
        self._opened = 0

    def open(self, stamp: str) -> str | None:
        """Open the file, or make it. ``stamp`` names all that the stored terms depend on.

        Returns:
            In words, why what was there had to be thrown away; ``None`` where it was good.
        """
        try:
            reason = self._prepare(stamp)
        except sqlite3.DatabaseError as error:
            self.close()
            self._remove()
            self._prepare(stamp)
            reason = f"the manifest could not be read ({error})"
        return reason

    def damage(self) -> str | None:
        """Return what SQLite finds wrong with the file, ``None`` where it is sound."""
        try:
            with self.reading() as connection:
                found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
        except sqlite3.DatabaseError as error:
            return str(error)
        return None if found == ["ok"] else "; ".join(found)

    def begin_anew(self, stamp: str) -> None:
        """Throw the file away and make a new one. What reads just now reads the old one to its end."""
        with self._writing:
            self.close()
            self._remove()
            self._prepare(stamp)

    @property
    def is_open(self) -> bool:
        """Whether it can be read and written."""
        return self._writer is not None

    def close(self) -> None:
        """Close all connections."""
        with self._writing, self._pool:
            for connection in [*self._readers, *([self._writer] if self._writer else [])]:
                connection.close()
            self._readers.clear()
            self._writer = None
            self._opened += 1

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the writer's connection inside one transaction; nested uses join the outer one.

        Raises:
            StoreClosed: The manifest is not open.
        """
        with self._writing:
            connection = self._writer
            if connection is None:
                raise StoreClosed
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def shrink_log(self) -> None:
        """Empty the write-ahead log, so that forgotten text is not left in it."""
        with self._writing:
            if self._writer is None:
                raise StoreClosed
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a reader's connection; what it sees does not change until it is handed back.

        Raises:
            StoreClosed: The manifest is not open.
        """
        if self._writer is None:
            raise StoreClosed
        with self._pool:
            opened = self._opened
            connection = self._readers.pop() if self._readers else None
        if connection is None:
            connection = self._connect()
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("COMMIT")
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

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _prepare(self, stamp: str) -> str | None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        os.close(descriptor)
        self._writer = self._connect()
        connection = self._writer
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA secure_delete = ON")  # what was forgotten must not stay in free pages
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and version != FORMAT:
            raise sqlite3.DatabaseError(f"its format is {version}, not {FORMAT}")
        if not tables:
            connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
        with self.writing():
            row = connection.execute("SELECT value FROM meta WHERE name = 'stamp'").fetchone()
            _set_meta(connection, "stamp", stamp)
            if row is None or row[0] == stamp:
                return None
            for table in _CONTENT:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names stand in this module
        return "the rules by which words are taken from texts have changed"

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection


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
