"""Who is asked what: a request and the router's choice become a query for each store."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from episodic.search.arms import EpisodicQuery
from memoryd.router.anchor import LookUp, anchored
from memoryd.router.decide import Route, Route3, decide
from memoryd.router.errors import InvalidQuestion
from memoryd.router.likeness import refined
from memoryd.router.names import Names
from memoryd.router.request import RecallRequest
from memoryd.router.temporal import Span
from memoryd.text.window import Window
from semantic.search.query import SemanticQuery

DEFAULT_LIMIT = 10
MAX_LIMIT = 500
SEARCH_CHARACTERS = 4000
"""A longer question is cut here before it is searched for: behind it stands a paste, not a question."""

_SPARE = 10
_EPISODIC_KINDS: tuple[str, ...] = ("episode", "section")
_SEMANTIC_KINDS: tuple[str, ...] = ("note", "element", "decision")
_WORD = re.compile(r"\w")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is searched for, within what, and of whom; a store with no kinds is not asked.

    ``parts`` has a plan for each ask of a compound question; then nothing is looked for by the whole.
    """

    question: str
    route: Route
    text: str
    window: Window
    prefer: Window | None
    limit: int
    episodic_kinds: tuple[str, ...]
    semantic_kinds: tuple[str, ...]
    notes: tuple[str, ...]
    is_widened: bool = False
    parts: tuple[Plan, ...] = ()

    @property
    def is_timeline(self) -> bool:
        """Whether a span of time is read in order, since there are no words to search for."""
        return not self.text


def has_words(question: str) -> bool:
    """Tell whether a question holds anything but punctuation."""
    return _WORD.search(question) is not None


def plan(
    request: RecallRequest,
    *,
    names: Names,
    now: datetime,
    look_up: LookUp | None = None,
    likeness: Callable[[], float | None] = lambda: None,
) -> Plan:
    """Plan the answer to a request.

    Args:
        request: The question and its bounds.
        names: What graph and journal know.
        now: The asker's present, aware.
        look_up: Finds entries of the journal, for a span that an event bounds ("since the release").
        likeness: Tells how much the question sounds like one on events, where its words give too few cues.

    Raises:
        InvalidQuestion: The question is empty and the request has no window.
    """
    route = _route_of(request, names, now, likeness)
    whole = _planned(request, route, now, look_up)
    if request.store != "auto":
        return whole
    parts = (
        _planned(
            replace(request, query=ask.text),
            Route(ask.store, ask.confidence, ask.reasons, ask.range, route.language),
            now,
            look_up,
        )
        for ask in route.asks
    )
    return replace(whole, parts=tuple(parts))


def _planned(request: RecallRequest, route: Route, now: datetime, look_up: LookUp | None) -> Plan:
    if look_up is not None:
        route = anchored(route, request.query, now, look_up)
    span = route.range
    episodic_kinds, semantic_kinds, notes = _kinds(request, route.store)
    route = _rerouted(request, route, episodic_kinds, semantic_kinds)
    text, window, prefer = _searched(request, span)
    if len(text) > SEARCH_CHARACTERS:
        text = text[:SEARCH_CHARACTERS]
        notes = (*notes, f"only the first {SEARCH_CHARACTERS} characters of the question were searched for")
    default = DEFAULT_LIMIT if text else MAX_LIMIT
    limit = min(request.limit if request.limit is not None else default, MAX_LIMIT)
    return Plan(request.query, route, text, window, prefer, limit, episodic_kinds, semantic_kinds, notes)


def unasked(planned: Plan) -> Plan:
    """Return the plan that asks what a plan for one memory leaves unasked."""
    semantic = () if set(planned.semantic_kinds) >= set(_SEMANTIC_KINDS) else _SEMANTIC_KINDS
    route = replace(planned.route, store="both")
    kinds = () if planned.episodic_kinds else _EPISODIC_KINDS
    return replace(planned, route=route, episodic_kinds=kinds, semantic_kinds=semantic)


def widened(planned: Plan, reason: str) -> Plan:
    """Return the plan that asks both memories, for a reason in words: the one that was chosen holds less."""
    route = replace(planned.route, store="both", reasons=(*planned.route.reasons, reason))
    return replace(
        planned, route=route, episodic_kinds=_EPISODIC_KINDS, semantic_kinds=_SEMANTIC_KINDS, is_widened=True
    )


def _route_of(request: RecallRequest, names: Names, now: datetime, likeness: Callable[[], float | None]) -> Route:
    if has_words(request.query):
        route = decide(request.query, names=names, now=now)
    elif request.window:
        route = Route("both", 1.0, ("no words, only a span of time: it is read in order",))
    elif request.query.strip():
        route = Route("both", 0.0, ("no words, only signs: they are looked for as they stand",))
    else:
        raise InvalidQuestion("the question is empty; ask something, or give since or until to read a span of time")
    if request.store == "auto":
        return refined(route, likeness)
    return replace(route, store=request.store, confidence=1.0, reasons=(f"the caller chose {request.store}",))


def _searched(request: RecallRequest, span: Span | None) -> tuple[str, Window, Window | None]:
    """Return the text to search for, the window that filters, and the span that only comes first."""
    query = request.query.strip() if has_words(request.query) or not request.window else ""
    window = request.window
    if span is None:
        return query, window, None
    if not span.has_content:
        return "", window.narrowed(span.window), None
    # "last week" is noise in a search; a date may stand in the text that is looked for.
    return (query if _DIGIT.search(span.text) else span.remainder), window, span.window


def _kinds(request: RecallRequest, store: Route3) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the kinds asked of each store, and notes on what the request's filters rule out.

    Decisions are dated events: they are offered beside the journal's entries too.
    """
    notes: list[str] = []
    semantic = _SEMANTIC_KINDS if store != "episodic" else ("decision",)
    episodic = _EPISODIC_KINDS if store != "semantic" else ()
    if request.kinds:
        if request.store == "auto":
            # What the caller wants to see says more than what the question sounds like.
            episodic, semantic = _EPISODIC_KINDS, _SEMANTIC_KINDS
        episodic = tuple(kind for kind in episodic if kind in request.kinds)
        semantic = tuple(kind for kind in semantic if kind in request.kinds)
        notes.append(f"only {', '.join(request.kinds)} asked for")
    if request.tags:
        if episodic:
            notes.append("entries of the journal have no tags, so the episodic memory was not asked")
            episodic = ()
        if request.store == "auto" and not request.kinds:
            semantic = _SEMANTIC_KINDS
    if request.session is not None and request.store == "auto" and not (request.kinds or request.tags):
        episodic = _EPISODIC_KINDS
    if request.session is not None and semantic:
        notes.append("what is known belongs to no session: only decisions of that session are shown")
        semantic = tuple(kind for kind in semantic if kind == "decision")
    return episodic, semantic, tuple(notes)


def _rerouted(request: RecallRequest, route: Route, episodic: tuple[str, ...], semantic: tuple[str, ...]) -> Route:
    """Say so where the filters leave another store than the question asked for."""
    if request.store != "auto" or not (request.kinds or request.tags or request.session is not None):
        return route
    left: Route3 = "both" if episodic and set(semantic) - {"decision"} else "episodic" if episodic else "semantic"
    if left == route.store:
        return route
    reason = f"the filters leave {'both memories' if left == 'both' else f'the {left} memory'}"
    return replace(route, store=left, reasons=(reason, *route.reasons))


def episodic_query(request: RecallRequest, planned: Plan) -> EpisodicQuery:
    """Return what the journal is asked."""
    return EpisodicQuery(
        text=planned.text,
        window=planned.window.narrowed(Window(None, request.as_of)),
        prefer=planned.prefer if planned.prefer is not None else Window(),
        project=request.project,
        session=request.session,
        near_project=request.near_project,
        near_session=request.near_session,
        kinds=planned.episodic_kinds if request.kinds else None,
        limit=_asked_for(request, planned),
        lexical=request.lexical,
    )


def semantic_query(request: RecallRequest, planned: Plan) -> SemanticQuery:
    """Return what log and vault are asked."""
    kinds = planned.semantic_kinds
    if planned.is_timeline and not request.kinds and planned.route.store != "semantic":
        # A timeline is made of dated events; what is known is no event, whenever it was written down.
        kinds = ("decision",)
    return SemanticQuery(
        text=planned.text,
        window=planned.window,
        as_of=request.as_of,
        project=request.project,
        near_project=request.near_project,
        scope=request.scope,
        tags=request.tags,
        kinds=kinds,
        limit=_asked_for(request, planned),
        lexical=request.lexical,
    )


def _asked_for(request: RecallRequest, planned: Plan) -> int:
    """Ask for more than is shown: merging and filters take some away."""
    spare = 3 if request.scope != "all" or request.session is not None else 1
    return min(spare * (planned.limit + _SPARE), MAX_LIMIT)
