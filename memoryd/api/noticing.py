"""What changed since the last look: found by comparing counters, which cost nothing while nothing changes.

A change reaches memory by many roads (a call, a hook, the watcher, a sync, a job). None of them has to remember to
tell: whoever listens has somebody look once a second, and nobody looks while nobody listens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memoryd.api.services import Services

MOST_NAMED = 50
"""So many entries, decisions or notes of one look are named; beyond that it is told that there were more."""
NOBODY = ""
"""The session of nobody: to it everything is news."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that changed: its kind, and ids with what fits beside them. It holds no stored text."""

    kind: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class _Seen:
    log_seq: int = -1
    index_seq: int = -1
    library: int = -1
    decisions: Mapping[str, int] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    status: tuple[Any, ...] = ()


class Noticing:
    """Compares the memory with how it was at the last look. One caller at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._seen: _Seen | None = None

    def look(self) -> list[Event]:
        """Return what changed, in the order in which a reader may follow it; the first look finds nothing."""
        is_first = self._seen is None
        seen = self._seen or _Seen()
        self._seen = seen
        found = list(self._changes(seen))
        return [] if is_first else found

    def _changes(self, seen: _Seen) -> Iterator[Event]:
        services = self._services
        if services.readiness.is_ready:
            yield from self._decisions(seen)
            yield from self._entries(seen)
            yield from self._notes(seen)
        yield from self._jobs(seen)
        status = {
            "ready": services.readiness.is_ready,
            "pending": services.pending(),
            "degraded": len(services.degraded()),
            "log_seq": seen.log_seq,
        }
        if tuple(status.values()) != seen.status:
            seen.status = tuple(status.values())
            yield Event("status", status)

    def _decisions(self, seen: _Seen) -> Iterator[Event]:
        log_seq = self._services.semantic.log_seq()
        if log_seq == seen.log_seq:
            return
        picture = self._services.semantic.projection()
        if seen.log_seq < 0:
            seen.log_seq, seen.decisions = log_seq, self._services.written.cursor(picture)
            return
        news = self._services.written.since(picture, seen.decisions, session=NOBODY, limit=MOST_NAMED)
        seen.decisions = news.cursor
        if not news.more:
            seen.log_seq = log_seq  # else the next look goes on behind these
        for one in news.decisions:
            yield Event("decision", {"id": one.id, "elements": list(one.elements), "project": one.project})

    def _entries(self, seen: _Seen) -> Iterator[Event]:
        index_seq = self._services.episodic.index_seq()
        if index_seq == seen.index_seq:
            return
        newest = self._services.episodic.list(limit=MOST_NAMED)
        entries = {one.id: one.at.astimezone(self._services.zone).date().isoformat() for one in newest}
        before, is_first = seen.entries, seen.index_seq < 0
        seen.index_seq, seen.entries = index_seq, entries
        if is_first:
            return
        # What fell behind the newest ones is not gone; what is newer than the oldest of them and missing is.
        oldest = min(entries.values()) if len(entries) == MOST_NAMED else ""
        gone = [id_ for id_, day in before.items() if id_ not in entries and day > oldest]
        fresh = [id_ for id_ in entries if id_ not in before]
        for id_ in reversed(fresh):
            yield Event("episode", {"id": id_, "date": entries[id_]})
        for id_ in gone:
            yield Event("episode", {"id": id_, "date": before[id_], "gone": True})
        if not fresh and not gone:
            yield Event("episode", {"id": None})  # an older one, or the text of one

    def _notes(self, seen: _Seen) -> Iterator[Event]:
        version = self._services.semantic.library_version()
        if version == seen.library:
            return
        notes = {f"{note.vault}:{note.path}": note.etag for note in self._services.semantic.notes()}
        changed = [path for path, etag in notes.items() if seen.notes.get(path) != etag]
        gone = [path for path in seen.notes if path not in notes]
        is_first = seen.library < 0
        seen.library, seen.notes = version, notes
        if is_first:
            return
        for path in changed[:MOST_NAMED]:
            yield Event("note", {"path": path})
        for path in gone[:MOST_NAMED]:
            yield Event("note", {"path": path, "gone": True})
        if len(changed) > MOST_NAMED or len(gone) > MOST_NAMED:
            yield Event("note", {"path": None})

    def _jobs(self, seen: _Seen) -> Iterator[Event]:
        for job in self._services.jobs.list():
            progress = job.progress
            done, total = (progress.done, progress.total) if progress else (0, 0)
            state = (job.state, job.last_run, done, total)
            if seen.jobs.get(job.name) != state:
                seen.jobs[job.name] = state
                yield Event("job", {"name": job.name, "state": job.state, "done": done, "total": total})
