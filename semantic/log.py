"""The decision log: every install's shard, read, verified and put into one order; our own shard, appended to.

The files are the truth. What is held here is only what was read from them, and a file that something else changed is
read again before the next line is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.text.canonical import CanonicalError
from memoryd.text.report import Problem
from semantic import ndjson
from semantic.errors import BrokenLine, InvalidDecision, WriteFailed
from semantic.event import VERSION, Event, Head, purged_line, read_line, seal
from semantic.instant import Clock, later_than, read_instant, write_instant
from semantic.shard import Shard, ShardKey, horizon_of, read_shard, unknown_events

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has a place in a shard. An id that depends on the instant is a function of its text."""

    kind: str
    id: str | Callable[[str], str]
    body: Mapping[str, Any]
    actor: str
    session: str | None = None
    project: str | None = None


class Log:
    """The shards below ``memory/log``. Not safe for several threads: its owner holds a lock."""

    def __init__(self, memory: Path, install: str, clock: Clock) -> None:
        self._root = memory / "log"
        self._install = install
        self._clock = clock
        self._shards: dict[Path, Shard] = {}
        self._cuts: list[Problem] = []

    @property
    def folder(self) -> Path:
        """Return the folder that holds all shards."""
        return self._root

    def open(self) -> None:
        """Read every shard from nothing and cut what was never acknowledged off our own."""
        # A watcher needs a folder to watch; where none can be made, the first write says so.
        with suppress(OSError):
            ndjson.make_folder(self._root)
        self._shards.clear()
        self.refresh()
        for path, shard in list(self._shards.items()):
            if shard.key.install == self._install and shard.unfinished:
                with ndjson.opened(path) as descriptor:
                    self._settle(descriptor, path, shard.key)

    def refresh(self) -> bool:
        """Read the files that changed since they were read; tell whether any did."""
        present = dict(self._found())
        gone = [path for path in self._shards if path not in present]
        for path in gone:
            del self._shards[path]
        changed = bool(gone)
        for path, key in present.items():
            known = self._shards.get(path)
            if known is None or ndjson.Stamp.of(path) != known.stamp:
                self._shards[path] = self._read(path, key)
                changed = True
        return changed

    def events(self) -> list[Event]:
        """Return every verified event once, in replay order: (lamport, install, seq)."""
        found: dict[str, Event] = {}
        for path in sorted(self._shards):
            for event in self._shards[path].events:
                known = found.get(event.hash)
                # Of two copies of a line the purged one stands: what was purged stays purged.
                if known is None or (event.body is None and known.body is not None):
                    found[event.hash] = event
        return sorted(found.values(), key=lambda event: event.order)

    def problems(self) -> list[Problem]:
        """Name all damage, all that is kept and not shown, and what was cut off our own shards."""
        found = list(self._cuts)
        for path in sorted(self._shards):
            shard = self._shards[path]
            found += shard.problems
            if shard.unfinished:
                found.append(Problem(shard.key.shown, "its last line is unfinished; it is waited for and not used"))
        return found + unknown_events(self.events())

    def next_instant(self) -> datetime:
        """Return the instant that the next line will bear at the earliest."""
        now = self._clock()
        horizon = horizon_of(now)
        latest = max((shard.latest for shard in self._shards.values() if shard.latest <= horizon), default="")
        return later_than(now, read_instant(latest) if latest else None)

    def append(self, draft: Draft) -> tuple[Event, bool]:
        """Write an event to our own shard; return it once it is on the disk.

        The flag tells whether a file had changed under us, so that more than this event is new.

        Raises:
            WriteFailed: The line could not be made durable; nothing was recorded.
            InvalidDecision: The body has no canonical form; nothing was recorded.
        """
        key = ShardKey(draft.project, self._install)
        path = key.path(self._root)
        changed = False
        for _ in range(_TRIES):
            with ndjson.opened(path) as descriptor:
                changed |= self._settle(descriptor, path, key)
                shard = self._shards[path]
                event, line = self._sealed(draft, shard)
                ndjson.append(descriptor, path, line)
                if ndjson.is_same_file(descriptor, path):
                    shard.take(event, horizon_of(self._clock()))
                    shard.seq, shard.tip = event.head.seq, event.hash
                    shard.stamp = ndjson.Stamp.read(os.fstat(descriptor))
                    return event, changed
        raise WriteFailed(f"{path} is replaced by another program at each write; stop that program, then try again")

    def purge(self, ids: Collection[str]) -> int:
        """Set to null the body of each line, in every shard held here, that bears one of the ids; return how many.

        Raises:
            WriteFailed: A file could not be rewritten; those done before stay done.
        """
        count = 0
        for path, shard in list(self._shards.items()):
            if any(event.body is not None and event.head.id in ids for event in shard.events):
                with ndjson.opened(path) as descriptor:
                    data, purged = _without_bodies(ndjson.read_all(descriptor), ids)
                    ndjson.replace(path, data)
                self._shards[path] = self._read(path, shard.key)
                count += purged
        return count

    def _sealed(self, draft: Draft, shard: Shard) -> tuple[Event, bytes]:
        shards = self._shards.values()
        at = write_instant(self.next_instant())
        head = Head(
            v=VERSION,
            seq=shard.seq + 1,
            lamport=1 + max((other.lamport for other in shards), default=0),
            at=at,
            install=self._install,
            actor=draft.actor,
            session=draft.session,
            scope="user" if draft.project is None else "project",
            project=draft.project,
            kind=draft.kind,
            id=draft.id if isinstance(draft.id, str) else draft.id(at),
            body_sha256="",
            prev=shard.tip,
        )
        try:
            return seal(head, draft.body)
        except CanonicalError as error:
            raise InvalidDecision(f"this cannot be recorded: {error}") from error

    def _settle(self, descriptor: int, path: Path, key: ShardKey) -> bool:
        """Bring what is held up to the open file, and end the file with a whole line; tell whether it had changed."""
        known = self._shards.get(path)
        stamp = ndjson.Stamp.read(os.fstat(descriptor))
        changed = known is not None and known.stamp != stamp
        if known is not None and not changed and not known.unfinished:
            return False
        shard = read_shard(key, ndjson.read_all(descriptor), self._clock())
        if shard.unfinished:
            self._cuts.append(_mend(descriptor, path, shard))
            shard = read_shard(key, ndjson.read_all(descriptor), self._clock())
            changed = True
        shard.stamp = ndjson.Stamp.read(os.fstat(descriptor))
        self._shards[path] = shard
        return changed or (known is None and bool(shard.events))

    def _read(self, path: Path, key: ShardKey) -> Shard:
        stamp = ndjson.Stamp.of(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            shard = Shard(key)
            shard.blame(f"it cannot be read ({error.strerror}); its decisions are missing here")
        else:
            shard = read_shard(key, data, self._clock())
        shard.stamp = stamp
        return shard

    def _found(self) -> Iterable[tuple[Path, ShardKey]]:
        for path in sorted(self._root.glob("user/*.ndjson")):
            yield path, ShardKey(None, path.stem)
        for path in sorted(self._root.glob("projects/*/*.ndjson")):
            yield path, ShardKey(path.parent.name, path.stem)


def _mend(descriptor: int, path: Path, shard: Shard) -> Problem:
    """Complete a last line that lacks only its line end; cut any other, which was never acknowledged."""
    try:
        read_line(shard.unfinished)
    except BrokenLine:
        ndjson.cut(descriptor, path, len(shard.unfinished))
        cut = len(shard.unfinished)
        return Problem(shard.key.shown, f"its last line was unfinished and never acknowledged; {cut} bytes were cut")
    ndjson.append(descriptor, path, b"\n")
    return Problem(shard.key.shown, "its last line lacked only the line end, which was added")


def _without_bodies(data: bytes, ids: Collection[str]) -> tuple[bytes, int]:
    lines, rest = ndjson.split_lines(data)
    count = 0
    for index, raw in enumerate(lines):
        try:
            event = read_line(raw).event
        except BrokenLine:
            continue
        if event.body is not None and event.head.id in ids:
            lines[index] = purged_line(raw)
            count += 1
    return b"".join(line + b"\n" for line in lines) + rest, count
