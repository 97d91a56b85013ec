"""A small SQLite file of ``state/``: opened or made when it is first asked, and replaced where it is damaged.

What such a file holds can be lost, and whoever asks it must go on. So a damaged file is set aside and made anew, one
of another format is made anew, and one that cannot be opened at all is kept in memory; ``problem`` says which.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from memoryd.text.durable import PRIVATE_MODE

BROKEN_ENDING = ".broken"
_SIDES = ("-wal", "-shm")
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_CUT_SHORT = sqlite3.SQLITE_IOERR_SHORT_READ


class StateFile:
    """Reads and writes rows. Every method may be called from any thread; ``lock`` holds several calls together.

    Args:
        path: The file; ``None`` keeps all in memory.
        schema: Makes the tables.
        format: The number of the schema; a file of another one is made anew.
        holds: What is in it, in words, for ``problem``.
        opened: Called with each connection, whose tables are there by then.
        busy_s: How long another process that holds the file is waited for.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        schema: str,
        format: int,  # noqa: A002 - the word of the domain
        holds: str,
        opened: Callable[[sqlite3.Connection], None] = lambda _: None,
        busy_s: float = 1.0,
    ) -> None:
        self.lock = threading.RLock()
        self._path = path
        self._schema = schema
        self._format = format
        self._holds = holds
        self._on_opened = opened
        self._busy_s = busy_s
        self._connection: sqlite3.Connection | None = None
        self._in_memory: str | None = None
        self._damage: str | None = None
        self._failure: str | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong, in words: with the last call, with where it is kept, or with the file before this one."""
        return self._failure or self._in_memory or self._damage

    def open(self) -> None:
        """Open the file now, not at the first call."""
        with self.lock:
            self._opened()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self.lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):  # what it could not write is lost, and may be
                    self._connection.close()
            self._connection = None
            self._in_memory = None

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows that a query gives, or that a change returns.

        Raises:
            sqlite3.Error: The disk is full, or another process holds the file.
        """
        with self.lock:
            try:
                found = self._opened().execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    self._failure = f"{self._holds} cannot be used: {error}"
                    raise
                self._set_aside(error)
                found = self._opened().execute(query, values).fetchall()
            self._failure = None
            return found

    def wipe(self) -> None:
        """Leave nothing on the disk of rows that were deleted: until then the log beside the file holds them."""
        with self.lock, suppress(sqlite3.Error):  # somebody reads it now: the next time
            if self._connection is not None:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._whole()
            except (sqlite3.Error, OSError) as error:
                self._in_memory = f"{self._holds} is kept in memory only: {error}"
                self._connection = self._with_tables(_connected(":memory:", self._busy_s))
        return self._connection

    def _whole(self) -> sqlite3.Connection:
        """Return a connection to a file that can be used; one that cannot is replaced."""
        if self._path is None:
            return self._with_tables(_connected(":memory:", self._busy_s))
        try:
            return self._connect(self._path)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._set_aside(error)
            return self._connect(self._path)

    def _connect(self, path: Path) -> sqlite3.Connection:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_MODE)
        os.fchmod(descriptor, PRIVATE_MODE)
        os.close(descriptor)
        connection = _connected(path, self._busy_s)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # What is lost in a power cut may be lost; the file itself stays whole.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            held = connection.execute("PRAGMA user_version").fetchone()[0]
            is_empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if is_empty:
                return self._with_tables(connection)
            if held == self._format and self._holds_our_tables(connection):
                self._on_opened(connection)
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        path.unlink()
        self._remove_sides(path)
        return self._connect(path)

    def _holds_our_tables(self, connection: sqlite3.Connection) -> bool:
        """Tell whether the tables are those of the schema: the number alone is easily another file's."""
        with closing(_connected(":memory:", self._busy_s)) as fresh:
            fresh.executescript(self._schema)
            return _tables_of(fresh) == _tables_of(connection)

    def _with_tables(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        connection.executescript(f"BEGIN; {self._schema} PRAGMA user_version = {self._format}; COMMIT;")
        self._on_opened(connection)
        return connection

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Put a damaged file under another name, in place of one that was damaged before it."""
        self.close()
        if self._path is None:
            return
        aside = self._path.with_name(self._path.name + BROKEN_ENDING)
        with suppress(OSError):  # what stays in the way is met when the file is opened
            self._path.replace(aside)
        self._remove_sides(self._path)
        self._damage = f"{self._path.name} was damaged ({error}): it was set aside as {aside.name} and made anew"

    def _remove_sides(self, path: Path) -> None:
        for side in _SIDES:
            path.with_name(path.name + side).unlink(missing_ok=True)


def _connected(path: Path | str, busy_s: float) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)


def _tables_of(connection: sqlite3.Connection) -> list[Any]:
    return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def _is_damage(error: sqlite3.Error) -> bool:
    """Tell whether it is the file that is wrong, and not the disk or the moment."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF in _DAMAGED or code == _CUT_SHORT)
