"""What capture has to remember between two events of a session, in ``state/sessions.sqlite``.

The file can be deleted at any time: which turns are in the journal is asked of the journal. What is lost with it is
where to look for turns that were missed. Nothing in it was not cleaned before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.text.state_file import StateFile

FORMAT = 1
_BUSY_S = 10.0
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
  session TEXT PRIMARY KEY, transcript TEXT, cwd TEXT, seen_us INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
  last_answer TEXT
) WITHOUT ROWID;
CREATE TABLE cursors (transcript TEXT PRIMARY KEY, inode INTEGER NOT NULL, place INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE prompts (
  number INTEGER PRIMARY KEY, session TEXT NOT NULL, prompt_id TEXT, asked TEXT NOT NULL, at_us INTEGER NOT NULL,
  machine INTEGER NOT NULL
);
CREATE TABLE calls (
  session TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, failed INTEGER NOT NULL,
  PRIMARY KEY (session, id)
);
CREATE TABLE summaries (
  episode TEXT PRIMARY KEY, tries INTEGER NOT NULL, next_us INTEGER NOT NULL
) WITHOUT ROWID;
"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class OpenPrompt:
    """A prompt whose turn is not over. ``is_machine_made``: no person and no program of a person sent it."""

    number: int
    prompt_id: str | None
    asked: str
    at: datetime
    is_machine_made: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A session that was heard of."""

    session: str
    transcript: str | None
    cwd: str | None
    is_ended: bool


class Sessions:
    """The open ends of all sessions. All methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self._began: datetime | None = None
        self._has_closed = False
        self._file = StateFile(
            path,
            schema=_SCHEMA,
            format=FORMAT,
            holds="what turns are under way",
            opened=self._note_beginning,
            busy_s=_BUSY_S,
        )

    def open(self, now: datetime) -> None:
        """Open the file or make it; one that cannot be read is made anew, one that cannot be made kept in memory."""
        self._began = now
        self._file.open()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def problem(self) -> str | None:
        """What is wrong with the file, in words."""
        return self._file.problem

    @property
    def since(self) -> datetime:
        """When this file was made: no session that was over before is looked for."""
        return _instant(int(self._rows("SELECT value FROM meta WHERE name = 'since'")[0][0]))

    def note(self, session: str, *, transcript: str | None, cwd: str | None, at: datetime) -> None:
        """Remember that a session lives, and where its file is."""
        self._write(
            "INSERT INTO sessions (session, transcript, cwd, seen_us) VALUES (?, ?, ?, ?) ON CONFLICT (session) DO "
            "UPDATE SET transcript = COALESCE(excluded.transcript, transcript), cwd = COALESCE(excluded.cwd, cwd), "
            "seen_us = excluded.seen_us, ended = 0",
            (session, transcript, cwd, _micros(at)),
        )

    def end(self, session: str) -> None:
        """Remember that a session is over."""
        self._write("UPDATE sessions SET ended = 1 WHERE session = ?", (session,))

    def known(self, session: str | None = None) -> list[Known]:
        """Return the sessions, the one heard of last first; or only one of them."""
        rows = self._rows(
            "SELECT session, transcript, cwd, ended FROM sessions WHERE ? IS NULL OR session = ? "
            "ORDER BY seen_us DESC, session",
            (session, session),
        )
        return [Known(row[0], row[1], row[2], bool(row[3])) for row in rows]

    def cursor(self, transcript: Path) -> int:
        """Return the byte of a session file from which turns are not recorded yet; 0 where it is another file."""
        rows = self._rows("SELECT inode, place FROM cursors WHERE transcript = ?", (str(transcript),))
        if not rows:
            return 0
        status = transcript.stat()
        return int(rows[0][1]) if status.st_ino == rows[0][0] and status.st_size >= rows[0][1] else 0

    def set_cursor(self, transcript: Path, place: int) -> None:
        """Remember up to which byte the turns of a session file are recorded."""
        self._write(
            "INSERT OR REPLACE INTO cursors VALUES (?, ?, ?)", (str(transcript), transcript.stat().st_ino, place)
        )

    def open_prompt(self, session: str, asked: str, *, prompt_id: str | None, at: datetime, machine: bool) -> None:
        """Remember a prompt (clean) whose turn begins; one that came before with its id is not remembered twice."""
        if prompt_id is not None and any(one.prompt_id == prompt_id for one in self.prompts(session)):
            return
        self._write(
            "INSERT INTO prompts (session, prompt_id, asked, at_us, machine) VALUES (?, ?, ?, ?, ?)",
            (session, prompt_id, asked, _micros(at), machine),
        )

    def prompts(self, session: str) -> list[OpenPrompt]:
        """Return the open prompts of a session, in order."""
        rows = self._rows(
            "SELECT number, prompt_id, asked, at_us, machine FROM prompts WHERE session = ? ORDER BY number", (session,)
        )
        return [OpenPrompt(row[0], row[1], row[2], _instant(row[3]), bool(row[4])) for row in rows]

    def close_prompts(self, numbers: Sequence[int]) -> None:
        """Forget open prompts."""
        self._write(
            "DELETE FROM prompts WHERE number IN (SELECT value FROM json_each(?))", (json.dumps(list(numbers)),)
        )
        self._has_closed = True

    def note_call(self, session: str, id_: str, name: str, body: dict[str, Any], *, failed: bool) -> None:
        """Remember a tool that was used (clean), for a turn whose session file cannot be read."""
        self._write(
            "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?)",
            (session, id_, name, json.dumps(body, ensure_ascii=False), failed),
        )

    def take_calls(self, session: str) -> list[tuple[str, str, dict[str, Any], bool]]:
        """Return (id, tool, values, whether it failed) of the tools used since the last turn, and forget them."""
        with self._file.lock:
            rows = self._rows("SELECT id, name, body, failed FROM calls WHERE session = ? ORDER BY rowid", (session,))
            self._write("DELETE FROM calls WHERE session = ?", (session,))
        self._has_closed = True
        return [(row[0], row[1], json.loads(row[2]), bool(row[3])) for row in rows]

    def last_answer(self, session: str) -> str | None:
        """Return the hash of the answer that was recorded last for a session."""
        rows = self._rows("SELECT last_answer FROM sessions WHERE session = ?", (session,))
        return None if not rows else rows[0][0]

    def set_last_answer(self, session: str, answer: str) -> None:
        """Remember the hash of the answer that was recorded last for a session."""
        self._write("UPDATE sessions SET last_answer = ? WHERE session = ?", (answer, session))

    def want_summary(self, episode: str, *, tries: int, at: datetime) -> None:
        """Remember that an entry wants a summary, not before an instant."""
        self._write("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)", (episode, tries, _micros(at)))

    def wanting_summaries(self, now: datetime, limit: int) -> list[tuple[str, int]]:
        """Return (entry, tries so far) of those whose time has come."""
        rows = self._rows(
            "SELECT episode, tries FROM summaries WHERE next_us <= ? ORDER BY next_us LIMIT ?", (_micros(now), limit)
        )
        return [(row[0], row[1]) for row in rows]

    def next_summary(self) -> datetime | None:
        """Return when the next summary is due, ``None`` where none is wanted."""
        rows = self._rows("SELECT MIN(next_us) FROM summaries")
        return None if rows[0][0] is None else _instant(rows[0][0])

    def drop_summary(self, episode: str) -> None:
        """Remember that an entry wants no summary any more."""
        self._write("DELETE FROM summaries WHERE episode = ?", (episode,))

    def wipe(self) -> None:
        """Leave nothing on the disk of prompts and calls that are closed: what they said may be forgotten later."""
        if self._has_closed:
            self._has_closed = False
            self._file.wipe()

    def _note_beginning(self, connection: sqlite3.Connection) -> None:
        assert self._began is not None, "the sessions are not open"
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('since', ?)", (str(_micros(self._began)),))

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        return self._file.rows(query, values)

    def _write(self, query: str, values: Sequence[object]) -> None:
        self._file.rows(query, values)


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
