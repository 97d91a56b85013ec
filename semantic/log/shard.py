"""One install's file of the log, read and verified.

What a damaged line does, and does not do:

- A line that does not give its own hash (edited, not JSON, of no known form) is named and **not** used. The lines
  after it are: the chain goes on from the hash that the broken line still states.
- A line whose own hash is right but which does not follow the one before (lines missing, out of order, a copy of the
  file that went its own way) is used, since its content is proved, and the break is named.
- A line that is there twice is used once and named.
- A line dated more than ten minutes ahead of the clock, or with an absurd lamport, is used and named; neither value
  moves our own clocks. Absurd is what counts far more events than there are.
- An unfinished last line is never used: its writer has not acknowledged it.

Nothing is left out without a word: each case is a ``Problem``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from memoryd.text.report import Problem
from semantic.errors import BrokenLine
from semantic.log.event import Event, read_line, stated_hash
from semantic.log.ids import is_decision
from semantic.log.instant import write_instant
from semantic.log.ndjson import Stamp, split_lines

FUTURE = timedelta(minutes=10)
"""How far ahead of our clock a line may be dated before it is doubted."""

_SHOWN = 3
"""So many lines are named with a fault; a file that was rewritten as a whole has it on every line."""

LAMPORT_SLACK = 2**24
"""How many events, beyond those held here, a line may count: so many may stand in shards that are not here yet."""


@dataclass(frozen=True, slots=True, order=True)
class ShardKey:
    """Whose file it is: ``project`` is ``None`` for the user's own log."""

    project: str | None
    install: str

    def path(self, log: Path) -> Path:
        """Return the file below the folder of the log."""
        folder = log / "user" if self.project is None else log / "projects" / self.project
        return folder / f"{self.install}.ndjson"

    @property
    def shown(self) -> str:
        """Return the path as problems show it, relative to the memory folder."""
        folder = "log/user" if self.project is None else f"log/projects/{self.project}"
        return f"{folder}/{self.install}.ndjson"


@dataclass(slots=True)
class Shard:
    """The lines of one file that can be used, and what is wrong with the rest.

    Attributes:
        seq: Of the last line, broken or not; 0 in an empty file.
        tip: The hash that the next line must name as its ``prev``.
        faults: Where each kind of fault was met, in words.
        unfinished: The bytes after the last line end.
        latest: The latest instant of a line that is not dated ahead, in the log's form.
        lamport: The highest lamport of a line.
        last: The highest seq of a line that stands in the file, broken or not.
        broken: The lines that cannot be used, each with the seq that it takes the place of.
    """

    key: ShardKey
    events: list[Event] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=dict)
    seq: int = 0
    tip: str | None = None
    unfinished: bytes = b""
    latest: str = ""
    lamport: int = 0
    last: int = 0
    broken: list[tuple[int, bytes]] = field(default_factory=list)
    stamp: Stamp = field(default_factory=Stamp)

    def take(self, event: Event, horizon: str) -> None:
        """Add a verified event; ``horizon`` is the instant from which on a date is ahead of the clock."""
        head = event.head
        self.events.append(event)
        if head.at <= horizon and head.at > self.latest:
            self.latest = head.at
        self.lamport = max(self.lamport, head.lamport)
        self.last = max(self.last, head.seq)

    def lamport_below(self, ceiling: int) -> int:
        """Return the highest lamport of a line that does not pass the ceiling."""
        if self.lamport <= ceiling:
            return self.lamport
        return max((event.head.lamport for event in self.events if event.head.lamport <= ceiling), default=0)

    def blame(self, fault: str, where: str = "") -> None:
        """Name a fault of this file, or of a line of it."""
        self.faults.setdefault(fault, []).append(where)

    @property
    def problems(self) -> list[Problem]:
        """Return one problem a kind of fault, with the first lines that have it."""
        return [Problem(self.key.shown, f"{_places(places)}{fault}") for fault, places in self.faults.items()]


def _places(places: list[str]) -> str:
    shown = ", ".join(place for place in places[:_SHOWN] if place)
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"{shown}{more}: " if shown else ""


def horizon_of(now: datetime) -> str:
    """Return the latest instant that a line may bear at this time, in the log's form."""
    return write_instant(now + FUTURE)


def read_shard(key: ShardKey, data: bytes, now: datetime) -> Shard:
    """Read the bytes of a shard: verify each line by itself and the chain of all."""
    shard = Shard(key)
    lines, shard.unfinished = split_lines(data)
    horizon = horizon_of(now)
    seen: set[str] = set()
    gap = False
    for number, raw in enumerate(lines, start=1):
        where = f"line {number}"
        try:
            line = read_line(raw)
        except BrokenLine as error:
            shard.blame(f"{error}; it is kept in the file and not used", where)
            shard.seq += 1
            shard.tip = stated_hash(raw) or shard.tip
            shard.broken.append((shard.seq, raw))
            shard.last = max(shard.last, shard.seq)
            gap = True
            continue
        event = line.event
        if event.hash in seen:
            shard.blame("it is there twice; it is used once", where)
            continue
        seen.add(event.hash)
        _check_place(shard, event, where, gap=gap)
        if not line.canonical:
            shard.blame("it was written anew by something else; its content is unchanged and used", where)
        _check_clocks(shard, event, where, horizon)
        shard.take(event, horizon)
        shard.seq, shard.tip, gap = max(shard.seq, event.head.seq), event.hash, False
    return shard


def _check_place(shard: Shard, event: Event, where: str, *, gap: bool) -> None:
    head = event.head
    if head.install != shard.key.install or head.project != shard.key.project:
        shard.blame(f"it belongs to {ShardKey(head.project, head.install).shown}; it is used", where)
    expected = shard.seq + 1
    if head.seq == expected and (head.prev == shard.tip or gap):
        return
    if head.seq > expected:
        missing = f"seq {expected}" if head.seq == expected + 1 else f"seq {expected} to {head.seq - 1}"
        shard.blame("the lines before it are missing; it is used", f"{where} ({missing})")
    elif head.seq < expected:
        shard.blame("it is out of order; it is used", where)
    else:
        shard.blame("it does not follow the line before it; it is used", where)


def _check_clocks(shard: Shard, event: Event, where: str, horizon: str) -> None:
    head = event.head
    if head.at > horizon:
        shard.blame("it is dated ahead of the clock; it is used, its date moves no other", f"{where} ({head.at})")


def absurd_lamports(shard: Shard, ceiling: int) -> list[Problem]:
    """Name the decisions of a shard that count far more events than there are, and how to be rid of them.

    They sort behind all that will ever be recorded, so what they say cannot be decided anew while they are there. Of
    other events the order decides nothing that matters.
    """
    if shard.lamport <= ceiling:
        return []
    events = [event for event in shard.events if event.head.lamport > ceiling and event.body is not None]
    ids = [event.head.id for event in events if event.head.kind == "decision" and is_decision(event.head.id)]
    if not ids:
        return []
    named = " ".join(ids[:_SHOWN])
    more = f" (and {len(ids) - _SHOWN} more)" if len(ids) > _SHOWN else ""
    return [
        Problem(
            shard.key.shown,
            f"{len(ids)} decision(s) whose lamport is absurd: used, moving no clock of ours, sorted behind all that "
            f"is decided later, which therefore does not count where they speak of the same. To be rid of them: "
            f"`memoryd forget {named}`{more}",
        )
    ]


def unknown_events(events: Iterable[Event]) -> list[Problem]:
    """Name the kinds and versions among the events that this program keeps and cannot read."""
    count: dict[tuple[str, int, str], int] = {}
    for event in events:
        if not event.known:
            head = event.head
            place = ShardKey(head.project, head.install).shown
            count[place, head.v, head.kind] = count.get((place, head.v, head.kind), 0) + 1
    return [
        Problem(
            place,
            f"{number} line(s) of kind {kind!r}, version {version}, are kept and not shown: a newer memoryd wrote them",
        )
        for (place, version, kind), number in sorted(count.items())
    ]
