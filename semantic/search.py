"""Search over notes, elements and decisions: by name, by word and by meaning, fused into one list.

A note is one hit, shown by its best section. A note that is joined to an element is that element's hit, with the note
as its place and source. A question is answered from what is taken in, and says if that is not everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from heapq import merge
from itertools import islice

import numpy as np

from memoryd.text.bm25 import query_weights
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.rrf import fuse
from memoryd.text.terms import term_id, terms
from semantic.answer import answer, newest
from semantic.contents import Contents
from semantic.gather import Gathering
from semantic.inverted import InvertedIndex
from semantic.joining import Known
from semantic.matrix import Vector
from semantic.model import Note
from semantic.past import Past
from semantic.plane import Plane
from semantic.priors import ordered
from semantic.query import SemanticQuery
from semantic.upkeep import KeptWords, Look, Upkeep

RRF_K = 10
ARM_DEPTH = 100
"""How many hits each arm hands to the fusion, at least."""

LOOKED_AT = 1000
"""So many of the best pieces, and of the best lines with links, are looked at for the lexical arm."""

SAID_WEIGHT = 0.5
"""What a line that links to a note counts beside the note's own words."""

HUB_DAMPING = 0.0
"""The power by which a line's worth is divided among the notes that it links to."""

_Row = tuple[str, str, float]
"""A document, a piece of it, and its score."""

WEIGHTS = {"names": 1.0, "lexical": 1.0, "dense": 0.8}


class SemanticIndex:
    """The search over one log and its vaults. Every method may be called from any thread.

    ``upkeep`` brings it up to date. No question does, and none waits for it longer than a batch takes to go in.

    Args:
        look: Says what is known now: the picture of the log, and the notes by id.
        languages: The languages of stems, as ``memoryd.text.terms`` takes them.
        rrf_k: The constant of the fusion.
        zone: That of the days which a hit's text names.
        words: Where the words of notes are kept from one start to the next.
    """

    def __init__(
        self,
        look: Look,
        languages: Sequence[str] = ("en", "de"),
        *,
        rrf_k: int = RRF_K,
        zone: tzinfo = UTC,
        words: KeptWords | None = None,
    ) -> None:
        self._languages = tuple(languages)
        self._rrf_k = rrf_k
        self._zone = zone
        self._contents = Contents()
        self._past = Past(self._contents, languages)
        self.upkeep = Upkeep(self._contents, look, languages, words)

    def wanting_vectors(self, fingerprint: str, limit: int) -> list[tuple[str, str]]:
        """Return (handle, exact string to embed) of units without a vector of this space, newest first.

        A handle stands for a unit and the text that it has now.
        """
        with self._contents.lock:
            return self._contents.spaces.wanting(fingerprint, limit)

    def count_wanting(self, fingerprint: str) -> int:
        """Return how many units have no vector of this space, at once."""
        with self._contents.lock:
            return self._contents.spaces.count_wanting(fingerprint)

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, Vector]) -> None:
        """Take in vectors by handle; those of texts that are no more are let go.

        Raises:
            ValueError: A vector does not fit the space or holds a component that is no number.
        """
        with self._contents.lock:
            self._contents.spaces.add(fingerprint, dimension, vectors)

    def fingerprints(self) -> set[str]:
        """Return the models that gave vectors."""
        with self._contents.lock:
            return self._contents.spaces.fingerprints()

    def drop_vectors(self, fingerprint: str) -> None:
        """Drop all vectors of a model."""
        with self._contents.lock:
            self._contents.spaces.drop(fingerprint)

    def counts(self, fingerprint: str | None = None) -> tuple[int, int]:
        """Return how many units there are to embed, and how many have a vector of this space."""
        with self._contents.lock:
            space = self._contents.spaces.get(fingerprint)
            return sum(plane.to_embed for plane in self._contents.planes), 0 if space is None else len(space)

    def search(self, query: SemanticQuery, known: Known, notes: Mapping[str, Note], embedder: Embedder | None) -> Found:
        """Find what answers the query, as of the picture and the notes that are given.

        What the search has to do without is named in ``degraded``.
        """
        degraded = self._lags(known, notes) if query.as_of is None else []
        question = self._read(query, embedder, degraded)
        contents = self._contents
        log, joins = contents.log, contents.joins
        if query.as_of is not None:
            degraded.append("notes have no past: they are shown as they are now")
            log, joins = self._past.plane(known, notes)
        with contents.lock:
            groups = Gathering(query, contents.notes, log, joins, known)
            if not query.text.strip():
                return newest(groups.admitted(), query, known, degraded, self._zone)
            arms = self._arms(query, question, groups, degraded)
            blind = {"dense": self._without_vector(groups, question)}
        rankings = {arm: list(rows) for arm, rows in arms.items()}
        fused = fuse(rankings, k=self._rrf_k, weights=WEIGHTS, blind=blind)
        shown = ordered(fused, arms, groups.found, query, known.decisions)
        return answer(shown, arms, groups.found, query, known, degraded, self._zone)

    def _lags(self, known: Known, notes: Mapping[str, Note]) -> list[str]:
        """Have the worker catch up if it has to; return, in words, what the answer does not know yet."""
        if self.upkeep.is_current(known, notes):
            return []
        self.upkeep.call()
        if self.upkeep.failure is not None:
            return [f"semantic: the index cannot be brought up to date ({self.upkeep.failure})"]
        return ["semantic: what changed is not yet in the index"]

    def _read(self, query: SemanticQuery, embedder: Embedder | None, degraded: list[str]) -> _Question:
        """Return the question as each arm takes it; a model that fails costs its arm and nothing else."""
        asked = tuple(terms(query.text, self._languages))
        if not query.dense or not query.text.strip():
            return _Question(asked)
        if embedder is None:
            degraded.append("semantic: no embedding model, found by words alone")
            return _Question(asked)
        try:
            return _Question(asked, embedder.fingerprint, embedder.embed_query(query.text))
        except Exception as error:  # noqa: BLE001 - whatever a model fails with, words still answer; the failure is named
            degraded.append(f"semantic: the embedding model failed ({type(error).__name__}), found by words alone")
            return _Question(asked)

    def _arms(
        self, query: SemanticQuery, question: _Question, groups: Gathering, degraded: list[str]
    ) -> dict[str, dict[str, float]]:
        depth = max(ARM_DEPTH, query.limit * 3)
        planes = (groups.notes, groups.log)
        documents = sum(len(plane.words) for plane in planes)
        arms: dict[str, dict[str, float]] = {}
        if query.lexical:
            weights = query_weights(
                question.terms, _frequency([plane.words for plane in planes], question.terms), documents
            )
            rankings = [plane.words.ranking(weights) for plane in planes]
            rows = islice(merge(*rankings, key=_best_first), LOOKED_AT)
            said = self._said(question, groups) if query.spreads else {}
            arms["lexical"] = groups.ranked(_with_said(rows, said), "lexical", depth)
            names = self._mentions(query.text, planes, documents)
            if names:
                arms["names"] = groups.ranked(names, "names", depth)
        if question.vector is not None:
            space = self._contents.spaces.get(question.fingerprint)
            held = iter(()) if space is None else space.ranking(question.vector)
            near = ((owner, unit, score) for unit, key, score in held if (owner := groups.owner(unit, key)) is not None)
            arms["dense"] = groups.ranked(near, "dense", depth)
            if documents and not (space and len(space)):
                degraded.append("semantic: no vectors yet, found by words alone")
        return arms

    def _said(self, question: _Question, groups: Gathering) -> dict[str, float]:
        """Return, by note, how well the best line answers by which another note links to it.

        The best alone counts, not the sum: a hub that everything links to is no better answer for that. A line that
        links to several says less of each.
        """
        index = self._contents.anchors
        weights = query_weights(question.terms, _frequency([index], question.terms), len(index))
        said: dict[str, float] = {}
        for source, place, score in islice(index.ranking(weights), LOOKED_AT):
            targets = groups.notes.documents[source].anchors[int(place)].targets
            for target in targets:
                said[target] = max(said.get(target, 0.0), SAID_WEIGHT * score / len(targets) ** HUB_DAMPING)
        return {note: score for note, score in said.items() if note in groups.notes.documents}

    def _without_vector(self, groups: Gathering, question: _Question) -> set[str]:
        """Return the found groups of which nothing has a vector yet: the dense arm could not have ranked them."""
        space = self._contents.spaces.get(question.fingerprint)
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
            return float(np.log1p((max(documents, holders) - holders + 0.5) / (holders + 0.5)))

        rows = [(owner, owner, score) for plane in planes for owner, score in plane.names.find(text, rarity)]
        return sorted(rows, key=lambda row: (-row[2], row[0]))


@dataclass(frozen=True, slots=True)
class _Question:
    """What the arms ask with: terms, and a vector with the space that it lives in."""

    terms: tuple[str, ...]
    fingerprint: str | None = None
    vector: Vector | None = None


def _frequency(indexes: Sequence[InvertedIndex], asked: Sequence[str]) -> dict[int, int]:
    ids = set(map(term_id, asked))
    return {one: sum(index.frequency(one) for index in indexes) for one in ids}


def _best_first(row: _Row) -> tuple[float, str, str]:
    return (-row[2], row[0], row[1])


def _with_said(rows: Iterable[_Row], said: Mapping[str, float]) -> list[_Row]:
    """Return the rows, best first, each with what others say of its document; what only others name has its own."""
    found = [(document, unit, score + said.get(document, 0.0)) for document, unit, score in rows]
    held = {document for document, _, _ in found}
    found += [(document, document, score) for document, score in said.items() if document not in held]
    return sorted(found, key=_best_first)
