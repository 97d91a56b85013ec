"""The decision log: every install's shard, read, verified and put into one order; our own shard, appended to.

The files are the truth. What is held here is only what was read from them, and a file that something else changed is
read again before the next line is written. Our own shard has no other writer: lines of it that vanish from the file
while they are held are put back, and where that fails nothing more is recorded until it can be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.text.canonical import CanonicalError
from memoryd.text.report import Problem
from semantic.errors import BrokenLine, InvalidDecision, WriteFailed
from semantic.log import custody, ndjson
from semantic.log.event import VERSION, Event, Head, read_line, seal
from semantic.log.instant import Clock, later_than, read_instant, write_instant
from semantic.log.merge import without_bodies
from semantic.log.reach import Reach
from semantic.log.remembered import Remembered
from semantic.log.shard import LAMPORT_SLACK, Shard, ShardKey, absurd_lamports, horizon_of, read_shard, unknown_events

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
    """The shards below ``memory/log``. Not safe for several threads: its owner holds a lock.

    ``ends`` is a folder in which the end of each shard is remembered from one start to the next, if any.
    """

    def __init__(self, memory: Path, install: str, clock: Clock, ends: Path | None = None) -> None:
        self._root = memory / "log"
        self._install = install
        self._clock = clock
        self._shards: dict[Path, Shard] = {}
        self._cuts: list[Problem] = []
        self._failures: dict[Path, WriteFailed] = {}
        self._ends = Remembered(ends)

    @property
    def folder(self) -> Path:
        """Return the folder that holds all shards."""
        return self._root

    def open(self) -> None:
        """Read every shard from nothing and cut what was never acknowledged off our own."""
        # A watcher needs a folder to watch; where none can be made, the first write says so.
        with suppress(OSError):
            ndjson.make_folder(self._root)
        self._cuts += ndjson.remove_leftovers(self._root)
        self._shards.clear()
        self._failures.clear()
        self._ends.load()
        self.refresh()
        for path, shard in list(self._shards.items()):
            if shard.key.install == self._install and shard.unfinished:
                with ndjson.opened(path) as descriptor:
                    self._settle(descriptor, path, shard.key)

    def refresh(self) -> bool:
        """Read the files that changed since they were read; tell whether any did."""
        present = dict(self._found())
        gone = [path for path in self._shards if path not in present]
        changed = False
        for path in gone:
            if self._is_kept(path):
                changed |= self._put_back(path)
            else:
                del self._shards[path]
                changed = True
        for path, key in present.items():
            known = self._shards.get(path)
            if known is None or ndjson.Stamp.of(path) != known.stamp:
                changed |= self._take_in(path, key)
            else:
                self._failures.pop(path, None)
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

    def problems(self, events: Iterable[Event] | None = None) -> list[Problem]:
        """Name all damage, and all that is kept and not shown; ``events`` are the present ones, if known."""
        found = []
        for path in sorted(self._shards):
            shard = self._shards[path]
            found += shard.problems + absurd_lamports(shard, self._ceiling())
            if shard.unfinished:
                found.append(Problem(shard.key.shown, "its last line is unfinished; it is waited for and not used"))
        return found + unknown_events(self.events() if events is None else events)

    def notices(self) -> list[Problem]:
        """Name what was done to our own shards, what cannot be done, and shards that end earlier than they did."""
        waiting = [
            Problem(
                str(path.relative_to(self._root.parent)),
                "lines of it are missing from the file; they are held in memory, and nothing is recorded in it until "
                f"they can be written back: {error}",
            )
            for path, error in sorted(self._failures.copy().items())
        ]
        return [*self._cuts, *waiting, *self._missed()]

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
        if self._shards and not self._root.parent.is_dir():
            raise WriteFailed(f"{self._root.parent} is not there, mount it or bring it back; nothing was recorded")
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
                    self._ends.note(shard)
                    return event, changed
        raise WriteFailed(f"{path} is replaced by another program at each write; stop that program, then try again")

    def purge(self, reach: Reach) -> int:
        """Set to null the body of each line, in every shard held here, that was forgotten; return how many.

        Raises:
            WriteFailed: A file could not be rewritten; those done before stay done.
        """
        count = 0
        for path, shard in list(self._shards.items()):
            if reach and any(
                event.body is not None and reach.covers(event.head.id, event.head.project) for event in shard.events
            ):
                if self._is_kept(path) and not path.exists():
                    self._put_back(path)
                if path in self._failures:
                    raise self._failures[path]
                with ndjson.opened(path) as descriptor:
                    data, purged = without_bodies(ndjson.read_all(descriptor), reach.covers)
                    ndjson.replace(path, data)
                self._shards[path] = self._read(path, shard.key) or shard
                count += purged
        return count + custody.purge_set_aside(self._root, reach)

    def _sealed(self, draft: Draft, shard: Shard) -> tuple[Event, bytes]:
        ceiling = self._ceiling()
        at = write_instant(self.next_instant())
        head = Head(
            v=VERSION,
            seq=shard.seq + 1,
            lamport=1 + max((other.lamport_below(ceiling) for other in self._shards.values()), default=0),
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
        data = ndjson.read_all(descriptor)
        shard = read_shard(key, data, self._clock())
        if known is not None and custody.lost_lines(known, shard):
            ndjson.wait_until_steady(path)
            data = ndjson.read_all(descriptor)
            shard = read_shard(key, data, self._clock())
            # The file gets a new inode, so the caller's descriptor is of no use any more and it tries again.
            self._write_back(path, known, shard, data)
            return True
        if shard.unfinished:
            self._cuts.append(self._mend(descriptor, path, shard))
            shard = read_shard(key, ndjson.read_all(descriptor), self._clock())
            changed = True
        shard.stamp = ndjson.Stamp.read(os.fstat(descriptor))
        self._hold(path, shard)
        return changed or (known is None and bool(shard.events))

    def _is_kept(self, path: Path) -> bool:
        """Tell whether the lines held of a file are ours to keep, whatever became of the file."""
        shard = self._shards.get(path)
        return shard is not None and shard.key.install == self._install and bool(shard.events)

    def _take_in(self, path: Path, key: ShardKey) -> bool:
        """Read a file that is new or changed; tell whether what is held changed."""
        found = self._read(path, key)
        if self._is_kept(path):
            known = self._shards[path]
            if found is None:
                self._failures[path] = WriteFailed(f"{path} cannot be read")
                return False
            if custody.lost_lines(known, found):
                return self._put_back(path)
        if found is None:
            found = Shard(key, stamp=ndjson.Stamp.of(path))
            found.blame("it cannot be read; its decisions are missing here")
        self._hold(path, found)
        return True

    def _put_back(self, path: Path) -> bool:
        """Write the lines that a file of ours lost back into it; tell whether what is held changed."""
        known = self._shards[path]
        if not self._root.parent.is_dir():
            self._failures[path] = WriteFailed(f"{self._root.parent} is not there")
            return False
        before = len(known.events)
        ndjson.wait_until_steady(path)
        try:
            with ndjson.opened(path) as descriptor:
                data = ndjson.read_all(descriptor)
                self._write_back(path, known, read_shard(known.key, data, self._clock()), data)
        except WriteFailed as error:
            self._failures[path] = error
            return False
        return len(self._shards[path].events) != before

    def _write_back(self, path: Path, known: Shard, found: Shard, data: bytes) -> None:
        count = custody.lost_lines(known, found)
        if not count:  # it was only being written
            found.stamp = ndjson.Stamp.of(path)
            self._hold(path, found)
            return
        whole = custody.restored(known, found)
        strange = custody.strange_bytes(data, whole)
        kept = f"; what stood there is set aside in {custody.FOLDER}/" if strange else ""
        if strange:
            kept += custody.set_aside(self._root, known.key, strange, self._clock()).name
        ndjson.replace(path, whole)
        self._cuts.append(Problem(known.key.shown, f"{count} line(s) had vanished from it and were written back{kept}"))
        shard = self._read(path, known.key)
        if shard is not None:
            self._hold(path, shard)

    def _hold(self, path: Path, shard: Shard) -> None:
        """Keep a shard as read. Our own goes on counting from the furthest end that is remembered."""
        self._failures.pop(path, None)
        self._ends.note(shard)
        end = self._ends.end(shard.key)
        if shard.key.install == self._install and end is not None and end.seq > shard.seq:
            shard.seq, shard.tip = end.seq, end.tip
        self._shards[path] = shard

    def _missed(self) -> list[Problem]:
        """Name the shards that end earlier than they once did."""
        found = []
        for key, end in self._ends:
            shard = self._shards.get(key.path(self._root))
            last = 0 if shard is None else shard.last
            if last < end.seq:
                there = f"ends at seq {last} now" if last else "is not there now"
                found.append(
                    Problem(
                        key.shown,
                        f"it ended at seq {end.seq} when it was last seen and {there}: bring it back from a backup or "
                        "another machine; nothing of it is shown until then",
                    )
                )
        return found

    def _ceiling(self) -> int:
        """Return the highest lamport that can be believed."""
        return LAMPORT_SLACK + sum(len(shard.events) for shard in self._shards.values())

    def _read(self, path: Path, key: ShardKey) -> Shard | None:
        stamp = ndjson.Stamp.of(path)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        shard = read_shard(key, data, self._clock())
        shard.stamp = stamp
        return shard

    def _mend(self, descriptor: int, path: Path, shard: Shard) -> Problem:
        """Complete a last line that lacks only its line end; set any other, never acknowledged, aside and cut it."""
        try:
            read_line(shard.unfinished)
        except BrokenLine:
            aside = custody.set_aside(self._root, shard.key, shard.unfinished, self._clock()).name
            ndjson.cut(descriptor, path, len(shard.unfinished))
            return Problem(
                shard.key.shown,
                f"its last line was unfinished and never acknowledged; {len(shard.unfinished)} bytes were cut and set "
                f"aside in {custody.FOLDER}/{aside}",
            )
        ndjson.append(descriptor, path, b"\n")
        return Problem(shard.key.shown, "its last line lacked only the line end, which was added")

    def _found(self) -> Iterable[tuple[Path, ShardKey]]:
        for path in sorted(self._root.glob("user/*.ndjson")):
            yield path, ShardKey(None, path.stem)
        for path in sorted(self._root.glob("projects/*/*.ndjson")):
            yield path, ShardKey(path.parent.name, path.stem)
