"""Search over notes, elements and decisions: by name, by word and by meaning, fused into one list.

A note is one hit, shown by its best section. A note that is joined to an element is that element's hit, with the note
as its place and source. The index follows the library and the projection document by document; a long catching-up
runs beside the questions, which are answered from what is there.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge

import numpy as np
import numpy.typing as npt

from memoryd.text.bm25 import query_weights
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.rrf import fuse
from memoryd.text.terms import term_id, terms
from semantic.answer import answer, newest
from semantic.fields import Document, decision_document, element_document, note_document
from semantic.gather import Gathering
from semantic.inverted import Weighed, weigh
from semantic.joining import Known, joined_notes, joined_tags
from semantic.model import Decision, Element, Note
from semantic.plane import Plane
from semantic.query import SemanticQuery
from semantic.spaces import Spaces
from semantic.vault.library import Library

Item = Note | Element | Decision

RRF_K = 10
ARM_DEPTH = 100
"""How many hits each arm hands to the fusion, at least."""

WEIGHTS = {"names": 1.0, "lexical": 1.0, "dense": 1.0}

_INLINE_CHANGES = 64
"""So many changed documents are taken in before a question is answered; more wait for the background."""

_BATCH = 100


class SemanticIndex:
    """The search index over one library and one log. Every method may be called from any thread.

    Args:
        languages: The languages of stems, as ``memoryd.text.terms`` takes them.
        rrf_k: The constant of the fusion.
    """

    def __init__(self, languages: Sequence[str] = ("en", "de"), *, rrf_k: int = RRF_K) -> None:
        self._languages = tuple(languages)
        self._rrf_k = rrf_k
        self._updating = threading.Lock()  # one update at a time
        self._lock = threading.Lock()  # held while a batch goes in, and while the arms read
        self._notes = Plane()
        self._log = Plane()
        self._seen: dict[str, Item] = {}
        self._state: _State | None = None
        self._joins: Mapping[str, str] = {}
        self._looking_back = threading.Lock()
        self._past: tuple[Known, Mapping[str, Note], Plane] | None = None
        self._spaces = Spaces()
        self._worker: threading.Thread | None = None

    # -- keeping up -------------------------------------------------------------------------------------------------

    def update(self, projection: Known, library: Library) -> int:
        """Bring the index up to date with both; return how many documents changed. Readers are served meanwhile."""
        with self._updating:
            return self._update(projection, library)

    def pending(self, projection: Known, library: Library) -> int:
        """Return how many documents the index is behind."""
        if self._state is not None and self._state.is_of(projection, library):
            return 0
        items = _items(projection, library.snapshot())
        held = self._seen
        changed = sum(_differs(held.get(one), item) for one, item in items.items())
        return changed + sum(one not in items for one in list(held))

    def close(self) -> None:
        """Wait for a background update to end."""
        worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join()

    # -- vectors ----------------------------------------------------------------------------------------------------

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (unit id, exact string to embed) of units without a vector of this space, newest first."""
        with self._lock:
            return self._spaces.wanting(fingerprint, (self._log, self._notes), limit)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Take in vectors of strings that ``wanting_vectors`` offered; those of units that are no more are let go.

        Raises:
            ValueError: A vector does not fit the space or holds a component that is no number.
        """
        with self._lock:
            self._spaces.add(fingerprint, dimension, vectors, (self._log, self._notes))

    def counts(self, fingerprint: str | None = None) -> tuple[int, int]:
        """Return how many units there are to embed, and how many have a vector of this space."""
        with self._lock:
            units = sum(bool(unit.embedded) for plane in (self._notes, self._log) for _, unit in plane.units.values())
            space = self._spaces.get(fingerprint)
            return units, 0 if space is None else len(space)

    # -- asking -----------------------------------------------------------------------------------------------------

    def search(self, query: SemanticQuery, projection: Known, library: Library, embedder: Embedder | None) -> Found:
        """Find what answers the query. For ``as_of`` the projection has to be of that instant.

        What the search has to do without is named in ``degraded``.
        """
        degraded: list[str] = []
        if query.as_of is None:
            self._catch_up(projection, library, degraded)
        else:
            degraded.append("notes have no past: they are shown as they are now")
        vector = self._query_vector(query, embedder, degraded)
        past = None if query.as_of is None else self._past_plane(projection, library.snapshot())
        with self._lock:
            log = past or self._log
            groups = Gathering(
                query, self._notes, log, self._joins if past is None else joined_notes(projection, library.snapshot())
            )
            if not query.text.strip():
                return newest(groups.admitted(), query, projection, degraded)
            arms = self._arms(query, groups, vector, None if embedder is None else embedder.fingerprint, degraded)
            rankings = {arm: list(rows) for arm, rows in arms.items()}
            blind = {"dense": self._without_vector(groups, embedder)}
            fused = fuse(rankings, k=self._rrf_k, weights=WEIGHTS, blind=blind)
            return answer(fused, arms, groups.found, query, projection, degraded)

    def _arms(
        self,
        query: SemanticQuery,
        groups: Gathering,
        vector: npt.NDArray[np.float32] | None,
        fingerprint: str | None,
        degraded: list[str],
    ) -> dict[str, dict[str, float]]:
        depth = max(ARM_DEPTH, query.limit * 3)
        planes = (groups.notes, groups.log)
        asked = terms(query.text, self._languages)
        documents = sum(len(plane.words) for plane in planes)
        frequency = _frequency(planes, asked)
        arms: dict[str, dict[str, float]] = {}
        if query.lexical:
            weights = query_weights(asked, frequency, documents)
            rankings = [plane.words.ranking(weights) for plane in planes]
            rows = merge(*rankings, key=lambda row: (-row[2], row[0], row[1]))
            arms["lexical"] = groups.ranked(rows, "lexical", depth)
            names = self._mentions(query.text, planes, documents)
            if names:
                arms["names"] = groups.ranked(names, "names", depth)
        if vector is not None and fingerprint is not None:
            space = self._spaces.get(fingerprint)
            held = iter(()) if space is None else space.ranking(vector)
            near = ((owner, unit, score) for unit, key, score in held if (owner := groups.owner(unit, key)) is not None)
            arms["dense"] = groups.ranked(near, "dense", depth)
            if documents and not (space and len(space)):
                degraded.append("semantic: no vectors yet, found by words alone")
        return arms

    def _without_vector(self, groups: Gathering, embedder: Embedder | None) -> set[str]:
        """Return the found groups of which nothing has a vector yet: the dense arm could not have ranked them."""
        space = None if embedder is None else self._spaces.get(embedder.fingerprint)
        if space is None:
            return set(groups.found)
        return {
            id_
            for id_, group in groups.found.items()
            if not any(space.key(unit.id) == unit.key for one in group.documents.values() for unit in one.units)
        }

    def _mentions(self, text: str, planes: Sequence[Plane], documents: int) -> list[tuple[str, str, float]]:
        def rarity(token: str) -> float:
            ids = set(map(term_id, terms(token, self._languages)))
            holders = max((sum(plane.words.frequency(one) for plane in planes) for one in ids), default=0)
            return _rarity(holders, documents)

        rows = [(owner, owner, score) for plane in planes for owner, score in plane.names.find(text, rarity)]
        return sorted(rows, key=lambda row: (-row[2], row[0]))

    def _query_vector(
        self, query: SemanticQuery, embedder: Embedder | None, degraded: list[str]
    ) -> npt.NDArray[np.float32] | None:
        if not query.dense or not query.text.strip():
            return None
        if embedder is None:
            degraded.append("semantic: no embedding model, found by words alone")
            return None
        try:
            return embedder.embed_query(query.text)
        except Exception as error:  # noqa: BLE001 - whatever a model fails with, words still answer; the failure is named
            degraded.append(f"semantic: the embedding model failed ({type(error).__name__}), found by words alone")
            return None

    # -- updating ---------------------------------------------------------------------------------------------------

    def _catch_up(self, projection: Known, library: Library, degraded: list[str]) -> None:
        behind = self.pending(projection, library)
        if behind == 0:
            return
        if behind <= _INLINE_CHANGES or not self._seen:
            # A first question has nothing older to be answered from, so it waits for the index.
            if self._updating.acquire(blocking=not self._seen):
                try:
                    self._update(projection, library)
                finally:
                    self._updating.release()
                return
        elif self._worker is None or not self._worker.is_alive():
            self._worker = threading.Thread(
                target=self.update, args=(projection, library), name="semantic-index", daemon=True
            )
            self._worker.start()
        degraded.append(f"semantic: {behind} changed documents are not yet in the index")

    def _update(self, projection: Known, library: Library) -> int:
        state = _State(projection, library, library.version)
        notes = library.snapshot()
        items = _items(projection, notes)
        fresh = {one: item for one, item in items.items() if _differs(self._seen.get(one), item)}
        gone = [one for one in self._seen if one not in items]
        joins = joined_notes(projection, notes)
        tags = joined_tags(joins, notes)
        # An element's tags are those of its notes, so a note's change may be an element's.
        for element in {*joins.values(), *self._joins.values()}:
            if element in projection.elements:
                fresh.setdefault(element, projection.elements[element])
        names = list(fresh)
        count = 0
        for start in range(0, len(names), _BATCH):
            chosen = names[start : start + _BATCH]
            changed = [pair for one in chosen if (pair := self._changed(_document(fresh[one], tags))) is not None]
            with self._lock:
                for document, weighed in changed:
                    self._spaces.forget(self._plane_of(document).put(document, weighed))
                self._seen.update((one, fresh[one]) for one in chosen)
            count += len(changed)
        with self._lock:
            for one in gone:
                self._spaces.forget([*self._notes.drop(one), *self._log.drop(one)])
                del self._seen[one]
            for plane in (self._notes, self._log):
                plane.words.settle()
            self._joins, self._state = joins, state
        return count + len(gone)

    def _changed(self, document: Document) -> tuple[Document, Weighed] | None:
        """Return a document that differs from the one held, weighed; words are counted only if words changed."""
        plane = self._plane_of(document)
        if plane.documents.get(document.id) == document:
            return None
        return document, plane.weighed(document) or weigh(document, self._languages)

    def _plane_of(self, document: Document) -> Plane:
        return self._notes if document.kind == "note" else self._log

    def _past_plane(self, projection: Known, notes: Mapping[str, Note]) -> Plane:
        """Return the log of another instant as a plane; the last one asked for is kept."""
        with self._looking_back:
            if self._past is not None and self._past[0] is projection and self._past[1] is notes:
                return self._past[2]
            tags = joined_tags(joined_notes(projection, notes), notes)
            documents = [element_document(one, tags.get(one.id, ())) for one in projection.elements.values()]
            documents += [decision_document(one) for one in projection.decisions.values()]
            with self._lock:
                present = self._log
                known = {one.id: present.weighed(one) for one in documents}
            plane = Plane()
            for document in documents:
                plane.put(document, known[document.id] or weigh(document, self._languages))
            self._past = (projection, notes, plane)
            return plane


@dataclass(frozen=True, slots=True)
class _State:
    """What the index was last brought up to. A projection never changes; a library says when it did."""

    projection: Known
    library: Library
    version: int

    def is_of(self, projection: Known, library: Library) -> bool:
        return self.projection is projection and self.library is library and self.version == library.version


def _differs(held: object, item: object) -> bool:
    return held is not item and held != item


def _items(projection: Known, notes: Mapping[str, Note]) -> dict[str, Item]:
    return {**notes, **projection.elements, **projection.decisions}


def _document(item: Item, tags: Mapping[str, tuple[str, ...]]) -> Document:
    match item:
        case Note():
            return note_document(item)
        case Element():
            return element_document(item, tags.get(item.id, ()))
        case Decision():
            return decision_document(item)


def _frequency(planes: Sequence[Plane], asked: Sequence[str]) -> dict[int, int]:
    ids = set(map(term_id, asked))
    return {one: sum(plane.words.frequency(one) for plane in planes) for one in ids}


def _rarity(holders: int, documents: int) -> float:
    return float(np.log1p((max(documents, holders) - holders + 0.5) / (holders + 0.5)))
