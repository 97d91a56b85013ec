"""Taking a file's entries and pieces into the manifest."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from episodic.chunk import Chunk, cut_episode
from episodic.dayfile import Stamp, Written, stamp_of
from episodic.documents import Documents
from episodic.excerpt import EXCERPTS
from episodic.journal import Entry, read_day_text
from episodic.manifest import FileRow, Manifest, grow_sequence, put_file
from episodic.refusal import Refusals
from episodic.timeline import micros
from memoryd.text.decode import decode

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A larger file is no day that a person or an agent wrote."""


class UnreadableFileError(Exception):
    """A file cannot be read at all; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file to take in: where it lies, how a hit shows its path, the root it belongs to, and its day."""

    path: Path
    shown: str
    root: str
    day: date


@dataclass(slots=True)
class Expected:
    """The rows that a file should have: its lines, and those of its entries, its pieces, and the pieces' texts."""

    lines: int
    episodes: list[tuple[object, ...]] = field(default_factory=list)
    chunks: list[tuple[object, ...]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


class Intake:
    """Keeps the manifest's rows of a file in line with the file."""

    def __init__(
        self,
        manifest: Manifest,
        documents: Documents,
        refusals: Refusals,
        *,
        zone: tzinfo,
        clock: Callable[[], datetime],
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._refusals = refusals
        self._zone = zone
        self._clock = clock
        self._refused: dict[str, Place] = {}

    def take(self, place: Place, *, is_forced: bool = False) -> bool:
        """Take a file in; return whether anything in it differs from what was known.

        Raises:
            UnreadableFileError: It cannot be read; what was known of it stays.
        """
        data, stamp = _read(place.path)
        known = self._manifest.file(place.shown)
        sha256 = hashlib.sha256(data).hexdigest()
        if known is not None and known.sha256 == sha256 and not is_forced:
            with self._manifest.writing() as connection:
                put_file(connection, replace(known, stamp=stamp, read_at_ns=self._now_ns()))
            return False
        decoded = decode(data)
        day = read_day_text(decoded.text, file=place.shown, day=place.day, zone=self._zone)
        entries, problems = self._admitted(place, day.entries)
        row = FileRow(
            place.shown,
            place.root,
            place.day.isoformat(),
            stamp,
            data.count(b"\n"),
            sha256,
            self._now_ns(),
            "; ".join((*decoded.problems, *day.problems, *problems)) or None,
        )
        with self._manifest.writing() as connection:
            old = _ids(connection, place.shown)
            connection.execute("DELETE FROM episodes WHERE path = ?", (place.shown,))
            connection.execute("DELETE FROM chunks WHERE path = ?", (place.shown,))
            put_file(connection, row)
            self._insert(connection, row, entries, old=old)
        return True

    def take_appended(self, place: Place, section: str, written: Written) -> list[str] | None:
        """Take in a section that was just appended, without reading the file again.

        Returns:
            The ids of its pieces; ``None`` where the file is not as it was known, and must be read whole.
        """
        known = self._manifest.file(place.shown)
        if known is None or written.before != known.stamp or not written.ended_in_newline:
            return None
        above = known.lines + 1
        entries = [
            _moved(entry, above)
            for entry in read_day_text(section, file=place.shown, day=place.day, zone=self._zone).entries
        ]
        lines = above + section.count("\n")
        row = replace(known, stamp=written.after, lines=lines, sha256="", read_at_ns=self._now_ns())
        with self._manifest.writing() as connection:
            put_file(connection, row)
            return self._insert(connection, row, entries, old=())

    def expected(self, place: Place) -> Expected:
        """Return what a file should have in the manifest, read anew; nothing is written.

        Raises:
            UnreadableFileError: It cannot be read.
        """
        data, stamp = _read(place.path)
        day = read_day_text(decode(data).text, file=place.shown, day=place.day, zone=self._zone)
        entries, _ = self._admitted(place, day.entries)
        row = FileRow(place.shown, place.root, place.day.isoformat(), stamp, data.count(b"\n"), "", 0, None)
        expected = Expected(row.lines)
        for position, entry in enumerate(entries):
            chunks = cut_episode(entry)
            expected.episodes.append(_episode_row(row, position, entry, len(chunks)))
            for chunk in chunks:
                expected.chunks.append(_chunk_row(row, len(expected.chunks), position, chunk))
                expected.texts[chunk.id] = chunk.text
        return expected

    def remove(self, shown: str) -> bool:
        """Remove what is known of a file; return whether it was known."""
        with self._manifest.writing() as connection:
            old = _ids(connection, shown)
            connection.execute("DELETE FROM episodes WHERE path = ?", (shown,))
            connection.execute("DELETE FROM chunks WHERE path = ?", (shown,))
            was_known = connection.execute("DELETE FROM files WHERE path = ?", (shown,)).rowcount > 0
            self._documents.settle(connection, sorted(old), {})
            if was_known:
                grow_sequence(connection)
        return was_known

    def is_unchanged(self, place: Place, status: Stamp) -> bool:
        """Tell whether a file is surely as it was read; one that was written just before that is looked at again."""
        known = self._manifest.file(place.shown)
        return known is not None and known.stamp == status and known.read_at_ns - status.mtime_ns > 2_000_000_000

    def take_refused(self) -> list[Place]:
        """Return the files in which forgotten entries of ours were met since the last call."""
        places, self._refused = list(self._refused.values()), {}
        return places

    def _admitted(self, place: Place, entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
        """Leave out what was forgotten, and of an excerpt what is not its turn's."""
        if place.root == EXCERPTS:
            entries = [entry for entry in entries if entry.written]
        if any(entry.written and entry.episode.id in self._refusals for entry in entries):
            self._refused[place.shown] = place
        admitted = [entry for entry in entries if entry.episode.id not in self._refusals]
        problems = [
            f"line {entry.episode.lines[0]}: an entry at this place was forgotten, so this one is not shown; "
            "change its heading to have it back"
            for entry in entries
            if entry.episode.id in self._refusals and not entry.written
        ]
        return admitted, problems

    def _insert(
        self, connection: sqlite3.Connection, row: FileRow, entries: Iterable[Entry], *, old: Iterable[str]
    ) -> list[str]:
        position = _next(connection, "SELECT MAX(position) FROM episodes WHERE path = ?", row.path)
        ordinal = _next(connection, "SELECT MAX(ordinal) FROM chunks WHERE path = ?", row.path)
        texts: dict[str, tuple[str, str]] = {}
        for entry in entries:
            chunks = cut_episode(entry)
            connection.execute(_INSERT_EPISODE, _episode_row(row, position, entry, len(chunks)))
            connection.executemany(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
                [_chunk_row(row, ordinal + n, position, chunk) for n, chunk in enumerate(chunks)],
            )
            texts.update((chunk.id, (chunk.text, chunk.text_hash)) for chunk in chunks)
            position += 1
            ordinal += len(chunks)
        self._documents.settle(connection, dict.fromkeys([*sorted(old), *texts]), texts)
        grow_sequence(connection)
        return list(texts)

    def _now_ns(self) -> int:
        return micros(self._clock()) * 1000


_IS_EXCERPT = 2
"""Stands in ``written`` for an excerpt; 1 is an entry of ours, 0 one that a person wrote."""

_INSERT_EPISODE = f"INSERT INTO episodes VALUES ({','.join('?' * 18)})"  # noqa: S608 - no value stands in it


def _read(path: Path) -> tuple[bytes, Stamp]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFileError("it is no regular file; it was not read")
        if status.st_size > MAX_FILE_BYTES:
            raise UnreadableFileError(f"it has {status.st_size} bytes, more than a day may have; it was not read")
        return path.read_bytes(), stamp_of(status)
    except OSError as error:
        raise UnreadableFileError(f"it cannot be read: {error.strerror or error}") from error


def _ids(connection: sqlite3.Connection, shown: str) -> set[str]:
    return {row[0] for row in connection.execute("SELECT DISTINCT id FROM chunks WHERE path = ?", (shown,))}


def _next(connection: sqlite3.Connection, query: str, path: str) -> int:
    highest = connection.execute(query, (path,)).fetchone()[0]
    return 0 if highest is None else int(highest) + 1


def _moved(entry: Entry, lines: int) -> Entry:
    first, last = entry.episode.lines
    return replace(
        entry,
        episode=replace(entry.episode, lines=(first + lines, last + lines)),
        body_line=entry.body_line + lines,
    )


def _episode_row(row: FileRow, position: int, entry: Entry, pieces: int) -> tuple[object, ...]:
    episode = entry.episode
    offset = episode.at.utcoffset() or timedelta(0)
    return (
        row.path,
        position,
        episode.id,
        row.day,
        episode.title,
        episode.text,
        micros(episode.at),
        round(offset / timedelta(minutes=1)),
        episode.lines[0],
        episode.lines[1],
        episode.project,
        episode.session,
        episode.turn,
        episode.transcript,
        episode.key,
        json.dumps(episode.files, ensure_ascii=False),
        _IS_EXCERPT if row.root == EXCERPTS else entry.written,
        # Even a short excerpt is only a part of what its entry says.
        max(2, pieces) if row.root == EXCERPTS else pieces,
    )


def _chunk_row(row: FileRow, ordinal: int, position: int, chunk: Chunk) -> tuple[object, ...]:
    heading = json.dumps(chunk.heading, ensure_ascii=False)
    return (row.path, ordinal, position, chunk.id, heading, chunk.lines[0], chunk.lines[1])
