"""What is told with a prompt: what others did meanwhile, and what memory holds on what is asked.

Only what people ask is answered: a harness's notices, timers and its own commands are given nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from memoryd.api.briefing import Briefing, Place
from memoryd.api.changes import Changes, changed_since_shown, settle_changes
from memoryd.api.injection.told import LINE_UNITS, PROMPT_UNITS, Told, degraded_mark
from memoryd.api.services import Services
from memoryd.capture.child import is_own_prompt
from memoryd.capture.noise import is_machine_made, read_said
from memoryd.capture.payload import Payload
from memoryd.capture.turn import clean
from memoryd.render.brief import (
    conflicts_part,
    degraded_part,
    hit_line,
    lines_part,
    news_part,
    render_context,
    shown_line,
)
from memoryd.render.gate import leads_of, relevant, telling_words
from memoryd.render.news import News
from memoryd.router.errors import InvalidQuestion
from memoryd.router.request import RecallRequest
from memoryd.text.hit import Hit
from semantic.model import Decision, Element

MOST_HITS = 6
MOST_LOOKED_AT = 12
MOST_NEWS = 5
MOST_CHANGES = 4
MOST_CONFLICTS = 3
MOST_DEGRADED = 2
_LONGEST_QUESTION = 2_000
_SESSIONS_KEPT = 256


class Prompts:
    """Answers prompts. It keeps which sessions are memory's own: what a summariser is asked is no question."""

    def __init__(self, services: Services, briefing: Briefing) -> None:
        self._services = services
        self._briefing = briefing
        self._lock = threading.Lock()
        self._own: OrderedDict[str, None] = OrderedDict()

    def is_own(self, session: str) -> bool:
        """Tell whether memory itself began a session."""
        return session in self._own

    def answer(self, payload: Payload, session: str) -> Told | None:
        """Return what a prompt is given."""
        if payload.prompt is None or is_machine_made(payload.source):
            return None
        if is_own_prompt(payload.prompt):
            self._note_own(session)
            return None
        said = read_said(payload.prompt)
        if said.kind != "prompt":
            return None
        services, place = self._services, self._briefing.place(payload.cwd)
        self._briefing.register(session, place)
        known = services.seen.known(session, payload.agent)
        news = self._briefing.news(session, place, MOST_NEWS)
        fresh = [one for one in news.decisions if one.id not in known]
        changes = changed_since_shown(services, session, payload.agent, limit=MOST_CHANGES)
        shown = known | {one.id for one in fresh}
        found = self._found(clean(said.text)[:_LONGEST_QUESTION], session, place)
        hits = [one for one in found if not shown & {one.id, one.episode or one.id}][:MOST_HITS]
        if not fresh and not changes.told and not hits:
            self._settle(payload, session, news, changes)
            return None
        # What memory does without matters where it was searched.
        lines = degraded_part(services.shortcomings()).lines if hits else ()
        lacking = [line for line in lines if degraded_mark(line) not in known][:MOST_DEGRADED]
        parts = [
            lines_part("degraded", lacking),
            conflicts_part(self._conflicts(fresh, place), services.zone),
            news_part(fresh, services.zone, more=news.more, units=LINE_UNITS),
            lines_part("changed", (shown_line(one.name, one.why, one.id, units=LINE_UNITS) for one in changes.told)),
            lines_part("found", (hit_line(one, services.zone, LINE_UNITS) for one in hits)),
        ]
        brief = render_context(parts, PROMPT_UNITS, opening=self._briefing.opening(place, is_short=True))

        def settle() -> None:
            self._settle(payload, session, news, changes)
            services.seen.mark(session, [degraded_mark(line) for line in lacking], payload.agent)

        return Told(brief, settle)

    def _settle(self, payload: Payload, session: str, news: News, changes: Changes) -> None:
        self._briefing.settle(session, news)
        settle_changes(self._services, session, changes, payload.agent)

    def _conflicts(self, fresh: Sequence[Decision], place: Place) -> list[tuple[Element, tuple[Decision, ...]]]:
        """Return the things on which one of these decisions stands against another."""
        ids = {one.id for one in fresh}
        if not ids:
            return []
        found = [
            (element, heads)
            for element, heads in self._services.semantic.conflicts()
            if place.holds(element) and any(one.id in ids for one in heads)
        ]
        return found[:MOST_CONFLICTS]

    def _found(self, question: str, session: str, place: Place) -> Sequence[Hit]:
        """Return what memory holds on a question and the session does not."""
        services = self._services
        is_timeline = not telling_words(question)
        if is_timeline and not self._asks_for_a_span(question):
            return []
        request = RecallRequest(
            query=question, limit=MOST_LOOKED_AT, near_project=place.id, lexical=services.lexical, explain=True
        )
        found = services.recall.recall(request, services.warm_embedder())
        # The session's own turns stand in its context already.
        others = [one for one in found.hits if one.session != session]
        current = [one for one in others if one.superseded_by is None and not one.is_bookkeeping]
        if is_timeline:
            return current
        leads = leads_of(one.found.arms for one in found.explanation.asked) if found.explanation is not None else None
        return relevant(question, current, named=services.recall.names_in(question), leads=leads)

    def _asks_for_a_span(self, question: str) -> bool:
        """Tell whether a question of common words alone asks what happened at some time: "what did we do yesterday"."""
        try:
            route = self._services.recall.route(question)
        except InvalidQuestion:
            return False
        return route.store == "episodic" and route.range is not None

    def _note_own(self, session: str) -> None:
        with self._lock:
            self._own[session] = None
            while len(self._own) > _SESSIONS_KEPT:
                self._own.popitem(last=False)
