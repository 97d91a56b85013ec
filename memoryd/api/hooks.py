"""``/v1/hooks/{event}``: what an agent's hooks tell, under the agent's own names, and what they are answered."""

from __future__ import annotations

import contextlib
from concurrent.futures import TimeoutError as NotYet
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Depends, Path

from memoryd.api.errors import StillStarting, StoresFailed
from memoryd.api.injection.answers import Injection
from memoryd.api.problems import problem_responses
from memoryd.api.request import refuse_unknown_query
from memoryd.api.route import PREFIX
from memoryd.api.schemas.hooks import HookAnswer
from memoryd.api.services import Services
from memoryd.capture.payload import read_payload

log = structlog.get_logger("memoryd.hooks")

STOP_WAIT_S = 0.22
"""How long a stop waits for its turn to be on the disk. An agent waits for nothing else."""
OPENING_WAIT_S = 0.4
"""How long the start of a session waits for stores that are being opened."""
_WAITS = frozenset({"Stop", "StopFailure", "SessionEnd"})

Event = Annotated[str, Path(min_length=1, max_length=64, description="The agent's name of the event, such as `Stop`.")]
Fields = Annotated[
    dict[str, Any], Body(description="The agent's payload as it is; fields that are not known are no error.")
]


def hooks_router(services: Services) -> APIRouter:
    """Return the route of hooks. It does not wait for the stores: an event that comes early is taken in later."""
    router = APIRouter(
        prefix=PREFIX, tags=["hooks"], dependencies=[Depends(refuse_unknown_query)], responses=problem_responses()
    )
    injection = Injection(services)

    @router.post("/hooks/{event}", operation_id="hook", response_model=HookAnswer, response_model_exclude_none=True)
    def hook(event: Event, body: Fields) -> dict[str, Any]:
        """Take in an event of an agent's session and answer in the agent's own form; ``{}`` is nothing to say."""
        payload = read_payload(event, body)
        taken_in = services.capture(payload)
        if payload.event in _WAITS:
            with contextlib.suppress(NotYet):
                taken_in.result(STOP_WAIT_S)
        try:
            services.readiness.require(OPENING_WAIT_S if payload.event == "SessionStart" else 0.0)
        except (StillStarting, StoresFailed):
            return {}
        try:
            return injection.answer(payload)
        except Exception:
            # Whatever it is, the agent's work goes on; the log has all of it.
            log.exception("hook_failed", hook=payload.event)
            return {}

    return router
