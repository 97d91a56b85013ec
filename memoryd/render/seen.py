"""What each session was shown, in ``state/shown.sqlite``: so that nothing is told twice, and anyone can see its cost.

A session's agent and each of its sub-agents have a context of their own, so what was shown is kept by (session,
agent). The same set serves hooks and tools. Of what can change, the version that was shown last is kept as well, so
that a change can be told. The file can be deleted: then things are told again, once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from memoryd.text.state_file import StateFile

log = structlog.get_logger("memoryd.seen")

FORMAT = 2
KEPT_DAYS = 30
FRESH_SOURCES = frozenset({"startup", "clear", "compact"})
"""Ways a session begins in which its context holds nothing of what it was shown before."""

_SCHEMA = """
CREATE TABLE sessions (
  session TEXT PRIMARY KEY, project TEXT, source TEXT, began_us INTEGER NOT NULL, seen_us INTEGER NOT NULL, cursor TEXT
) WITHOUT ROWID;
CREATE TABLE seen (session TEXT, agent TEXT, id TEXT, PRIMARY KEY (session, agent, id)) WITHOUT ROWID;
CREATE TABLE versions (session TEXT, agent TEXT, id TEXT, version TEXT, PRIMARY KEY (session, agent, id)) WITHOUT ROWID;
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
        versions_of: Returns, of some ids, the versions of those that can change, as they are now.
    """

    def __init__(
        self,
        path: Path | None,
        clock: Callable[[], datetime],
        versions_of: Callable[[Collection[str]], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._clock = clock
        self._versions_of = versions_of
        self._file = StateFile(
            path, schema=_SCHEMA, format=FORMAT, holds="what sessions were shown", opened=self._forget_old
        )

    @property
    def problem(self) -> str | None:
        """What is wrong with the record, in words."""
        return self._file.problem

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

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
            for table in ("seen", "versions"):
                self._write(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608 - names of our own

    def copy(self, parent: str, session: str) -> None:
        """Take over what another session was shown: a fork's context holds it too."""
        self._write(
            "INSERT OR IGNORE INTO seen SELECT ?, agent, id FROM seen WHERE session = ? AND agent = ''",
            (session, parent),
        )
        self._write(
            "INSERT OR IGNORE INTO versions SELECT ?, agent, id, version FROM versions WHERE session = ? "
            "AND agent = ''",
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
        """Note that an agent of a session was shown things, as they are now."""
        self._write(
            "INSERT OR IGNORE INTO seen SELECT ?, ?, value FROM json_each(?)",
            (session, agent or "", json.dumps(list(ids))),
        )
        self.set_versions(session, self._versions_of(ids), agent)

    def versions(self, session: str, agent: str | None = None) -> Mapping[str, str]:
        """Return, by id, the versions that an agent of a session was shown last of what can change."""
        rows = self._rows("SELECT id, version FROM versions WHERE session = ? AND agent = ?", (session, agent or ""))
        return {row[0]: row[1] for row in rows}

    def set_versions(self, session: str, versions: Mapping[str, str], agent: str | None = None) -> None:
        """Note which versions an agent of a session knows."""
        if versions:
            self._write(
                "INSERT OR REPLACE INTO versions SELECT ?, ?, key, value FROM json_each(?)",
                (session, agent or "", json.dumps(dict(versions))),
            )

    def show(self, session: str, event: str, *, units: int, ids: Sequence[str], agent: str | None = None) -> None:
        """Note that a text of so many UTF-16 units was given, and what it showed."""
        with self._file.lock:
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
        with self._file.lock:
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
        try:
            return self._file.rows(query, values)
        except sqlite3.Error as error:
            # A disk that is full must not cost a session its answer; it may be told a thing twice.
            log.warning("shown_unusable", reason=type(error).__name__)
            return []

    def _write(self, query: str, values: Sequence[object]) -> None:
        self._rows(query, values)

    def _forget_old(self, connection: sqlite3.Connection) -> None:
        before = _micros(self._clock() - timedelta(days=KEPT_DAYS))
        old = "session IN (SELECT session FROM sessions WHERE seen_us < ?)"
        for table in ("seen", "versions", "showings", "sessions"):
            connection.execute(f"DELETE FROM {table} WHERE {old}", (before,))  # noqa: S608 - names of our own


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
