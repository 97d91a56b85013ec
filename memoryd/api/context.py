"""``/v1/context``: what an agent is told at the start of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response

from memoryd.api.conventions import settle_session
from memoryd.api.request import Session
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.status import ContextAnswer
from memoryd.api.services import Services
from memoryd.render.brief import conventions_part, days_part, degraded_part, elements_part, heads_part, render_context
from memoryd.render.budget import Part
from semantic.model import Decision, Element

MAX_UNITS = 20_000
"""What the rendered text may cost where the caller sets no limit of its own, in UTF-16 units."""
RECENT_EPISODES = 12
CONVENTION_TAG = "convention"


def context_router(services: Services) -> APIRouter:
    """Return the route of the rendered context."""
    router = new_router(services, "context")

    @router.get("/context", operation_id="context", responses=documented(ContextAnswer, text="The text and its cost"))
    def context(
        caller: Session,
        cwd: Annotated[str | None, Query(description="The working folder; its project comes first.")] = None,
        session: Annotated[str | None, Query(description="The agent's session.")] = None,
        max_chars: Annotated[int, Query(ge=1, le=MAX_UNITS, description="UTF-16 units")] = MAX_UNITS,
    ) -> Response:
        """Return conventions, decisions in force, what is known and recent days as one fenced text."""
        place = services.semantic.project_for(Path(cwd), mint=False) if cwd else None
        brief = render_context(_parts(services, place.id if place else None), max_chars)
        body = {
            "text": brief.text,
            "units": brief.units,
            "session": settle_session(session, caller, place="query/session"),
            "parts": [{"name": name} for name in brief.parts],
        }
        return answer(services, body)

    return router


def _parts(services: Services, project: str | None) -> list[Part]:
    """Return the parts in the order in which they are given up last: what is missing first, days at the end."""
    semantic = services.semantic
    picture = semantic.projection()
    elements = [one for one in picture.elements.values() if _concerns(one, project)]
    decisions = [one for one in picture.in_force if _concerns(one, project)]
    elements.sort(key=lambda one: (one.at is not None, one.at, one.id), reverse=True)
    return [
        degraded_part(services.degraded()),
        conventions_part(semantic.notes(tag=CONVENTION_TAG)),
        heads_part(decisions, services.zone),
        elements_part(elements),
        days_part(services.episodic.list(project=project, limit=RECENT_EPISODES), services.zone),
    ]


def _concerns(one: Element | Decision, project: str | None) -> bool:
    """Tell whether it is the user's own or, where the session is in a project, that project's."""
    return one.scope == "user" or project is None or one.project == project
