"""Conventions and hubs are looked for once for each state of the vaults."""

from __future__ import annotations

from typing import Any, cast

from memoryd.api.leading import LeadingNotes


class Note:
    def __init__(self, *tags: str) -> None:
        self.tags = tags


class Library:
    def __init__(self, *notes: Note) -> None:
        self.held = list(notes)
        self.version = 1
        self.asked = 0

    def notes(self) -> list[Note]:
        self.asked += 1
        return self.held

    def library_version(self) -> int:
        return self.version


def test_they_are_found_by_tag_and_again_only_when_a_note_changed() -> None:
    hub, rule, other = Note("type/hub"), Note("convention/naming", "scope/global"), Note("conventional")
    library = Library(hub, rule, other)
    found: Any = LeadingNotes(cast(Any, library))
    assert found.now() == ([rule], [hub])
    assert found.now().hubs == [hub]
    assert library.asked == 1
    library.held.append(both := Note("convention", "type/hub"))
    assert found.now().hubs == [hub]
    library.version += 1
    assert found.now() == ([rule, both], [hub, both])
