"""Search over notes, elements and decisions: by name, by word and by meaning, fused into one list.

A note is one hit, shown by its best section. A note that is joined to an element is that element's hit, with the note
as its place and source. A question is answered from what is taken in, and says if that is not everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from heapq import merge
from itertools import islice, tee

import numpy as np

from memoryd.text.bm25 import query_weights
from memoryd.text.embedder import Embedder
from memoryd.text.evidence import AskedWords, weigh_words
from memoryd.text.hit import Found
from memoryd.text.rrf import fuse
from memoryd.text.terms import term_id, terms
from semantic.fields import Document
from semantic.model import Note
from semantic.search.answer import answer, newest
from semantic.search.asked import replaced
from semantic.search.contents import Contents
from semantic.search.gather import Gathering
from semantic.search.inverted import InvertedIndex
from semantic.search.joining import Known
from semantic.search.matrix import Vector
from semantic.search.past import Past
from semantic.search.place import Place, beside, find_place
from semantic.search.plane import Plane
from semantic.search.priors import ordered
from semantic.search.query import SemanticQuery
from semantic.search.spreading import Spreading, linked_from
from semantic.search.upkeep import KeptWords, Look, Upkeep

RRF_K = 10
ARM_DEPTH = 100
"""How many hits each arm hands to the fusion, at least."""

LOOKED_AT = 1000
"""So many of the best pieces, and of the best lines with links, are looked at for the lexical arm."""

WORDS_POWER = 1.5
"""The power of a score by words beside the best one: a question that quotes a note finds it far ahead of all others,
and where words tell the others so little apart, links and meaning decide among them."""

NAMES_POWER = 2
"""Of the share of the question that a name is: who asks for a thing by name asks little else, and a name that a long
sentence mentions is seldom what it is about."""

MEANING_ALONE = 0.8
"""What meaning counts where words tell nothing; where they tell all there is, it counts what ``WEIGHTS`` says."""

_Row = tuple[str, str, float]
"""A document, a piece of it, and its score."""

WEIGHTS = {"names": 1.0, "lexical": 1.0, "dense": 0.2, "lines": 0.1, "passages": 0.2, "links": 0.1, "beside": 0.25}
"""What each arm's ranks count: names, words, meaning; then what lines say that link to a note, what the passages
nearest in meaning link to, where a walk along links leads from what words found, and what hangs beside the passage that
a question quotes."""

QUOTES = 3
"""So many of the best by words may be what a question quotes."""


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
            near, again = tee(self._near(question, groups))
            asked = self._asked(query, question, groups)
            arms = self._arms(query, question, asked, groups, near, degraded)
            place = _place(query, groups, arms) if query.spreads and query.quotes else None
            if query.spreads:
                spreading = Spreading((groups.notes, groups.log), joins)
                arms |= self._spread(question, groups, arms, again, spreading, place, depth_of(query))
            blind = {"dense": self._without_vector(groups, question)}
            # What was superseded is shown with what superseded it, whether that holds the words or not.
            chains = replaced(query.text, arms.get("lexical", {}), known.decisions)
            groups.admit(id_ for chain, _ in chains.values() for id_ in chain)
        rankings = {arm: list(rows) for arm, rows in arms.items()}
        evidence = _evidence(asked, arms)
        # A full list does not know what it left out; a short one left out only what holds none of the words.
        tails = {"lexical": 1 - evidence} if len(arms.get("lexical", ())) < depth_of(query) else {}
        fused = fuse(
            rankings, k=self._rrf_k, weights=_weights(evidence), blind=blind, shares=_shares(arms), tails=tails
        )
        given = frozenset() if place is None else frozenset(joins.get(id_, id_) for id_ in place.named)
        shown = ordered(fused, arms, groups.found, query, known.decisions, chains, given)
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
        self,
        query: SemanticQuery,
        question: _Question,
        asked: AskedWords | None,
        groups: Gathering,
        near: Iterable[_Row],
        degraded: list[str],
    ) -> dict[str, dict[str, float]]:
        depth = depth_of(query)
        planes = (groups.notes, groups.log)
        documents = sum(len(plane.words) for plane in planes)
        arms: dict[str, dict[str, float]] = {}
        if query.lexical:
            frequency = _frequency([plane.words for plane in planes], question.terms)
            # Common words are left to meaning where it is asked too.
            weights = asked.weights if asked is not None else query_weights(question.terms, frequency, documents)
            rankings = [plane.words.ranking(weights) for plane in planes]
            rows = islice(merge(*rankings, key=_best_first), LOOKED_AT)
            arms["lexical"] = groups.ranked(rows, "lexical", depth)
            names = self._mentions(query.text, planes, documents)
            if names:
                arms["names"] = groups.ranked(names, "names", depth)
        if question.vector is not None:
            space = self._contents.spaces.get(question.fingerprint)
            arms["dense"] = groups.ranked(near, "dense", depth)
            if documents and not (space and len(space)):
                degraded.append("semantic: no vectors yet, found by words alone")
        return arms

    def _asked(self, query: SemanticQuery, question: _Question, groups: Gathering) -> AskedWords | None:
        """Return which words are looked for beside meaning and what a match of them tells; ``None`` for words alone."""
        if question.vector is None or not query.lexical:
            return None
        planes = (groups.notes, groups.log)
        frequency = _frequency([plane.words for plane in planes], question.terms)
        documents = sum(len(plane.words) for plane in planes)
        return weigh_words(query.text, question.terms, frequency, documents, self._languages)

    def _near(self, question: _Question, groups: Gathering) -> Iterator[_Row]:
        """Yield the pieces nearest in meaning, nearest first."""
        space = self._contents.spaces.get(question.fingerprint)
        if space is None or question.vector is None:
            return
        for unit, key, score in space.ranking(question.vector):
            owner = groups.owner(unit, key)
            if owner is not None:
                yield owner, unit, score

    def _spread(
        self,
        question: _Question,
        groups: Gathering,
        arms: Mapping[str, Mapping[str, float]],
        near: Iterable[_Row],
        spreading: Spreading,
        place: Place | None,
        depth: int,
    ) -> dict[str, dict[str, float]]:
        """Return the arms that follow links from what the others found; one that leads nowhere is left out."""
        rows = {"lines": self._said(question, groups)} if "lexical" in arms else {}
        if "dense" in arms:
            rows["passages"] = linked_from(_passages(near, groups))
        rows["links"] = spreading.walk(arms.get("lexical") or arms.get("dense") or {})
        if place is not None:
            rows["beside"] = beside(place, groups.notes.documents, groups.notes.web, spreading.neighbors)
        known = (groups.notes.documents, groups.log.documents)
        spread = {}
        for arm, met in rows.items():
            held = ((node, node, score) for node, score in met if any(node in documents for documents in known))
            if ranking := groups.ranked(held, arm, depth):
                spread[arm] = ranking
        return spread

    def _said(self, question: _Question, groups: Gathering) -> list[tuple[str, float]]:
        """Return, by note, how well the best line answers by which another note links to it, best first.

        The best alone counts, not the sum: a hub that everything links to is no better answer for that.
        """
        index = self._contents.anchors
        weights = query_weights(question.terms, _frequency([index], question.terms), len(index))
        said: dict[str, float] = {}
        for source, place, score in islice(index.ranking(weights), LOOKED_AT):
            for target in groups.notes.documents[source].anchors[int(place)].targets:
                said[target] = max(said.get(target, 0.0), score)
        return sorted(said.items(), key=lambda pair: (-pair[1], pair[0]))

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


def _passages(near: Iterable[_Row], groups: Gathering) -> Iterator[tuple[Document, tuple[int, int], float]]:
    for owner, unit, score in near:
        document, held = groups.notes.documents.get(owner), groups.notes.units.get(unit)
        if document is not None and held is not None and held[1].section is not None:
            yield document, held[1].section.lines, score


def _place(query: SemanticQuery, groups: Gathering, arms: Mapping[str, Mapping[str, float]]) -> Place | None:
    """Return the passage that a question quotes, of what its words found first."""
    found = (groups.found[id_].pieces.get("lexical") for id_ in islice(arms.get("lexical", ()), QUOTES))
    pieces = ((piece.document, piece.section) for piece in found if piece is not None)
    return find_place(query.text, pieces, groups.notes.documents)


def depth_of(query: SemanticQuery) -> int:
    """Return how many hits each arm hands to the fusion."""
    return max(ARM_DEPTH, query.limit * 3)


def _evidence(asked: AskedWords | None, arms: Mapping[str, Mapping[str, float]]) -> float:
    """Return what words count beside meaning, 0 to 1; all where meaning found nothing."""
    if asked is None or not arms.get("dense"):
        return 1.0
    return 1.0 if asked.is_exact else asked.evidence


def _weights(evidence: float) -> dict[str, float]:
    """Return what each arm's ranks count: the less words tell, the more meaning counts."""
    by_words = {arm: evidence * WEIGHTS[arm] for arm in ("lexical", "lines", "links", "beside")}
    return {**WEIGHTS, **by_words, "dense": evidence * WEIGHTS["dense"] + (1 - evidence) * MEANING_ALONE}


def _shares(arms: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return what part of a rank's worth a hit gets for how good the match is: of words, of meaning, and of names."""
    words = arms.get("lexical", {})
    best = max(words.values(), default=0.0)
    shares = {"lexical": {id_: (score / best) ** WORDS_POWER for id_, score in words.items()} if best > 0 else {}}
    near = arms.get("dense", {})
    if near and (reach := max(near.values()) - (far := min(near.values()))) > 0:
        # In a vault of seven notes the sixth is about as far away as can be, and its rank says nothing of that.
        shares["dense"] = {id_: (score - far) / reach for id_, score in near.items()}
    if "names" in arms:
        shares["names"] = {id_: min(score, 1.0) ** NAMES_POWER for id_, score in arms["names"].items()}
    return shares
