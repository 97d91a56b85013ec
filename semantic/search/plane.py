"""The searchable form of a set of documents: what holds them, finds them by word and finds them by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from semantic.fields import Document, Unit
from semantic.search.inverted import InvertedIndex
from semantic.search.mention import NameFinder
from semantic.search.postings import Segment
from semantic.search.web import Web
from semantic.weighing import Weighed


class Plane:
    """Documents with their inverted index and their names. Not safe for several threads."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.units: dict[str, tuple[str, Unit]] = {}
        """Unit id to its document's id and itself."""
        self.words = InvertedIndex()
        self.names = NameFinder()
        self.web = Web()
        self.to_embed = 0
        """How many units have a text that gets a vector."""

    def put(self, documents: Sequence[Document], weighed: Sequence[Weighed], segment: Segment) -> list[str]:
        """Add or replace documents; return the ids of units that are no more.

        ``weighed`` are their words, and ``segment`` the postings of these: made beforehand, this is short.
        """
        gone: list[str] = []
        for document in documents:
            old = self._forget(document.id)
            self.documents[document.id] = document
            self.web.put(document.id, document.targets)
            for unit in document.units:
                self.units[unit.id] = (document.id, unit)
                self.to_embed += bool(unit.embedded)
            if document.called:
                self.names.put(document.id, document.names)
            gone += [unit.id for unit in old if unit.id not in self.units]
        self.words.put(weighed, segment)
        return gone

    def drop(self, id: str) -> list[str]:  # noqa: A002 - an id is called id everywhere
        """Take a document out; return the ids of its units."""
        self.words.drop(id)
        self.names.drop(id)
        return [unit.id for unit in self._forget(id)]

    def weighed(self, document: Document) -> Weighed | None:
        """Return the weights of a document's words, if one with the very same words is held."""
        held = self.documents.get(document.id)
        return self.words.weighed(document.id) if held is not None and _same_words(held, document) else None

    def dated_units(self) -> Iterator[tuple[Unit, datetime | None]]:
        """Yield every unit that gets a vector, with its document's instant."""
        for document in self.documents.values():
            for unit in document.units:
                if unit.embedded:
                    yield unit, document.at

    def _forget(self, id_: str) -> Iterable[Unit]:
        old = self.documents.pop(id_, None)
        if old is None:
            return ()
        self.web.drop(id_)
        for unit in old.units:
            if self.units.pop(unit.id, None) is not None:
                self.to_embed -= bool(unit.embedded)
        return old.units


def _same_words(one: Document, other: Document) -> bool:
    return (one.names, one.gist, one.tags, one.units) == (other.names, other.gist, other.tags, other.units)
