"""``/v1/context``: what an agent is told at the start of a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from memoryd.api.briefing import Briefing
from memoryd.api.conventions import settle_session
from memoryd.api.instant import parse_instant
from memoryd.api.request import AsOf, Session
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.status import ContextAnswer
from memoryd.api.services import Services
from memoryd.render.brief import render_context

MAX_UNITS = 60_000
CONTEXT_SHARES = {"heads": 0.3, "elements": 0.45, "own": 0.15}
DEFAULT_UNITS = 20_000
"""What the rendered text may cost where the caller sets no limit of its own, in UTF-16 units."""


def context_router(services: Services) -> APIRouter:
    """Return the route of the rendered context."""
    router = new_router(services, "context")
    briefing = Briefing(services)

    @router.get("/context", operation_id="context", responses=documented(ContextAnswer, text="The text and its cost"))
    def context(
        caller: Session,
        cwd: Annotated[str | None, Query(description="The working folder; its project comes first.")] = None,
        session: Annotated[str | None, Query(description="The agent's session.")] = None,
        max_chars: Annotated[int, Query(ge=1, le=MAX_UNITS, description="UTF-16 units")] = DEFAULT_UNITS,
        as_of: AsOf = None,
    ) -> Response:
        """Return conventions, decisions in force, the active set and recent days as one fenced text.

        Nothing is left out because the session saw it before; what is shown here, hooks do not show again.
        """
        named = settle_session(session, caller, place="query/session")
        instant = parse_instant(as_of, field="query/as_of", zone=services.zone, edge="end") if as_of else None
        place = briefing.place(cwd)
        parts = briefing.parts(place, as_of=instant)
        brief = render_context(parts, max_chars, opening=briefing.opening(place), shares=CONTEXT_SHARES)
        if named is not None and instant is None:
            briefing.register(named, place)
            services.seen.show(named, "context", units=brief.units, ids=brief.ids)
        body = {
            "text": brief.text,
            "units": brief.units,
            "session": named,
            "parts": [
                {"name": name, **({"left_out": brief.left_out[name]} if name in brief.left_out else {})}
                for name in dict.fromkeys((*brief.parts, *brief.left_out))
            ],
        }
        return answer(services, body)

    return router
