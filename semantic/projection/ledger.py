"""The log and the picture made of it, for many threads: one writes at a time, readers never wait for a disk.

A reader gets an immutable picture. A new event of our own is applied to the kept replay; lines from elsewhere that
belong before what was applied cause a replay from nothing, beside the one that readers still see.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from memoryd.text.canonical import digest
from memoryd.text.report import Problem
from semantic.errors import WriteFailed
from semantic.identity import NameIndex
from semantic.log.event import Event
from semantic.log.instant import Clock, write_instant
from semantic.log.reach import reach_of
from semantic.log.shards import Draft, Log
from semantic.projection.picture import Projection
from semantic.projection.replay import Replay

_PICTURES_KEPT = 4
_NONCE_BYTES = 16
_MANY_NAMES = 2_000
_FROM_THE_START = {"forget", "project_merge"}
"""Kinds that say something of lines before them."""
_MANY_EVENTS = 5_000


class Ledger:
    """Owns the log. ``writing`` must be held from looking at the present state to recording what follows from it."""

    def __init__(
        self, memory: Path, install: str, clock: Clock, entropy: Callable[[int], bytes], ends: Path | None = None
    ) -> None:
        self.writing = threading.RLock()
        self._log = Log(memory, install, clock, ends)
        self._entropy = entropy
        self._state = threading.Lock()
        self._replay = Replay()
        self._applied: list[Event] = []
        self._picture: Projection | None = None
        self._past: dict[tuple[str, int, int], Projection] = {}
        self._generation = 0
        self._purge_failure: WriteFailed | None = None
        self._names = NameIndex()
        self._problems: list[Problem] = []

    def sessions_of(self, actor: str) -> frozenset[str]:
        """Return the sessions in whose name somebody recorded anything, also what was forgotten since."""
        with self._state:
            heads = [event.head for event in self._applied]
        return frozenset(head.session for head in heads if head.actor == actor and head.session is not None)

    @property
    def folder(self) -> Path:
        """Return the folder that holds the log."""
        return self._log.folder

    def open(self) -> None:
        """Read and verify the whole log, and purge what was forgotten elsewhere in the meantime."""
        with self.writing, _collection_paused():
            self._log.open()
            self._catch_up(anew=True)
            picture = self.projection()
            # What was read stays for as long as the process does, and holds no cycles: looking through it for some took
            # a second at 100,000 events, and again at each full collection.
            if len(self._applied) > _MANY_EVENTS:
                gc.freeze()
        if len(picture.elements) > _MANY_NAMES:
            # The first write would wait for the names of all elements; it still may, if it comes this early.
            threading.Thread(target=self._index_names, name="names", daemon=True).start()

    def refresh(self) -> bool:
        """Take in what was written to the files from elsewhere; tell whether anything was."""
        with self.writing:
            changed = self._log.refresh()
            if changed:
                self._catch_up(anew=False)
            return changed

    def seq(self) -> int:
        """Return how many events are held; it grows with each."""
        return len(self._applied)

    def projection(self, as_of: datetime | None = None) -> Projection:
        """Return the picture of now, or of what is now held and was valid before an instant."""
        if as_of is not None:
            return self._as_of(write_instant(as_of))
        picture = self._picture
        if picture is None:
            with self._state:
                picture = self._picture = self._picture or self._replay.freeze()
        return picture

    def present(self) -> Projection:
        """Return the present state, without the cost of a picture, for the holder of ``writing`` until it records."""
        with self._state:
            return self._replay.present()

    def names(self) -> NameIndex:
        """Return the index of all present names, for the holder of ``writing``."""
        present = self.present()
        with self._state:
            changed = self._replay.take_changed()
        for id_ in changed:
            element = present.elements.get(id_)
            if element is None:
                self._names.drop(id_)
            else:
                self._names.put(id_, element.project, element.kind, element.name, element.aliases)
        return self._names

    def _index_names(self) -> None:
        with self.writing:
            self.names()

    def record(self, draft: Draft) -> Event:
        """Add a nonce to the body and write the event; return it once it is on the disk and in the picture.

        Raises:
            WriteFailed: It could not be made durable; nothing was recorded.
            InvalidDecision: It has no canonical form; nothing was recorded.
        """
        with self.writing:
            body: Mapping[str, Any] = {**draft.body, "nonce": self._entropy(_NONCE_BYTES).hex()}
            draft = Draft(draft.kind, draft.id, body, draft.actor, draft.session, draft.project)
            event, changed = self._log.append(draft)
            if changed or event.order < self._replay.last or event.head.kind in _FROM_THE_START:
                self._catch_up(anew=True)
            else:
                self._apply([event])
            return event

    def forget(self, ids: Collection[str], *, actor: str, session: str | None, project: str | None) -> Event:
        """Record that ids are forgotten, then set to null every body of theirs in the files held here.

        Raises:
            WriteFailed: The event, or a purged file, could not be made durable. Once the event is, each start and
                each look at the files tries the purge again.
        """
        with self.writing:
            ordered = sorted(ids)
            body = {"ids": ordered}
            event = self.record(Draft("forget", partial(_forget_id, ordered), body, actor, session, project))
            if self._purge_failure is not None:
                raise self._purge_failure
            return event

    def problems(self) -> list[Problem]:
        """Name all damage, and what is kept and not shown."""
        return [*self._log.notices(), *self._problems, *self._replay.problems, *self._replay.beyond()]

    def _apply(self, events: list[Event]) -> None:
        with self._state:
            for event in events:
                self._replay.apply(event)
                self._applied.append(event)
            self._picture = None
            self._past.clear()

    def _catch_up(self, *, anew: bool) -> None:
        events = self._log.events()
        reach = reach_of(events)
        self._purge_failure = None
        try:
            if self._log.purge(reach):
                events = self._log.events()
        except WriteFailed as error:
            # What was forgotten is never shown again all the same: the replay leaves it out.
            self._purge_failure = error
        self._problems = self._log.problems(events)
        if self._purge_failure is not None:
            self._problems.append(Problem("log", f"forgotten text is still there: {self._purge_failure}"))
        known = len(self._applied)
        if not anew and reach == self._replay.reach and _same(self._applied, events[:known]):
            self._apply(events[known:])
            return
        replay = Replay(reach)
        for event in events:
            replay.apply(event)
        with self._state:
            self._replay, self._applied, self._names = replay, events, NameIndex()
            self._picture = None
            self._past.clear()
            self._generation += 1

    def _as_of(self, instant: str) -> Projection:
        with self._state:
            events, reach = self._applied[:], self._replay.reach
            key = (instant, self._generation, len(events))
            kept = self._past.get(key)
        if kept is not None:
            return kept
        replay = Replay(reach, as_of=instant)
        with _collection_paused():
            for event in events:
                replay.apply(event)
            picture = replay.freeze()
        with self._state:
            if len(self._past) >= _PICTURES_KEPT:
                del self._past[next(iter(self._past))]
            self._past[key] = picture
        return picture


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Keep the cycle collector out of a long replay: it makes many objects and no cycles, and takes a third longer."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _forget_id(ids: list[str], at: str) -> str:
    return "fo_" + digest(ids, at, length=24)


def _same(one: list[Event], other: list[Event]) -> bool:
    return len(one) == len(other) and all(
        a.hash == b.hash and (a.body is None) == (b.body is None) for a, b in zip(one, other, strict=True)
    )
