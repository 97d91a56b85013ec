"""Which notes and elements are one thing: what the front matter says, and what someone recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from semantic.fields import SAME_AS
from semantic.model import Decision, Element, Note


class Known(Protocol):
    """What a projection of the log offers to the search."""

    @property
    def elements(self) -> Mapping[str, Element]:
        """Elements by id."""
        ...

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """Decisions by id."""
        ...

    def shown(self, id_: str) -> str:
        """Return the id that stands for this one now: of what it was merged into, or moved to."""
        ...


def joined_notes(projection: Known, notes: Mapping[str, Note]) -> dict[str, str]:
    """Return note id to element id: what a ``same_as`` link of the log joins, then what front matter joins."""
    joined: dict[str, str] = {}
    for element in projection.elements.values():
        for link in element.links:
            if link.relation == SAME_AS:
                ends = {link.source, link.target}
                joined.update((projection.shown(end), element.id) for end in ends if end.startswith("no_"))
    for note in notes.values():
        if note.element is not None:
            joined[note.id] = projection.shown(note.element)
    return joined


def joined_tags(joins: Mapping[str, str], notes: Mapping[str, Note]) -> dict[str, tuple[str, ...]]:
    """Return, for each element that notes are joined to, the tags of those notes."""
    tags: dict[str, tuple[str, ...]] = {}
    for note_id, element in sorted(joins.items()):
        if note_id in notes:
            tags[element] = tuple(dict.fromkeys((*tags.get(element, ()), *notes[note_id].tags)))
    return tags
