"""Whether the files that an element touches are still as they were when somebody last decided about it.

What an element says of a file was true of the file as it was then. Here each such file is known by the hash that it
had, in ``state/confirmed.sqlite``: a file that has another one by now, or that is gone, makes the element unconfirmed,
until the next decision about it or until the file is again what it was.

A file that is looked at for the first time after the decision cannot be compared. If it has not been written since, it
is as it was; if it has, and the decision was recorded on this machine, it changed; if the decision came from another
machine, nothing is known and the file counts from here on.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memoryd.text.durable import in_64_bits
from semantic.graph.curated import PathEnds
from semantic.model import Decision, Element
from semantic.projection.picture import Projection

FORMAT = 1
LARGEST_BYTES = 4 * 2**20
"""Of a larger file only size and time are looked at."""
MOST_TOUCHED = 32
"""So many files of one element are looked at."""
BUSY_S = 0.2

_SCHEMA = """
CREATE TABLE files (
  element TEXT, path TEXT, decision TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  since_us INTEGER, PRIMARY KEY (element, path)
) WITHOUT ROWID;
"""
_UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class _Row:
    """What is kept of a file: its hash when it was confirmed, how it looked last, since when it differs."""

    decision: str
    hash: str
    size: int
    mtime_ns: int
    since_us: int | None


class Confirmed:
    """Tells since when elements are unconfirmed. Any thread may ask; where its file fails, each look is the first.

    Args:
        path: The file that keeps the hashes; it may be deleted.
        install: The id of this install: it says which roots of projects and which decisions are of this machine.
        known: Returns the picture of the log.
        clock: Returns the present, aware.
    """

    def __init__(
        self, path: Path, install: str, known: Callable[[], Projection], clock: Callable[[], datetime]
    ) -> None:
        self._path = path
        self._install = install
        self._known = known
        self._clock = clock
        self._lock = threading.Lock()
        self._ends: tuple[object, PathEnds] | None = None

    def since(self, elements: Iterable[Element]) -> dict[str, datetime]:
        """Return, by element id, since when a file that it touches is not as it was confirmed; others are left out."""
        touching = [element for element in elements if element.touches]
        if not touching:
            return {}
        with self._lock, closing(_opened(self._path)) as files:
            picture = self._known()
            found = {}
            for element in touching:
                instants = list(self._differing(files, picture, element))
                if instants:
                    found[element.id] = min(instants)
            with suppress(sqlite3.Error):  # the disk is full: it is looked at once more
                files.commit()
            return found

    def _differing(self, files: sqlite3.Connection, picture: Projection, element: Element) -> Iterator[datetime]:
        decisions = [picture.decisions[id_] for id_ in element.decisions if id_ in picture.decisions]
        if not decisions:
            return
        confirmed = max(decisions, key=lambda one: one.order)
        for touched in element.touches[:MOST_TOUCHED]:
            file = self._file(picture, touched, element.project)
            if file is not None and (since := self._looked_at(files, element.id, touched, confirmed, file)) is not None:
                yield since

    def _file(self, picture: Projection, touched: str, project: str | None) -> Path | None:
        """Return the file that is touched, if it is one of a project that lies here; ``None`` for a glob."""
        if self._ends is None or self._ends[0] is not picture:
            self._ends = (picture, PathEnds(picture))
        _, named, path = self._ends[1].id_of(touched, project).split(":", 2)
        path = path.partition("#")[0]
        held = picture.projects.get(named)
        if held is None or any(mark in path for mark in "*?[") or ".." in path.split("/"):
            return None
        for root in held.roots:
            folder = Path(root.path)
            folder = folder.parent if folder.name == ".git" else folder
            if root.install == self._install and folder.is_dir():
                file = folder / path
                return file if file.is_relative_to(folder) else None
        return None

    def _looked_at(
        self, files: sqlite3.Connection, element: str, touched: str, confirmed: Decision, file: Path
    ) -> datetime | None:
        held = _row(files, element, touched)
        if held is not None and held.decision != confirmed.id:
            held = None  # it was confirmed anew
        try:
            seen = file.lstat()
        except OSError:
            return self._gone(files, element, touched, confirmed, held)
        if stat.S_ISLNK(seen.st_mode) or not stat.S_ISREG(seen.st_mode):
            return None  # of a folder it is enough that it is there; a link leads who knows where
        size, mtime_ns = seen.st_size, in_64_bits(seen.st_mtime_ns)
        if held is not None and (held.size, held.mtime_ns) == (size, mtime_ns):
            return _instant(held.since_us)
        now_hash = _hash_of(file, seen)
        written_us = mtime_ns // 1000
        if held is not None and held.hash != _UNKNOWN:
            since = None if now_hash == held.hash else (held.since_us or written_us)
            row = _Row(confirmed.id, held.hash, size, mtime_ns, since)
        elif held is not None:
            row = _Row(confirmed.id, _UNKNOWN, size, mtime_ns, held.since_us or written_us)
        elif written_us <= _microseconds(confirmed.at) or confirmed.order[1] != self._install:
            row = _Row(confirmed.id, now_hash, size, mtime_ns, None)
        else:
            row = _Row(confirmed.id, _UNKNOWN, size, mtime_ns, written_us)
        _keep(files, element, touched, row)
        return _instant(row.since_us)

    def _gone(
        self, files: sqlite3.Connection, element: str, touched: str, confirmed: Decision, held: _Row | None
    ) -> datetime | None:
        if held is None:
            # Nobody saw it here: it may be a file that is yet to be written.
            row = _Row(confirmed.id, _UNKNOWN, -1, -1, _microseconds(self._clock()))
        elif held.size == -1:
            return _instant(held.since_us)
        else:
            row = _Row(confirmed.id, held.hash, -1, -1, held.since_us or _microseconds(self._clock()))
        _keep(files, element, touched, row)
        return _instant(row.since_us)


def _row(files: sqlite3.Connection, element: str, touched: str) -> _Row | None:
    found = files.execute(
        "SELECT decision, hash, size, mtime_ns, since_us FROM files WHERE element = ? AND path = ?", (element, touched)
    )
    row = found.fetchone()
    return None if row is None else _Row(*row)


def _keep(files: sqlite3.Connection, element: str, touched: str, row: _Row) -> None:
    values = (element, touched, row.decision, row.hash, row.size, row.mtime_ns, row.since_us)
    with suppress(sqlite3.Error):  # the disk is full: it is looked at once more
        files.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def _opened(path: Path) -> sqlite3.Connection:
    """Return the file that keeps the hashes; one in memory where it cannot be opened or is none."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        return _with_tables(sqlite3.connect(path, timeout=BUSY_S))
    except (sqlite3.Error, OSError):
        return _with_tables(sqlite3.connect(":memory:"))


def _with_tables(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            connection.execute("DROP TABLE IF EXISTS files")
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _hash_of(file: Path, seen: os.stat_result) -> str:
    if seen.st_size > LARGEST_BYTES:
        return f"{seen.st_size} {seen.st_mtime_ns}"
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return f"{seen.st_size} {seen.st_mtime_ns}"


def _microseconds(instant: datetime) -> int:
    return int(instant.timestamp() * 1_000_000)


def _instant(since_us: int | None) -> datetime | None:
    return None if since_us is None else datetime.fromtimestamp(since_us / 1_000_000, UTC)
