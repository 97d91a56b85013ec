"""The files of the attention record: ours is appended to, those of other installs lie beside it and are read."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from memoryd.text.canonical import CanonicalError
from memoryd.text.report import Problem
from semantic.attention.standing import OPS, Attended, Standing, attend, read_record, standings
from semantic.errors import InvalidDecision
from semantic.log import ndjson
from semantic.log.ids import is_mentionable
from semantic.log.instant import Clock, later_than, read_instant, write_instant
from semantic.log.shard import horizon_of


class Entry(NamedTuple):
    """An operation on ids that is to be recorded; ``scores`` are those it was decided by, in millionths."""

    op: str
    ids: tuple[str, ...]
    actor: str
    session: str | None = None
    scores: Mapping[str, int] | None = None


@dataclass(slots=True)
class _File:
    records: list[Attended] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    seq: int = 0
    latest: str = ""
    unfinished: bytes = b""
    stamp: ndjson.Stamp = field(default_factory=ndjson.Stamp)

    def take(self, record: Attended) -> None:
        """Add a record."""
        self.records.append(record)
        self.seq = max(self.seq + 1, record.seq)
        self.latest = max(self.latest, record.at)


class Attention:
    """The records below ``memory/attention``. Every method may be called from any thread.

    Reads are kept in memory until ``flush``, which the owner calls every two seconds and at its end; all other
    operations are on the disk before they return.
    """

    def __init__(self, memory: Path, install: str, clock: Clock) -> None:
        self._folder = memory / "attention"
        self._install = install
        self._clock = clock
        self.writing = self._lock = threading.RLock()
        self._files: dict[Path, _File] = {}
        self._leftovers: list[Problem] = []
        self._waiting: dict[tuple[str | None, str], dict[str, None]] = {}
        self._state: dict[str, Standing] | None = None
        self._copied: Mapping[str, Standing] | None = None  # of the state, for readers
        self._version = 0

    @property
    def folder(self) -> Path:
        """Return the folder that holds the records."""
        return self._folder

    def open(self) -> None:
        """Read all files, and cut an unfinished line off our own."""
        with self._lock:
            # As for the log: a watcher needs a folder, and a write names what stands against it.
            with suppress(OSError):
                ndjson.make_folder(self._folder)
            self._leftovers = ndjson.remove_leftovers(self._folder)
            self._files.clear()
            self.refresh()
            path = self._own
            if path in self._files and self._files[path].unfinished:
                self._append([])

    def refresh(self) -> bool:
        """Read the files that changed; tell whether any did."""
        with self._lock:
            present = sorted(self._folder.glob("*.ndjson"))
            changed = [path for path in self._files if path not in present]
            for path in changed:
                del self._files[path]
            for path in present:
                if path not in self._files or ndjson.Stamp.of(path) != self._files[path].stamp:
                    self._files[path] = self._read(path)
                    changed.append(path)
            if changed:
                self._state = None
            return bool(changed)

    def note(
        self,
        op: str,
        ids: Sequence[str],
        *,
        actor: str,
        session: str | None = None,
        scores: Mapping[str, int] | None = None,
    ) -> None:
        """Record an operation; a read waits for the next flush.

        Raises:
            InvalidDecision: The operation or an id is none.
            WriteFailed: It could not be made durable.
        """
        entry = _checked(Entry(op, tuple(ids), actor, session, scores))
        if op == "read":
            with self._lock:
                self._waiting.setdefault((session, actor), {}).update(dict.fromkeys(ids))
        else:
            self.record([entry])

    def record(self, entries: Sequence[Entry]) -> None:
        """Record operations that belong together, in one write; the reads that wait are written before them.

        Raises:
            InvalidDecision: An operation or an id is none; nothing was recorded.
            WriteFailed: They could not be made durable.
        """
        checked = [_checked(entry) for entry in entries]
        with self._lock:
            self.flush()
            if checked:
                self._append(checked)

    def flush(self) -> None:
        """Write the reads that wait.

        Raises:
            WriteFailed: They could not be made durable; they go on waiting.
        """
        with self._lock:
            if self._waiting:
                reads = self._waiting.items()
                self._append([Entry("read", tuple(ids), actor, session) for (session, actor), ids in reads])
                self._waiting.clear()

    def state(self) -> Mapping[str, Standing]:
        """Return what is recorded of each id; reads that wait are not in it yet."""
        return self.versioned()[1]

    def versioned(self) -> tuple[int, Mapping[str, Standing]]:
        """Return a number that grows with each change of the state, and the state."""
        with self._lock:
            if self._state is None:
                self._state = standings(record for file in self._files.values() for record in file.records)
                self._copied = None
            if self._copied is None:
                self._copied = MappingProxyType(self._state.copy())
                self._version += 1
            return self._version, self._copied

    def problems(self) -> list[Problem]:
        """Name the lines that could not be used."""
        with self._lock:
            found = [problem for path in sorted(self._files) for problem in self._files[path].problems]
            return [*self._leftovers, *found]

    @property
    def _own(self) -> Path:
        return self._folder / f"{self._install}.ndjson"

    def _append(self, entries: Sequence[Entry]) -> None:
        path = self._own
        with ndjson.opened(path) as descriptor:
            file = self._settled(descriptor, path)
            at = write_instant(later_than(self._clock(), self._latest()))
            records = [
                Attended(file.seq + number, at, self._install, one.session, one.actor, one.op, one.ids, one.scores)
                for number, one in enumerate(entries, start=1)
            ]
            try:
                lines = b"".join(record.line() for record in records)
            except CanonicalError as error:
                raise InvalidDecision(f"this cannot be recorded: {error}") from error
            if lines:
                ndjson.append(descriptor, path, lines)
            file.stamp = ndjson.Stamp.read(os.fstat(descriptor))
        for record in records:
            file.take(record)
            self._copied = None
            if self._state is not None:
                attend(self._state, record)

    def _settled(self, descriptor: int, path: Path) -> _File:
        """Return our file as it is now, ending with a whole line."""
        file = self._files.get(path)
        if file is None or file.unfinished or file.stamp != ndjson.Stamp.read(os.fstat(descriptor)):
            file = self._files[path] = _parsed(path.name, ndjson.read_all(descriptor))
            self._state = None
            if file.unfinished:
                # Cut as in the log; a read that was being written is the one thing that may be lost.
                ndjson.cut(descriptor, path, len(file.unfinished))
                file.unfinished = b""
        return file

    def _latest(self) -> datetime | None:
        horizon = horizon_of(self._clock())
        latest = max((file.latest for file in self._files.values() if file.latest <= horizon), default="")
        return read_instant(latest) if latest else None

    def _read(self, path: Path) -> _File:
        stamp = ndjson.Stamp.of(path)
        try:
            file = _parsed(path.name, path.read_bytes())
        except OSError as error:
            file = _File(problems=[Problem(f"attention/{path.name}", f"it cannot be read ({error.strerror})")])
        file.stamp = stamp
        return file


def _checked(entry: Entry) -> Entry:
    if entry.op not in OPS:
        raise InvalidDecision(f"op: must be one of {', '.join(OPS)}")
    if not entry.ids or not all(map(is_mentionable, entry.ids)):
        raise InvalidDecision("ids: must name at least one element, note, decision or episode by id")
    if entry.op == "swap" and len(entry.ids) != 2:
        raise InvalidDecision("ids: swap names two, the one that comes back first")
    return entry


def _parsed(name: str, data: bytes) -> _File:
    file = _File()
    lines, file.unfinished = ndjson.split_lines(data)
    for number, raw in enumerate(lines, start=1):
        try:
            record = read_record(raw)
        except ValueError as error:
            file.problems.append(Problem(f"attention/{name}", f"line {number}: {error}; it is kept and not used"))
            file.seq += 1
            continue
        if record is None:
            file.problems.append(
                Problem(f"attention/{name}", f"line {number}: a newer memoryd wrote it; it is not used")
            )
            file.seq += 1
            continue
        file.take(record)
    return file
