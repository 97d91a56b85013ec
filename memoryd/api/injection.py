"""What an agent's hooks are answered: memory, where it has to do with what is asked, once, and within a budget.

Only what people ask is answered: a harness's notices, timers and its own commands are given nothing. A stop is given
nothing either, since words at a stop send the agent on; the one exception is a gate that the user switched on.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

import structlog

from episodic.errors import EpisodicError
from memoryd.api.briefing import SHARES, Briefing, Place
from memoryd.api.services import Services
from memoryd.api.touched import Touched
from memoryd.capture.child import is_own_prompt
from memoryd.capture.noise import is_machine_made, read_said
from memoryd.capture.opening import open_regular
from memoryd.capture.payload import Payload
from memoryd.capture.turn import clean
from memoryd.render.brief import Brief, element_line, hit_line, id_of, lines_part, news_part, render_context
from memoryd.render.gate import relevant, telling_words
from memoryd.render.seen import FRESH_SOURCES
from memoryd.router.errors import InvalidQuestion, RouterError
from memoryd.router.request import RecallRequest
from memoryd.text.hit import Hit
from semantic.errors import SemanticError
from semantic.model import Element

log = structlog.get_logger("memoryd.injection")

START_UNITS, PROMPT_UNITS, TOUCHED_UNITS = 6_000, 2_000, 1_200
CEILING_UNITS = 9_500
"""No answer is longer, whatever the budgets say: at 10,000 an agent puts a text into a file instead of reading it."""
IN_TIME_S = {"SessionStart": 0.7, "UserPromptSubmit": 0.42}
"""What comes later than this nobody waits for any more; it does not count as shown."""
LINE_UNITS = 260
MOST_HITS = 6
MOST_LOOKED_AT = 12
MOST_NEWS = 5
MOST_TOUCHED = 3
_LONGEST_QUESTION = 2_000
_SESSIONS_KEPT = 256
_FORK_HEAD = 256 * 1024
_FORKED = re.compile(rb'"forkedFrom"\s*:\s*\{[^{}]*"sessionId"\s*:\s*"([^"\\]{1,200})"')
_FILE_KEYS = ("file_path", "notebook_path", "path")
_WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_PROSE = frozenset({".md", ".txt", ".rst", ".adoc", ".org"})


class Injection:
    """Answers events of sessions. Every method may be called from any thread; none raises for what memory lacks."""

    def __init__(self, services: Services, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._services = services
        self._briefing = Briefing(services)
        self._touched = Touched()
        self._timer = timer
        self._lock = threading.Lock()
        self._own: OrderedDict[str, None] = OrderedDict()
        self._changed: OrderedDict[str, list[str]] = OrderedDict()

    def answer(self, payload: Payload) -> dict[str, Any]:
        """Return the agent's own form of an answer; ``{}`` is nothing to say."""
        began = self._timer()
        make = {
            "SessionStart": self._start,
            "UserPromptSubmit": self._prompt,
            "PreToolUse": self._tool,
            "PostToolUse": self._tool,
            "Stop": self._stop,
        }.get(payload.event)
        if make is None or payload.session is None or payload.session in self._own:
            return {}
        try:
            return make(payload, began)
        except (EpisodicError, SemanticError, RouterError, OSError) as error:
            log.warning("nothing_injected", event_name=payload.event, reason=type(error).__name__)
            return {}

    def _start(self, payload: Payload, began: float) -> dict[str, Any]:
        assert payload.session is not None
        self._services.session_began()
        seen, place = self._services.seen, self._briefing.place(payload.cwd)
        source = payload.source
        seen.begin(payload.session, source=source, project=place.id)
        own: tuple[str, ...] = () if source in FRESH_SOURCES else (payload.session,)
        if source == "fork" and (parent := _parent_of(payload)) is not None:
            seen.copy(parent, payload.session)
            own = (payload.session, parent)
        news = self._briefing.news(payload.session, place)
        parts = self._briefing.parts(place, session=payload.session, agent=payload.agent, units=LINE_UNITS, own=own)
        if not any(id_of(line) for part in parts for line in part.lines):
            self._briefing.settle(payload.session, news)
            return {}
        brief = render_context(
            parts, min(START_UNITS, CEILING_UNITS), opening=self._briefing.opening(place), shares=SHARES
        )
        return self._given(payload, brief, began, lambda: self._briefing.settle(payload.session or "", news))

    def _prompt(self, payload: Payload, began: float) -> dict[str, Any]:
        assert payload.session is not None
        if payload.prompt is None or is_machine_made(payload.source):
            return {}
        if is_own_prompt(payload.prompt):
            with self._lock:
                self._own[payload.session] = None
                while len(self._own) > _SESSIONS_KEPT:
                    self._own.popitem(last=False)
            return {}
        said = read_said(payload.prompt)
        if said.kind != "prompt":
            return {}
        place = self._briefing.place(payload.cwd)
        self._briefing.register(payload.session, place)
        news = self._briefing.news(payload.session, place, MOST_NEWS)
        known = self._services.seen.known(payload.session, payload.agent)
        found = self._found(clean(said.text)[:_LONGEST_QUESTION], payload, place)
        zone = self._services.zone
        fresh = [one for one in news.decisions if one.id not in known]
        shown = known | {one.id for one in fresh}
        hits = [one for one in found if not shown & {one.id, one.episode or one.id}][:MOST_HITS]
        parts = [
            news_part(fresh, zone, more=news.more, units=LINE_UNITS),
            lines_part("found", (hit_line(one, zone, LINE_UNITS) for one in hits)),
        ]
        if not fresh and not hits:
            self._briefing.settle(payload.session, news)
            return {}
        brief = render_context(parts, PROMPT_UNITS, opening=self._briefing.opening(place, is_short=True))
        return self._given(payload, brief, began, lambda: self._briefing.settle(payload.session or "", news))

    def _found(self, question: str, payload: Payload, place: Place) -> Sequence[Hit]:
        """Return what memory holds on a question and the session does not."""
        services = self._services
        is_timeline = not telling_words(question)
        if is_timeline and not self._asks_for_a_span(question):
            return []
        request = RecallRequest(query=question, limit=MOST_LOOKED_AT, near_project=place.id, lexical=services.lexical)
        found = services.recall.recall(request, services.warm_embedder())
        # The session's own turns stand in its context already.
        others = [one for one in found.hits if one.session != payload.session]
        current = [one for one in others if one.superseded_by is None and not one.is_bookkeeping]
        if is_timeline:
            return current
        return relevant(question, current, named=services.recall.names_in(question))

    def _asks_for_a_span(self, question: str) -> bool:
        """Tell whether a question of common words alone asks what happened at some time: "what did we do yesterday"."""
        try:
            route = self._services.recall.route(question)
        except InvalidQuestion:
            return False
        return route.store == "episodic" and route.range is not None

    def _tool(self, payload: Payload, began: float) -> dict[str, Any]:
        """Return what is known of the file that a tool touches, once."""
        path = next((value for key in _FILE_KEYS if isinstance(value := payload.tool_values.get(key), str)), None)
        if path is None or payload.session is None:
            return {}
        if payload.event == "PostToolUse" and payload.tool in _WRITERS and PurePath(path).suffix not in _PROSE:
            self._note_change(payload.session, path)
        place = self._briefing.place(payload.cwd)
        known = self._services.seen.known(payload.session, payload.agent)
        touching = [one for one in self._touching(path, payload.cwd, place) if one.id not in known][:MOST_TOUCHED]
        if not touching:
            return {}
        since, zone = self._services.unconfirmed(touching), self._services.zone
        days = {id_: f"{at.astimezone(zone):%Y-%m-%d}" for id_, at in since.items()}
        lines = (element_line(one, units=LINE_UNITS, unconfirmed=days.get(one.id)) for one in touching)
        part = lines_part("touched", lines)
        brief = render_context([part], TOUCHED_UNITS, opening=self._briefing.opening(place, is_short=True))
        return self._given(payload, brief, began, lambda: None)

    def _touching(self, path: str, cwd: str | None, place: Place) -> list[Element]:
        names = {path}
        for root in [cwd, *([root.path for root in place.project.roots] if place.project is not None else [])]:
            folder = Path(root or "/").parent if root and root.endswith("/.git") else Path(root or "/")
            if root and PurePath(path).is_relative_to(folder):
                names.add(PurePath(path).relative_to(folder).as_posix())
        return self._touched.of(self._services.semantic.projection(), place, names)

    def _stop(self, payload: Payload, _began: float) -> dict[str, Any]:
        """Hold a stop once, where code changed and nothing was decided, and only if the user wants that."""
        session = payload.session
        if not self._services.holds_stops or payload.agent is not None or payload.is_continued or session is None:
            return {}
        with self._lock:
            changed = self._changed.get(session)
            if not changed:
                return {}
            self._changed[session] = []  # once a session: no file is noted again
        decisions = self._services.semantic.projection().decisions.values()
        if any(one.session == session for one in decisions):
            return {}
        named = ", ".join(PurePath(path).name for path in changed[:3])
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        reason = (
            f"memoryd: code changed in this session ({named}{more}) and no decision of it is recorded. A choice worth "
            "knowing later can be recorded with the tool `decide`; where there was none, the work is done."
        )
        return {"decision": "block", "reason": reason}

    def _note_change(self, session: str, path: str) -> None:
        if not self._services.holds_stops:
            return
        with self._lock:
            held = self._changed.setdefault(session, [path])
            if held and path not in held:
                held.append(path)
            while len(self._changed) > _SESSIONS_KEPT:
                self._changed.popitem(last=False)

    def _given(self, payload: Payload, brief: Brief, began: float, settle: Callable[[], None]) -> dict[str, Any]:
        assert payload.session is not None
        if not brief.units or self._timer() - began > IN_TIME_S.get(payload.event, 0.25):
            return {}
        settle()
        self._services.seen.show(payload.session, payload.event, units=brief.units, ids=brief.ids, agent=payload.agent)
        return {"hookSpecificOutput": {"hookEventName": payload.event, "additionalContext": brief.text}}


def _parent_of(payload: Payload) -> str | None:
    """Return the session that a fork was made of, as its file says."""
    if payload.transcript is None:
        return None
    try:
        file, size = open_regular(Path(payload.transcript))
    except OSError:
        return None
    with file:
        found = _FORKED.search(file.read(min(size, _FORK_HEAD)))
    return None if found is None else found[1].decode("utf-8", "replace")
