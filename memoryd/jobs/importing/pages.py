"""Pages of other programs, written as notes of the vault that new notes go to, once each.

A page is known by a line in its front matter, wherever its note was moved since; one without, by its path.
"""

from __future__ import annotations

from memoryd.jobs.importing.item import Page
from memoryd.jobs.importing.notefile import IMPORTED, note_path, stamped
from memoryd.jobs.importing.report import Fate
from memoryd.jobs.importing.words import ACTOR, line, storable
from memoryd.text.canonical import digest
from memoryd.text.front_matter import split_front_matter
from semantic.store import SemanticStore
from semantic.writing.desk import Author


class Pages:
    """Takes in pages of one program.

    Args:
        source: The name of the program, and of the folder that they go to.
        semantic: Where they go.
        is_dry: Only tell.
    """

    def __init__(self, source: str, semantic: SemanticStore, *, is_dry: bool) -> None:
        self._source = source
        self._semantic = semantic
        self._is_dry = is_dry
        held = semantic.notes()
        self._owners = {_folded(note.vault, note.path): str(note.front_matter.get(IMPORTED, "")) for note in held}
        self._marks = {
            str(mark): (note.vault, note.path) for note in held if (mark := note.front_matter.get(IMPORTED)) is not None
        }

    def take(self, page: Page) -> Fate:
        """Write a page, or find it.

        Raises:
            SemanticError: It cannot be a note, or cannot be written; nothing is left of it.
        """
        if not page.text.strip():
            return Fate("empty")
        mark = line(f"{self._source} {page.id}")
        text = stamped(storable(page.text), mark, [line(name) for name in page.names])
        # A page that says itself whence it is is known by that, and by its place.
        own = str(split_front_matter(text).data.get(IMPORTED, mark))
        place = self._place_of(page, own)
        held = self._marks.get(mark) or (place if self._owners.get(_folded(*place)) in {"", own} else None)
        if held is not None:
            same = self._semantic.note(*held).text == text
            return Fate("known") if same else Fate("differs", ":".join(held))
        if not self._is_dry:
            self._semantic.desk.create(*place, text, Author(actor=ACTOR))
            self._marks[mark] = place
            self._owners[_folded(*place)] = own
        return Fate("recorded")

    def _place_of(self, page: Page, mark: str) -> tuple[str, str]:
        """Return vault and path; of two names that differ only in what a file's cannot hold, the second gets a mark."""
        vault = self._semantic.desk.default_vault
        parts = self._source, *map(line, page.path)
        path = note_path(parts)
        if self._owners.get(_folded(vault, path)) in {None, "", mark}:
            return vault, path
        return vault, note_path(parts, digest(mark, length=8))


def _folded(vault: str, path: str) -> tuple[str, str]:
    return vault, path.casefold()
