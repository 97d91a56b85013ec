"""The few notes that lead a briefing: conventions and hubs, looked for once for each state of the vaults.

A vault has thousands of notes, and every session that begins asks for the same dozen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from memoryd.api.facets import CONVENTION
from semantic.model import Note
from semantic.tag import tag_matches

HUB = "type/hub"


class NotesPort(Protocol):
    """The notes, and a number that grows whenever one of them changed."""

    def notes(self) -> Iterable[Note]:
        """Return all notes, in an order that does not depend on when they were read."""
        ...

    def library_version(self) -> int:
        """Return the number."""
        ...


class Leading(NamedTuple):
    """Notes by what they are for, in the order of the library."""

    conventions: Sequence[Note]
    hubs: Sequence[Note]


class LeadingNotes:
    """Keeps what was found until a note changes. May be used from any thread."""

    def __init__(self, library: NotesPort) -> None:
        self._library = library
        self._kept: tuple[int, Leading] | None = None

    def now(self) -> Leading:
        """Return the notes as they are now."""
        # Asked for before the notes are: what comes in between is found the next time.
        version = self._library.library_version()
        kept = self._kept
        if kept is None or kept[0] != version:
            notes = list(self._library.notes())
            kept = self._kept = (version, Leading(_tagged(notes, CONVENTION), _tagged(notes, HUB)))
        return kept[1]


def _tagged(notes: Iterable[Note], tag: str) -> list[Note]:
    return [note for note in notes if any(tag_matches(tag, one) for one in note.tags)]
