"""What became of what a session was shown: notes that others changed or removed, and what was forgotten. Each once.

Decisions have a log with an order, and so a cursor; files have neither. What a session never saw is no news to it: it
reads the note as it is when it comes to it. So a change is told by what the session was shown, and by the ETag that the
note had when it was told of it last.
"""

from __future__ import annotations

from typing import Any

from memoryd.api.services import Services
from semantic.model import Note

MOST = 20
"""So many are told at once; the others at the next question."""
_GONE = "gone"
_MARK = "@"


def changed_since_shown(services: Services, session: str) -> list[dict[str, Any]]:
    """Return the changes, and note them as told."""
    known = services.seen.known(session)
    found: list[dict[str, Any]] = []
    told: list[str] = []
    for id_ in sorted(known & services.semantic.forgotten()):
        if f"{id_}{_MARK}{_GONE}" not in known and len(found) < MOST:
            told.append(f"{id_}{_MARK}{_GONE}")
            found.append(_change(id_, "forget", "", "It was forgotten: what was shown of it holds no longer."))
    notes = {note.id: note for note in services.semantic.notes()} if any(map(_is_note, known)) else {}
    for id_ in sorted(filter(_is_note, known)):
        note = notes.get(id_)
        mark = f"{id_}{_MARK}{note.etag if note is not None else _GONE}"
        if mark in known:
            continue
        is_first_look = not any(one.startswith(f"{id_}{_MARK}") for one in known)
        if is_first_look and note is not None:
            told.append(mark)
        elif len(found) < MOST:
            told.append(mark)
            found.append(_of_note(id_, note))
    if told:
        services.seen.mark(session, told)
    return found


def wrote_note(services: Services, session: str | None, note: Note) -> None:
    """Note that a session knows a note as it is now: it wrote it."""
    if session is not None:
        services.seen.mark(session, [note.id, f"{note.id}{_MARK}{note.etag}"])


def saw_note(services: Services, session: str, id_: str, etag: str) -> None:
    """Note with which ETag a session was shown a note."""
    services.seen.mark(session, [f"{id_}{_MARK}{etag}"])


def _of_note(id_: str, note: Note | None) -> dict[str, Any]:
    if note is None:
        return _change(id_, "note", "", "It was removed or moved.")
    return _change(id_, "note", f"{note.vault}:{note.path}", "Its text changed since this session was shown it.")


def _change(id_: str, kind: str, title: str, why: str) -> dict[str, Any]:
    return {
        "id": id_,
        "kind": kind,
        "title": title,
        "why": why,
        "session": None,
        "project": None,
        "elements": [],
        "supersedes": [],
    }


def _is_note(id_: str) -> bool:
    return id_.startswith("no_") and _MARK not in id_
