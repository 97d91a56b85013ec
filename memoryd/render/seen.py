"""What each session was shown, in ``state/shown.sqlite``: so that nothing is told twice, and anyone can see its cost.

A session's agent and each of its sub-agents have a context of their own, so what was shown is kept by (session,
agent). The same set serves hooks and tools. The file can be deleted: then things are told again, once.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FORMAT = 1
KEPT_DAYS = 30
FRESH_SOURCES = frozenset({"startup", "clear", "compact"})
"""Ways a session begins in which its context holds nothing of what it was shown before."""

_SCHEMA = """
CREATE TABLE sessions (
  session TEXT PRIMARY KEY, project TEXT, source TEXT, began_us INTEGER NOT NULL, seen_us INTEGER NOT NULL, cursor TEXT
) WITHOUT ROWID;
CREATE TABLE seen (session TEXT, agent TEXT, id TEXT, PRIMARY KEY (session, agent, id)) WITHOUT ROWID;
CREATE TABLE showings (
  number INTEGER PRIMARY KEY, session TEXT NOT NULL, agent TEXT NOT NULL, event TEXT NOT NULL, at_us INTEGER NOT NULL,
  units INTEGER NOT NULL, ids TEXT NOT NULL
);
CREATE INDEX showings_of ON showings (session);
"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Showing:
    """One text that was given: by which event or tool, to which agent (empty: the session's own), what it cost."""

    event: str
    agent: str
    at: datetime
    units: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionShown:
    """A session and all that it was given, in order. ``units`` is the sum."""

    session: str
    project: str | None
    source: str | None
    began: datetime
    last: datetime
    units: int
    showings: tuple[Showing, ...]


class Seen:
    """The record of what was shown. Every method may be called from any thread; none fails where the file does.

    Args:
        path: The file; ``None`` keeps the record in memory.
        clock: Returns the present, aware.
    """

    def __init__(self, path: Path | None, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._problem: str | None = None

    @property
    def problem(self) -> str | None:
        """Why the record is kept in memory alone, in words."""
        return self._problem

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def begin(self, session: str, *, source: str | None = None, project: str | None = None) -> None:
        """Note that a session begins or goes on; where its context is empty, nothing counts as shown any more."""
        now = _micros(self._clock())
        self._write(
            "INSERT INTO sessions (session, project, source, began_us, seen_us) VALUES (?, ?, ?, ?, ?) ON CONFLICT "
            "(session) DO UPDATE SET project = COALESCE(excluded.project, project), seen_us = excluded.seen_us, "
            "source = COALESCE(excluded.source, source)",
            (session, project, source, now, now),
        )
        if source in FRESH_SOURCES:
            self._write("DELETE FROM seen WHERE session = ?", (session,))

    def copy(self, parent: str, session: str) -> None:
        """Take over what another session was shown: a fork's context holds it too."""
        self._write(
            "INSERT OR IGNORE INTO seen SELECT ?, agent, id FROM seen WHERE session = ? AND agent = ''",
            (session, parent),
        )
        self._write(
            "UPDATE sessions SET cursor = (SELECT cursor FROM sessions WHERE session = ?) WHERE session = ?",
            (parent, session),
        )

    def known(self, session: str, agent: str | None = None) -> frozenset[str]:
        """Return the ids that an agent of a session was shown."""
        rows = self._rows("SELECT id FROM seen WHERE session = ? AND agent = ?", (session, agent or ""))
        return frozenset(row[0] for row in rows)

    def mark(self, session: str, ids: Collection[str], agent: str | None = None) -> None:
        """Note that an agent of a session was shown things."""
        self._write(
            "INSERT OR IGNORE INTO seen SELECT ?, ?, value FROM json_each(?)",
            (session, agent or "", json.dumps(list(ids))),
        )

    def show(self, session: str, event: str, *, units: int, ids: Sequence[str], agent: str | None = None) -> None:
        """Note that a text of so many UTF-16 units was given, and what it showed."""
        with self._lock:
            self.begin(session)
            self.mark(session, ids, agent)
            self._write(
                "INSERT INTO showings (session, agent, event, at_us, units, ids) VALUES (?, ?, ?, ?, ?, ?)",
                (session, agent or "", event, _micros(self._clock()), units, json.dumps(list(ids))),
            )

    def is_known_session(self, session: str) -> bool:
        """Tell whether a session was heard of."""
        return bool(self._rows("SELECT 1 FROM sessions WHERE session = ?", (session,)))

    def cursor(self, session: str) -> Mapping[str, int] | None:
        """Return up to where a session knows the log (``memoryd.render.news``); ``None`` where it never looked."""
        rows = self._rows("SELECT cursor FROM sessions WHERE session = ?", (session,))
        return json.loads(rows[0][0]) if rows and rows[0][0] is not None else None

    def set_cursor(self, session: str, cursor: Mapping[str, int]) -> None:
        """Remember up to where a session knows the log."""
        with self._lock:
            if not self.is_known_session(session):
                self.begin(session)
            self._write("UPDATE sessions SET cursor = ? WHERE session = ?", (json.dumps(dict(cursor)), session))

    def sessions(
        self, *, limit: int, before: tuple[datetime, str] | None = None, session: str | None = None
    ) -> list[SessionShown]:
        """Return the sessions, the one heard of last first, or one of them; ``before``: those behind that place."""
        at = None if before is None else _micros(before[0])
        rows = self._rows(
            "SELECT session, project, source, began_us, seen_us FROM sessions WHERE (? IS NULL OR seen_us < ? OR "
            "(seen_us = ? AND session > ?)) AND (? IS NULL OR session = ?) ORDER BY seen_us DESC, session LIMIT ?",
            (at, at, at, before[1] if before else "", session, session, limit),
        )
        return [self._session(row) for row in rows]

    def _session(self, row: Sequence[Any]) -> SessionShown:
        found = self._rows(
            "SELECT event, agent, at_us, units, ids FROM showings WHERE session = ? ORDER BY number", (row[0],)
        )
        showings = tuple(Showing(one[0], one[1], _instant(one[2]), one[3], tuple(json.loads(one[4]))) for one in found)
        units = sum(one.units for one in showings)
        return SessionShown(row[0], row[1], row[2], _instant(row[3]), _instant(row[4]), units, showings)

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock:
            return self._open().execute(query, values).fetchall()

    def _write(self, query: str, values: Sequence[object]) -> None:
        with self._lock:
            try:
                self._open().execute(query, values)
            except sqlite3.Error as error:
                # A disk that is full must not cost a session its answer; it may be told a thing twice.
                self._problem = f"what sessions were shown cannot be noted: {error}"

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._prepare()
            except (sqlite3.Error, OSError) as error:
                self._problem = f"what sessions were shown is kept in memory only: {error}"
                self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
                self._connection.executescript(_SCHEMA)
        return self._connection

    def _prepare(self) -> sqlite3.Connection:
        if self._path is None:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            connection.executescript(_SCHEMA)
            return connection
        try:
            return self._connect(self._path)
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            return self._connect(self._path)

    def _connect(self, path: Path) -> sqlite3.Connection:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)
        connection = sqlite3.connect(path, timeout=1, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
        elif version != FORMAT:
            connection.close()
            raise sqlite3.DatabaseError(f"its format is {version}, not {FORMAT}")
        self._forget_old(connection)
        return connection

    def _forget_old(self, connection: sqlite3.Connection) -> None:
        before = _micros(self._clock() - timedelta(days=KEPT_DAYS))
        old = "session IN (SELECT session FROM sessions WHERE seen_us < ?)"
        for table in ("seen", "showings", "sessions"):
            connection.execute(f"DELETE FROM {table} WHERE {old}", (before,))  # noqa: S608 - names of our own


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
