"""Recall: one question, the right stores, one answer within a budget.

The stores are asked through two small protocols, one after the other, with one vector of the question computed once.
A store that fails costs its half of the answer, and the answer says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from episodic.search.arms import EpisodicQuery
from memoryd.render.budget import Trimmed, trim_hits
from memoryd.router.decide import Route, decide
from memoryd.router.errors import InvalidQuestion
from memoryd.router.explain import Asked, Explanation, asks_for_decisions, language_name
from memoryd.router.fuse import Fusion, descending, fuse, in_order
from memoryd.router.likeness import Likeness, refined
from memoryd.router.names import NO_NAMES, Names
from memoryd.router.outdated import ENTRIES, cited, contradicted, marked
from memoryd.router.outweigh import holds_enough, outweighed
from memoryd.router.plan import (
    SEARCH_CHARACTERS,
    Plan,
    episodic_query,
    has_words,
    plan,
    semantic_query,
    unasked,
    widened,
)
from memoryd.router.question import OneQuestion
from memoryd.router.relevance import NOTHING, Relevance, is_recorded, judge
from memoryd.router.replaced import Said
from memoryd.router.request import Answer, RecallRequest
from memoryd.router.searched import Searched, joined
from memoryd.router.spread import spread
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found, Hit
from memoryd.text.window import Window
from semantic.search.query import SemanticQuery

_TELLING = 20
"""How many entries are looked at for an event that bounds a span."""

NOTHING_SUPERSEDED: Mapping[str, str] = MappingProxyType({})
DECISION_WEIGHT = 0.6
"""What decisions count beside entries, unless the question asks for decisions: then as much."""
WEAKER_WEIGHT = 0.35
"""What the memory that was chosen counts where the other clearly holds more: its first is hit number twenty or so."""


class EpisodicPort(Protocol):
    """What happened."""

    def search(self, query: EpisodicQuery, embedder: Embedder | None) -> Found:
        """Return entries; without words, those of the window in order."""
        ...


class SemanticPort(Protocol):
    """What is known."""

    def search(self, query: SemanticQuery, embedder: Embedder | None) -> Found:
        """Return notes, elements and decisions; without words, those of the window."""
        ...


class Recall:
    """Answers questions from both stores."""

    def __init__(
        self,
        *,
        episodic: EpisodicPort,
        semantic: SemanticPort,
        clock: Callable[[], datetime],
        names: Callable[[], Names] = lambda: NO_NAMES,
        superseded: Callable[[datetime | None], Mapping[str, str]] = lambda _: NOTHING_SUPERSEDED,
        replaced: Callable[[datetime | None], Said] = lambda _: lambda _: None,
        timer: Callable[[], float] = time.perf_counter,
        likeness: Likeness | None = None,
    ) -> None:
        self._episodic = episodic
        self._semantic = semantic
        self._clock = clock
        self._names = names
        self._superseded = superseded
        self._replaced = replaced
        self._timer = timer
        self._likeness = likeness

    def route(self, query: str, embedder: Callable[[], Embedder | None] = lambda: None) -> Route:
        """Return which store a question goes to, without asking it. ``embedder`` is called where its cues are weak.

        Raises:
            InvalidQuestion: The question has no words.
        """
        if not has_words(query):
            raise InvalidQuestion("the question has no words; ask something")
        route = decide(query, names=self._names(), now=self._clock())
        return refined(route, lambda: self._sounds(query, embedder()))

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the names of known things that a text holds."""
        return tuple(found.name for found in self._names().found_in(text))

    def recall(self, request: RecallRequest, embedder: Embedder | None = None) -> Answer:
        """Answer a question.

        Args:
            request: The question and its bounds.
            embedder: For search by meaning; without one the stores search by words.

        Raises:
            InvalidQuestion: The question is empty and the request has no window.
        """
        started = self._timer()
        shared = OneQuestion(embedder) if embedder is not None else None
        planned = plan(
            request,
            names=self._names(),
            now=self._clock(),
            look_up=lambda phrase: self._telling(request, phrase),
            likeness=lambda: self._sounds(request.query, shared),
        )
        searched = [self._search(request, one, shared) for one in planned.parts or (planned,)]
        whole = searched[0] if len(searched) == 1 else joined(searched)
        is_timeline = all(one.planned.is_timeline for one in searched)
        fusion, asked, failures = whole.fusion, whole.asked, whole.failures
        repeats: list[str] = []
        if request.max_chars is not None and not is_timeline:
            distinct, repeats = spread(fusion.hits)
            fusion = replace(fusion, hits=tuple(descending(distinct)))
        hits = fusion.hits[: planned.limit]
        relevances = [
            None if one.planned.is_timeline else _relevance(one, fusion.hits if len(searched) == 1 else one.fusion.hits)
            for one in searched
        ]
        route = _told(planned.route if planned.parts else whole.planned.route, searched, relevances)
        trimmed = trim_hits(hits, request.max_chars) if request.max_chars is not None else None
        degraded = dict.fromkeys([*failures, *(reason for one in asked for reason in one.found.degraded)])
        if trimmed is not None and (trimmed.cut or trimmed.dropped):
            degraded[_shortened(trimmed)] = None
        explanation = None
        if request.explain:
            explanation = Explanation(
                language=language_name(planned.route.language),
                mode="timeline" if is_timeline else "search",
                route=route,
                asked=tuple(asked),
                hits=trimmed.hits if trimmed is not None else hits,
                weights=whole.weights,
                merged=fusion.merges,
                moved=fusion.moved,
                over_limit=tuple(hit.id for hit in fusion.hits[planned.limit :]),
                cut=trimmed.cut if trimmed is not None else None,
                dropped=trimmed.dropped if trimmed is not None else (),
                notes=tuple(dict.fromkeys([*planned.notes, *(note for one in asked for note in one.found.notes)])),
                outdated=whole.outdated,
                repeats=tuple(repeats),
                relevance=max(filter(None, relevances), key=lambda one: one.is_relevant, default=None),
            )
        return Answer(
            query=request.query,
            route=route,
            hits=trimmed.hits if trimmed is not None else hits,
            degraded=tuple(degraded),
            took_ms=round((self._timer() - started) * 1000),
            explanation=explanation,
        )

    def _search(self, request: RecallRequest, planned: Plan, embedder: Embedder | None) -> Searched:
        """Ask the stores that a plan names, and all where these hold nothing on the matter."""
        asked, failures = self._ask(request, planned, embedder)
        weaker: dict[str, float] = {}
        held = [_judged(planned, one) for one in asked]
        if not failures and _is_open(request, planned) and not any(map(holds_enough, held)):
            # The stores' own evidence has the last word: what one does not hold may stand in the other.
            others = unasked(planned)
            more, failures = self._ask(request, others, embedder, may_fail=True)
            found = [(one.store, _judged(others, one)) for one in more]
            other = None if failures else outweighed(planned.route.store, held, found)
            if other is not None:
                again = {one.store for one in more}
                first = [one for one in asked if one.store not in again]
                weak = [one for one in first if other.is_clear and not is_recorded(_matter(planned), one.found.hits)]
                weaker = {one.store: WEAKER_WEIGHT for one in weak}
                planned, asked = widened(planned, other.reason), sorted([*first, *more], key=lambda one: one.store)
        weights = _weights(planned) | weaker
        newer = self._replaced(request.as_of)
        fusion, outdated = _fused(asked, planned, weights, newer)
        if outdated and weaker:
            # What made the other memory the stronger says in part what no longer holds.
            weights = _weights(planned)
            fusion, outdated = _fused(asked, planned, weights, newer)
        return Searched(planned, tuple(asked), tuple(failures), weights, fusion, tuple(outdated))

    def _sounds(self, query: str, embedder: Embedder | None) -> float | None:
        if self._likeness is None or embedder is None:
            return None
        return self._likeness.probability(query[:SEARCH_CHARACTERS].strip(), embedder)

    def _telling(self, request: RecallRequest, phrase: str) -> Sequence[Hit]:
        """Return entries that tell of an event, by their words alone: a span must not hang on a likeness."""
        query = EpisodicQuery(
            text=phrase,
            window=Window(None, request.as_of),
            project=request.project,
            near_project=request.near_project,
            limit=_TELLING,
            dense=False,
        )
        try:
            return self._episodic.search(query, None).hits
        except Exception:  # noqa: BLE001 - the search that follows names what is broken
            return ()

    def _ask(
        self, request: RecallRequest, planned: Plan, embedder: Embedder | None, *, may_fail: bool = False
    ) -> tuple[list[Asked], list[str]]:
        searches: list[tuple[str, tuple[str, ...], Callable[[], Found]]] = []
        # That there is no model is said once, by the caller who has none, and not by each store again.
        dense = embedder is not None
        if planned.episodic_kinds:
            episodic = replace(episodic_query(request, planned), dense=dense)
            searches.append(("episodic", planned.episodic_kinds, lambda: self._episodic.search(episodic, embedder)))
        if planned.semantic_kinds:
            semantic = replace(semantic_query(request, planned), dense=dense)
            searches.append(("semantic", planned.semantic_kinds, lambda: self._semantic.search(semantic, embedder)))
        asked: list[Asked] = []
        failures: list[str] = []
        errors: list[Exception] = []
        for store, kinds, search in searches:
            started = self._timer()
            try:
                found = search()
            # The half of an answer that a broken store leaves is worth having; both broken is an error.
            except Exception as error:  # noqa: BLE001 - any failure of one store is named in the answer
                errors.append(error)
                failures.append(f"{store} memory could not be searched: {type(error).__name__}: {error}")
                continue
            admitted = _admitted(found.hits, store, request, planned)
            found = replace(found, hits=tuple(cited(admitted, self._superseded(request.as_of))))
            asked.append(Asked(store, planned.text, kinds, found, round((self._timer() - started) * 1000)))
        if errors and not asked and not may_fail:
            raise errors[0]
        return asked, failures


def _admitted(hits: Iterable[Hit], store: str, request: RecallRequest, planned: Plan) -> Iterable[Hit]:
    """Apply what a store's own query cannot say: an entry's scope, a decision's session, who offers it."""
    for hit in hits:
        if store == "episodic":
            if request.scope != "all" and (request.scope == "project") != (hit.project is not None):
                continue
        elif request.session is not None and hit.session != request.session:
            continue
        yield replace(hit, store="episodic") if planned.route.store == "episodic" and store == "semantic" else hit


def _shortened(trimmed: Trimmed) -> str:
    """Say what a limit on the text cost: an answer that was cut must not look like a whole one."""
    lost = []
    if trimmed.cut:
        lost.append("the end of the last text")
    if trimmed.dropped:
        lost.append(f"{len(trimmed.dropped)} more {'hit' if len(trimmed.dropped) == 1 else 'hits'}")
    return f"left out for max_chars: {' and '.join(lost)}"


def _weights(planned: Plan) -> dict[str, float]:
    if planned.route.store != "episodic" or asks_for_decisions(planned.question, planned.route.language):
        return {"episodic": 1.0, "semantic": 1.0}
    return {"episodic": 1.0, "semantic": DECISION_WEIGHT}


def _fused(asked: Sequence[Asked], planned: Plan, weights: dict[str, float], newer: Said) -> tuple[Fusion, list[str]]:
    """Return one list, and the entries in it that say what a decision replaced.

    What was replaced is marked, whatever was asked. Below what replaced it, it is put for those who ask what holds; who
    asks what happened wants the old entry where it stands.
    """
    found: Mapping[str, Sequence[Hit]] = {one.store: one.found.hits for one in asked}
    found, outdated = contradicted(found)
    found, named = marked(found, newer)
    outdated += named
    if planned.is_timeline:
        return in_order(found.values()), outdated
    if planned.route.store != "episodic":
        return fuse(found, weights=weights, prefer=planned.prefer), outdated
    held = {hit.id: hit.superseded_by for hits in found.values() for hit in hits if hit.kind in ENTRIES}
    found = {
        name: [replace(hit, superseded_by=None) if hit.id in held else hit for hit in hits]
        for name, hits in found.items()
    }
    fusion = fuse(found, weights=weights, prefer=planned.prefer)
    hits = (replace(hit, superseded_by=held.get(hit.id, hit.superseded_by)) for hit in fusion.hits)
    return replace(fusion, hits=tuple(hits)), outdated


def _is_open(request: RecallRequest, planned: Plan) -> bool:
    """Tell whether one memory was chosen for a search, by the router alone."""
    if request.store != "auto" or planned.is_timeline or planned.route.store == "both":
        return False
    return not (request.kinds or request.tags or request.session is not None)


def _judged(planned: Plan, asked: Asked) -> Relevance:
    return judge(_matter(planned), asked.found.hits, [asked.found.arms])


def _matter(planned: Plan) -> str:
    """Return what is asked about, without the words that only name a time."""
    span = planned.route.range
    return planned.text if span is None or not span.has_content else span.remainder


def _relevance(searched: Searched, hits: Sequence[Hit]) -> Relevance:
    return judge(_matter(searched.planned), hits, [one.found.arms for one in searched.asked])


def _told(route: Route, searched: Sequence[Searched], relevances: Sequence[Relevance | None]) -> Route:
    """Say in the route that nothing answers the question, or an ask of it, and whom else an ask was put to."""
    missed = [
        one.planned.question
        for one, relevance in zip(searched, relevances, strict=True)
        if relevance is not None and not relevance.is_relevant
    ]
    added = [one.planned.route.reasons[-1] for one in searched if len(searched) > 1 and one.planned.is_widened]
    if len(missed) == len(searched):
        added.append(NOTHING)
    else:
        added += [f'nothing that is stored seems to answer "{question}"' for question in missed]
    return replace(route, reasons=(*route.reasons, *added)) if added else route
