"""What the arms of a search found, gathered into hits: filtered alike in every arm, one hit a note or element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from semantic.fields import Document
from semantic.search.answer import Group, Piece
from semantic.search.joining import Known
from semantic.search.plane import Plane
from semantic.search.query import SemanticQuery


class Gathering:
    """Documents that a query admits, gathered into hits: a note joined to an element is found under the element.

    What ``known`` does not hold (any more, or yet) is no hit, whatever the planes hold: what was forgotten a moment
    ago is never shown.
    """

    def __init__(self, query: SemanticQuery, notes: Plane, log: Plane, joins: Mapping[str, str], known: Known) -> None:
        self.notes, self.log = notes, log
        self.found: dict[str, Group] = {}
        self._query, self._joins, self._known = query, joins, known
        self._admitted: dict[str, str | None] = {}

    def ranked(self, rows: Iterable[tuple[str, str, float]], arm: str, depth: int) -> dict[str, float]:
        """Return hit id to raw score, best first, from (document, unit, score) rows; each hit keeps its best piece."""
        ranking: dict[str, float] = {}
        for document_id, unit_id, score in rows:
            group_id = self._group_of(document_id)
            if group_id is None:
                continue
            if group_id not in ranking:
                if len(ranking) == depth:
                    break
                ranking[group_id] = score
            unit = self._plane(document_id).units.get(unit_id)
            if unit is not None and unit[1].section is not None:
                self.found[group_id].pieces.setdefault(arm, Piece(document_id, unit[1].section, len(ranking)))
        return ranking

    def owner(self, unit_id: str, key: str) -> str | None:
        """Return the document of a unit, if its vector was made of the text that it has now."""
        for plane in (self.notes, self.log):
            unit = plane.units.get(unit_id)
            if unit is not None:
                return unit[0] if unit[1].key == key else None
        return None

    def admit(self, ids: Iterable[str]) -> None:
        """Take in documents of the log that no arm found, if the query admits them."""
        for id_ in ids:
            if id_ in self.log.documents:
                self._group_of(id_)

    def admitted(self) -> dict[str, Group]:
        """Return every group that the query admits."""
        for plane in (self.notes, self.log):
            for document_id in plane.documents:
                self._group_of(document_id)
        return self.found

    def _is_known(self, document: Document) -> bool:
        match document.kind:
            case "element":
                return document.id in self._known.elements
            case "decision":
                return document.id in self._known.decisions
            case _:
                return True

    def _has(self, element: str) -> bool:
        return element in self.log.documents and element in self._known.elements

    def _plane(self, document_id: str) -> Plane:
        return self.notes if document_id in self.notes.documents else self.log

    def _group_of(self, document_id: str) -> str | None:
        if document_id in self._admitted:
            return self._admitted[document_id]
        document = self._plane(document_id).documents[document_id]
        element = self._joins.get(document_id)
        kinds = self._query.kinds
        if not self._is_known(document):
            self._admitted[document_id] = None
            return None
        joined = element is not None and self._has(element) and (kinds is None or "element" in kinds)
        group_id = element if joined and element is not None else document_id
        kind = "element" if joined else document.kind
        if not self._query.admits(document, kind):
            self._admitted[document_id] = None
            return None
        group = self.found.setdefault(group_id, Group(group_id, kind))
        group.documents[document_id] = document
        if joined and group_id in self.log.documents:
            group.documents.setdefault(group_id, self.log.documents[group_id])
        self._admitted[document_id] = group_id
        return group_id
