"""What an agent is told as it begins: a session the whole map, a sub-agent how things are done here and what holds."""

from __future__ import annotations

import re
from pathlib import Path

from memoryd.api.briefing import SHARES, Briefing
from memoryd.api.injection.told import LINE_UNITS, START_UNITS, SUBAGENT_UNITS, Told, degraded_mark
from memoryd.api.services import Services
from memoryd.capture.opening import open_regular
from memoryd.capture.payload import Payload
from memoryd.render.brief import id_of, render_context
from memoryd.render.seen import FRESH_SOURCES

FOR_AGENTS = {"conflicts": 0.2, "conventions": 0.4, "heads": 1.0}
"""The parts that a sub-agent is given, and how much of its text each may take at first: it was sent for one thing."""
_FORK_HEAD = 256 * 1024
_FORKED = re.compile(rb'"forkedFrom"\s*:\s*\{[^{}]*"sessionId"\s*:\s*"([^"\\]{1,200})"')


class Beginning:
    """Answers the start of sessions and of their sub-agents."""

    def __init__(self, services: Services, briefing: Briefing) -> None:
        self._services = services
        self._briefing = briefing

    def of_session(self, payload: Payload, session: str) -> Told | None:
        """Return what a session is told that begins or goes on; what its context holds already is left out."""
        self._services.session_began()
        seen, place = self._services.seen, self._briefing.place(payload.cwd)
        seen.begin(session, source=payload.source, project=place.id)
        own: tuple[str, ...] = () if payload.source in FRESH_SOURCES else (session,)
        if payload.source == "fork" and (parent := parent_of(payload)) is not None:
            seen.copy(parent, session)
            own = (session, parent)
        news = self._briefing.news(session, place)
        parts = self._briefing.parts(place, session=session, agent=payload.agent, units=LINE_UNITS, own=own)
        if not any(id_of(line) for part in parts for line in part.lines):
            self._briefing.settle(session, news)
            return None
        brief = render_context(parts, START_UNITS, opening=self._briefing.opening(place), shares=SHARES)
        lacking = [degraded_mark(line) for part in parts if part.name == "degraded" for line in part.lines]

        def settle() -> None:
            self._briefing.settle(session, news)
            seen.mark(session, lacking, payload.agent)

        return Told(brief, settle)

    def of_agent(self, payload: Payload, session: str) -> Told | None:
        """Return what a sub-agent is told, whose context is empty; one that was told goes on with what it has."""
        if payload.agent is None or self._services.seen.known(session, payload.agent):
            return None
        place = self._briefing.place(payload.cwd)
        parts = [one for one in self._briefing.parts(place, units=LINE_UNITS) if one.name in FOR_AGENTS]
        if not any(len(part.lines) for part in parts):
            return None
        opening = self._briefing.opening(place)
        return Told(render_context(parts, SUBAGENT_UNITS, opening=opening, shares=FOR_AGENTS))


def parent_of(payload: Payload) -> str | None:
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
