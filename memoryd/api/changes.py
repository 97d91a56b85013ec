"""What became of what a session was shown: notes that others changed or removed, and what was forgotten. Each once.

Decisions have a log with an order, and so a cursor; files have neither. What a session never saw is no news to it: it
reads the note as it is when it comes to it. So a change is told by the version of the note that the session was shown
last, which stands beside what it was shown (``memoryd.render.seen``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memoryd.api.leading import NotesPort
from memoryd.api.services import Services
from semantic.errors import SemanticError
from semantic.log.ids import note_id
from semantic.model import Note

MOST = 20
"""So many are told at once; the others at the next question."""
FORGOTTEN, GONE = "forgotten", "gone"
_KINDS = {"ep_": "entry", "de_": "decision", "el_": "element", "no_": "note"}
_ANY = "any"
"""In place of an ETag: the session wrote the file itself, so however it is found next is known to it."""


class NoteVersions:
    """The notes by id, looked through once for each state of the vaults. May be used from any thread."""

    def __init__(self, library: NotesPort) -> None:
        self._library = library
        self._kept: tuple[int, Mapping[str, Note]] | None = None

    def all(self) -> Mapping[str, Note]:
        """Return the notes as they are now."""
        # Asked for before the notes are: what comes in between is found the next time.
        version = self._library.library_version()
        kept = self._kept
        if kept is None or kept[0] != version:
            kept = self._kept = (version, {note.id: note for note in self._library.notes()})
        return kept[1]

    def of(self, ids: Collection[str]) -> dict[str, str]:
        """Return the versions of those of some ids that are notes."""
        if not any(id_.startswith("no_") for id_ in ids):
            return {}
        notes = self.all()
        return {id_: version_of(notes[id_]) for id_ in ids if id_ in notes}


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a thing. ``name`` is a note's place, by which it is read; of what was forgotten, what it was."""

    id: str
    kind: Literal["note", "forget"]
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to be told, and the versions that the session knows once they are."""

    told: tuple[Change, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


def changed_since_shown(services: Services, session: str, agent: str | None = None, *, limit: int = MOST) -> Changes:
    """Return at most so many changes; they are told again until :func:`settle_changes`."""
    seen = services.seen
    versions = seen.versions(session, agent)
    told: list[Change] = []
    known: dict[str, str] = {}
    for id_ in sorted(seen.known(session, agent) & services.semantic.forgotten()):
        if versions.get(id_) != FORGOTTEN and len(told) < limit:
            known[id_] = FORGOTTEN
            what = _KINDS.get(id_[:3], "thing")
            told.append(Change(id_, "forget", f"Forgotten {what}", "What was shown of it holds no longer."))
    notes = services.notes_by_id() if any(map(_is_note, versions)) else {}
    vaults = {note.vault for note in notes.values()}
    for id_ in sorted(filter(_is_note, versions)):
        etag, _, place = versions[id_].partition(" ")
        note = notes.get(id_)
        if note is None:
            # A vault that is not read yet, or not there, says nothing of its notes.
            if etag != GONE and place.partition(":")[0] in vaults and len(told) < limit:
                known[id_] = f"{GONE} {place}"
                told.append(Change(id_, "note", place, "It was removed or moved."))
        elif etag == _ANY:
            known[id_] = version_of(note)
        elif etag != note.etag and len(told) < limit and (now := _as_it_is(services, note)).etag != etag:
            known[id_] = version_of(now)
            told.append(Change(id_, "note", place, "Its text changed since this session was shown it."))
    return Changes(tuple(told), known)


def settle_changes(services: Services, session: str, changes: Changes, agent: str | None = None) -> None:
    """Note changes as told."""
    services.seen.set_versions(session, changes.versions, agent)


def wrote_note(services: Services, session: str | None, note: Note) -> None:
    """Note that a session knows a note as it is now: it wrote it."""
    if session is not None:
        services.seen.mark(session, [note.id])
        services.seen.set_versions(session, {note.id: version_of(note)})


def saw_note(services: Services, session: str, vault: str, path: str, etag: str) -> None:
    """Note with which ETag a session was shown a note."""
    services.seen.set_versions(session, {note_id(vault, path): f"{etag} {vault}:{path}"})


def wrote_file(services: Services, session: str, path: Path, agent: str | None = None) -> None:
    """Note that an agent of a session wrote a file: if it is a note that it was shown, it knows what became of it."""
    versions = services.seen.versions(session, agent)
    if not versions:
        return
    inside = {
        path.relative_to(folder).as_posix() for folder in services.semantic.watched() if path.is_relative_to(folder)
    }
    own = {id_: place for id_, version in versions.items() if (place := version.partition(" ")[2])}
    written = {id_: f"{_ANY} {place}" for id_, place in own.items() if place.partition(":")[2] in inside}
    services.seen.set_versions(session, written, agent)


def version_of(note: Note) -> str:
    """Return what stands for a note as it is: its ETag, and its place, by which it can be named when it is gone."""
    return f"{note.etag} {note.vault}:{note.path}"


def _as_it_is(services: Services, note: Note) -> Note:
    """Return a note as its file is: a reader may have been given it before its last change was heard of."""
    try:
        return services.semantic.note(note.vault, note.path)
    except SemanticError:
        return note


def _is_note(id_: str) -> bool:
    return id_.startswith("no_")
