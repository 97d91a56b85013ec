"""From an event of a session to the agent's own form of an answer.

A stop is given nothing, since words at a stop send the agent on; the one exception is a gate that the user switched on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from episodic.errors import EpisodicError
from memoryd.api.briefing import Briefing
from memoryd.api.injection.beginning import Beginning
from memoryd.api.injection.gate import StopGate
from memoryd.api.injection.prompt import Prompts
from memoryd.api.injection.told import IN_TIME_S, OTHERS_IN_TIME_S, Told
from memoryd.api.injection.tool import Tools
from memoryd.api.services import Services
from memoryd.capture.payload import Payload
from memoryd.router.errors import RouterError
from semantic.errors import SemanticError

log = structlog.get_logger("memoryd.injection")


class Injection:
    """Answers events of sessions. Every method may be called from any thread; none raises for what memory lacks."""

    def __init__(self, services: Services, *, timer: Callable[[], float] = time.monotonic) -> None:
        briefing = Briefing(services)
        beginning, prompts = Beginning(services, briefing), Prompts(services, briefing)
        self._seen = services.seen
        self._timer = timer
        self._is_own = prompts.is_own
        self._tools = Tools(services, briefing)
        self._gate = StopGate(services)
        self._makers: Mapping[str, Callable[[Payload, str], Told | None]] = {
            "SessionStart": beginning.of_session,
            "SubagentStart": beginning.of_agent,
            "UserPromptSubmit": prompts.answer,
            "PreToolUse": self._tools.answer,
            "PostToolUse": self._tools.answer,
        }

    def answer(self, payload: Payload) -> dict[str, Any]:
        """Return the agent's own form of an answer; ``{}`` is nothing to say."""
        began = self._timer()
        session = payload.session
        if session is None or self._is_own(session):
            return {}
        self._gate.note(payload)
        try:
            if payload.event == "Stop":
                return self._gate.hold(payload)
            make = self._makers.get(payload.event)
            told = None if make is None else make(payload, session)
        except (EpisodicError, SemanticError, RouterError, OSError) as error:
            log.warning("nothing_injected", event_name=payload.event, reason=type(error).__name__)
            return {}
        is_late = self._timer() - began > IN_TIME_S.get(payload.event, OTHERS_IN_TIME_S)
        if told is None or not told.brief.units or is_late:
            return {}
        told.settle()
        self._seen.show(session, payload.event, units=told.brief.units, ids=told.brief.ids, agent=payload.agent)
        return {"hookSpecificOutput": {"hookEventName": payload.event, "additionalContext": told.brief.text}}
