"""The searchable form of a set of documents: what holds them, finds them by word and finds them by name."""

from __future__ import annotations

from semantic.fields import Document, Unit
from semantic.inverted import InvertedIndex, Weighed
from semantic.mention import NameFinder


class Plane:
    """Documents with their inverted index and their names. Not safe for several threads."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.units: dict[str, tuple[str, Unit]] = {}
        """Unit id to its document's id and itself."""
        self.words = InvertedIndex()
        self.names = NameFinder()

    def put(self, document: Document, weighed: Weighed) -> list[str]:
        """Add or replace a document; return the ids of units that are no more."""
        old = self.documents.get(document.id)
        self._forget_units(old)
        self.documents[document.id] = document
        for unit in document.units:
            self.units[unit.id] = (document.id, unit)
        self.words.put(weighed)
        if document.called:
            self.names.put(document.id, document.names)
        return [] if old is None else [unit.id for unit in old.units if unit.id not in self.units]

    def drop(self, id: str) -> list[str]:  # noqa: A002 - an id is called id everywhere
        """Take a document out; return the ids of its units."""
        old = self.documents.pop(id, None)
        self._forget_units(old)
        self.words.drop(id)
        self.names.drop(id)
        return [] if old is None else [unit.id for unit in old.units]

    def weighed(self, document: Document) -> Weighed | None:
        """Return the weights of a document's words, if one with the very same words is held."""
        held = self.documents.get(document.id)
        return self.words.weighed(document.id) if held is not None and _same_words(held, document) else None

    def _forget_units(self, document: Document | None) -> None:
        for unit in document.units if document is not None else ():
            self.units.pop(unit.id, None)


def _same_words(one: Document, other: Document) -> bool:
    return (one.names, one.gist, one.tags, one.units) == (other.names, other.gist, other.tags, other.units)
