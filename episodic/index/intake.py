"""Taking a file's entries and pieces into the manifest."""

from __future__ import annotations

import hashlib
import sqlite3
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from pathlib import Path

from episodic.errors import UnreadableFile
from episodic.index.chunk import cut_episode
from episodic.index.cutting import Cutter
from episodic.index.documents import Documents
from episodic.index.draft import (
    EPISODE_FIELDS,
    INSERT_CHUNK,
    INSERT_EPISODE,
    LONG_CHARS,
    Draft,
    Held,
    chunk_rows,
    drafted,
    episode_row,
    held,
    write,
)
from episodic.index.manifest import FileRow, Manifest, grow_sequence, put_file
from episodic.index.refusal import Refusals
from episodic.index.timeline import micros
from episodic.journal.dayfile import Stamp, Written, stamp_of
from episodic.journal.enclosure import check_inside
from episodic.journal.excerpt import EXCERPTS
from episodic.journal.namesake import renamed, settled_ids
from episodic.journal.text import Entry, read_day_text, read_own_section
from memoryd.text.decode import decode

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A larger file is no day that a person or an agent wrote."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file to take in: where it lies, how a hit shows its path, the root it belongs to, and its day.

    A link is followed only to what lies in one of the folders ``within``.
    """

    path: Path
    shown: str
    root: str
    day: date
    within: tuple[Path, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read, and what the manifest had of it then; no draft where its bytes are as they were known."""

    place: Place
    row: FileRow
    known: FileRow | None
    hashed: hashlib._Hash
    cuts: int
    old: Held | None = None
    draft: Draft | None = None
    counted: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


@dataclass(slots=True)
class Expected:
    """The rows that a file should have: its lines, and those of its entries, its pieces, and the pieces' texts.

    Of the entries at the positions ``uncut``, the pieces are still to come.
    """

    lines: int
    episodes: list[tuple[object, ...]] = field(default_factory=list)
    chunks: list[tuple[object, ...]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    uncut: set[int] = field(default_factory=set)


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
        self._own: dict[str, Stamp] = {}
        self._hashes: dict[str, tuple[Stamp, hashlib._Hash]] = {}
        self.cutter = Cutter(manifest, documents)

    def take(self, place: Place, *, is_forced: bool = False) -> bool:
        """Take a file in; return whether anything in it differs from what was known.

        Raises:
            UnreadableFile: It cannot be read; what was known of it stays.
        """
        for _ in range(_TRIES):
            changed = self.write(self.read(place, is_forced=is_forced))
            if changed is not None:
                return changed
        with self._manifest.writing():  # whoever cuts long entries waits
            return bool(self.write(self.read(place, is_forced=is_forced)))

    def read(self, place: Place, *, is_forced: bool = False) -> Reading:
        """Read a file and work out its rows; this takes long where much is new, and holds no lock.

        Args:
            place: The file.
            is_forced: Work out everything anew, whatever is known.

        Raises:
            UnreadableFile: It cannot be read.
        """
        cuts = self.cutter.cuts
        data, stamp = _read(place)
        known = self._manifest.file(place.shown)
        hashed = hashlib.sha256(data)
        sha256 = hashed.hexdigest()
        if known is not None and known.sha256 == sha256 and not is_forced:
            row = replace(known, stamp=stamp, read_at_ns=self._now_ns())
            return Reading(place, row, known, hashed, cuts)
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
        with self._manifest.reading() as connection:
            old = held(connection, place.shown)
        draft = drafted(row, entries, Held() if is_forced else old)
        draft.stale |= {chunk[3] for chunk in old.chunks} if is_forced else set()
        return Reading(place, row, known, hashed, cuts, old, draft, self.cutter.counted(draft))

    def write(self, reading: Reading) -> bool | None:
        """Write what was read; ``None`` where the manifest has changed since, so that it must be read again."""
        shown, draft, old = reading.place.shown, reading.draft, reading.old
        with self._manifest.writing() as connection:
            if self.cutter.cuts != reading.cuts or self._manifest.file(shown) != reading.known:
                return None
            put_file(connection, reading.row)
            if draft is not None and old is not None:
                self.cutter.rewritten += 1
                write(connection, shown, draft, old)
                self._documents.settle(connection, sorted(draft.stale), draft.texts, reading.counted)
                self.cutter.part_namesakes(connection, {row[_ANCHOR] for row in (*draft.episodes, *old.episodes)})
                grow_sequence(connection)
        self._own.pop(shown, None)
        self._keep_hash(shown, reading.row.stamp, reading.hashed)
        return draft is not None

    def take_appended(self, place: Place, section: str, written: Written) -> list[str] | None:
        """Take in a section that was just appended, without reading the file again.

        Returns:
            The ids of its pieces, none where they follow in the background; ``None`` where the file is not as it was
            known, and must be read whole.
        """
        known = self._manifest.file(place.shown)
        data = f"\n{section}".encode()
        if known is None or written.before != known.stamp or not written.ended_in_newline:
            return None
        if written.after.size - known.stamp.size != len(data):
            return None
        hashed = self._hash_before(place, known)
        if hashed is None:
            return None
        hashed.update(data)
        above = known.lines + 1
        if len(section) > LONG_CHARS:
            read = [read_own_section(section, file=place.shown, day=place.day, zone=self._zone)]
        else:
            read = list(read_day_text(section, file=place.shown, day=place.day, zone=self._zone).entries)
        lines = above + section.count("\n")
        sha256 = hashed.hexdigest()
        row = replace(known, stamp=written.after, lines=lines, sha256=sha256, read_at_ns=self._now_ns())
        with self._manifest.writing() as connection:
            position = _next(connection, "SELECT MAX(position) FROM episodes WHERE path = ?", row.path)
            draft = drafted(row, [_moved(entry, above) for entry in read], Held(), first_position=position)
            put_file(connection, row)
            connection.executemany(INSERT_EPISODE, draft.episodes)
            connection.executemany(INSERT_CHUNK, draft.chunks)
            connection.executemany("INSERT INTO uncut VALUES (?, ?)", [(row.path, place_) for place_ in draft.uncut])
            self._documents.settle(connection, sorted(draft.stale), draft.texts)
            self.cutter.part_namesakes(connection, {row[_ANCHOR] for row in draft.episodes})
            grow_sequence(connection)
        self._own[place.shown] = written.after
        self._keep_hash(place.shown, written.after, hashed)
        return list(draft.texts)

    def is_own(self, place: Place) -> bool:
        """Tell whether the last change of a file was an append of ours, so that nothing in it is new."""
        own = self._own.get(place.shown)
        try:
            return own is not None and stamp_of(place.path.stat()) == own
        except OSError:
            return False

    def expected(self, place: Place) -> Expected:
        """Return what a file should have in the manifest, read anew; nothing is written.

        Raises:
            UnreadableFile: It cannot be read.
        """
        data, stamp = _read(place)
        day = read_day_text(decode(data).text, file=place.shown, day=place.day, zone=self._zone)
        entries, _ = self._admitted(place, day.entries)
        row = FileRow(place.shown, place.root, place.day.isoformat(), stamp, data.count(b"\n"), "", 0, None)
        expected = Expected(row.lines)
        anchors = {entry.episode.id for entry in entries}
        with self._manifest.reading() as connection:
            uncut = held(connection, place.shown).uncut
            ids = {} if place.root == EXCERPTS else settled_ids(connection, anchors)
        for position, as_read in enumerate(entries):
            _, id_ = ids.get((place.shown, position), ("", as_read.episode.id))
            entry = replace(as_read, episode=replace(as_read.episode, id=id_))
            chunks = [] if position in uncut else cut_episode(entry)
            count = 2 if position in uncut else len(chunks)
            expected.episodes.append(episode_row(row, position, entry, count, anchor=as_read.episode.id))
            expected.chunks += chunk_rows(row.path, position, chunks)
            expected.texts.update((chunk.id, chunk.text) for chunk in chunks)
        expected.uncut = uncut
        return expected

    def remove(self, shown: str) -> bool:
        """Remove what is known of a file; return whether it was known."""
        with self._manifest.writing() as connection:
            old = _ids(connection, shown)
            anchors = {row[0] for row in connection.execute("SELECT anchor FROM episodes WHERE path = ?", (shown,))}
            for table in ("episodes", "chunks", "uncut"):
                connection.execute(f"DELETE FROM {table} WHERE path = ?", (shown,))  # noqa: S608 - fixed names
            was_known = connection.execute("DELETE FROM files WHERE path = ?", (shown,)).rowcount > 0
            self._documents.settle(connection, sorted(old), {})
            self.cutter.part_namesakes(connection, anchors)
            self.cutter.rewritten += 1
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

    def problem_of(self, shown: str) -> str | None:
        """Return, in words, what could not be read of a file as it was meant."""
        file = self._manifest.file(shown)
        with self._manifest.reading() as connection:
            found = [file.problem if file is not None else None, *renamed(connection, shown)]
        return "; ".join(filter(None, found)) or None

    def _hash_before(self, place: Place, known: FileRow) -> hashlib._Hash | None:
        """Return the hash of a file as it was known; ``None`` where what it holds up to there is something else."""
        kept = self._hashes.get(place.shown)
        if kept is not None and kept[0] == known.stamp:
            return kept[1].copy()
        try:
            with place.path.open("rb") as file:
                hashed = hashlib.sha256(file.read(known.stamp.size))
        except OSError:
            return None
        return hashed if hashed.hexdigest() == known.sha256 else None

    def _keep_hash(self, shown: str, stamp: Stamp, hashed: hashlib._Hash) -> None:
        self._hashes.pop(shown, None)
        self._hashes[shown] = (stamp, hashed)
        while len(self._hashes) > _KEPT_HASHES:
            self._hashes.pop(next(iter(self._hashes)))

    def _now_ns(self) -> int:
        return micros(self._clock()) * 1000


def read_place(place: Place, *, zone: tzinfo) -> tuple[Entry, ...]:
    """Return the entries of a file, without the manifest; nothing where it cannot be read."""
    try:
        data, _ = _read(place)
    except UnreadableFile:
        return ()
    return read_day_text(decode(data).text, file=place.shown, day=place.day, zone=zone).entries


_ANCHOR = EPISODE_FIELDS.index("anchor")
_TRIES = 3
_KEPT_HASHES = 64


def _read(place: Place) -> tuple[bytes, Stamp]:
    path = place.path
    check_inside(path, place.within)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile("it is no regular file; it was not read")
        if status.st_size > MAX_FILE_BYTES:
            raise UnreadableFile(f"it has {status.st_size} bytes, more than a day may have; it was not read")
        return path.read_bytes(), stamp_of(status)
    except OSError as error:
        raise UnreadableFile(f"it cannot be read: {error.strerror or error}") from error


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
