"""``/v1/decisions``: what was decided, and why."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response

from memoryd.api.conventions import settle_session
from memoryd.api.instant import parse_instant
from memoryd.api.present import Presenter
from memoryd.api.request import Session, Who
from memoryd.api.route import PREFIX, answer, documented, new_router
from memoryd.api.schemas.decisions import DecisionAnswer, DecisionBody, DecisionRecorded
from memoryd.api.services import Services
from semantic.attention.standing import UNATTENDED
from semantic.model import Decision
from semantic.writing.recording import NewDecision

MOST_EPISODES = 20
"""So many entries of its session, the newest, a decision cites."""

IfMatch = Annotated[str | None, Header(alias="If-Match", description="ETags of elements as they were read.")]


def decisions_router(services: Services) -> APIRouter:
    """Return the routes of decisions."""
    router = new_router(services, "decisions")
    present = Presenter(services.zone)

    @router.post(
        "/decisions",
        operation_id="decide",
        status_code=201,
        responses={
            **documented(DecisionRecorded, 404, 409, status=201, text="Recorded and durable"),
            200: {"model": DecisionRecorded, "description": "It is recorded already and still holds"},
        },
    )
    def decide(body: DecisionBody, who: Who, session: Session, if_match: IfMatch = None) -> Response:
        """Record a decision; it is on disk when the answer is sent.

        The same decision again is no new one while it still holds. A name that is close to a known one is answered
        409 with the candidates, unless ``new`` is true. ``If-Match`` with an element's ETag refuses if its heads
        changed. What was put away and is decided anew comes back.
        """
        folder = Path(body.cwd) if body.cwd else None
        recorded = services.semantic.decide(_new_decision(services, body, str(who), session, if_match), cwd=folder)
        services.stored()
        # The files that it speaks of count as they are now, whatever happens to them in the next moment.
        known = services.semantic.projection().elements
        services.unconfirmed([known[id_] for id_ in recorded.elements if id_ in known])
        if recorded.created and (back := _put_away(services, recorded.elements)):
            services.semantic.attend("restore", back, actor=str(who), session=settle_session(body.session, session))
        summary: dict[str, Any] = {
            "id": recorded.id,
            "elements": list(recorded.elements),
            "heads": list(recorded.heads),
            "superseded": list(recorded.superseded),
            "warnings": list(recorded.warnings),
        }
        location = {"Location": f"{PREFIX}/decisions/{recorded.id}"}
        return answer(services, summary, status=201 if recorded.created else 200, headers=location)

    @router.get("/decisions/{id}", operation_id="get_decision", responses=documented(DecisionAnswer, 404, text="It"))
    def get(id: str, who: Who, session: Session) -> Response:  # noqa: A002 - the name of the path parameter is the contract's
        """Return a decision as recorded, and what superseded it. An agent's read is one of its live elements too."""
        decision = services.semantic.decision(id)
        if who.kind == "agent" and (read := _living(services, decision)):
            services.semantic.attend("read", read, actor=str(who), session=session)
            services.attended()
        return answer(services, present.decision(decision))

    return router


def _new_decision(
    services: Services, body: DecisionBody, actor: str, session: str | None, if_match: str | None
) -> NewDecision:
    valid_at = (
        parse_instant(body.valid_at, field="body/valid_at", zone=services.zone) if body.valid_at is not None else None
    )
    settled = settle_session(body.session, session)
    return NewDecision(
        title=body.title,
        why=body.why,
        mutations=tuple(body.mutations),
        scope=body.scope,
        project=body.project or None,
        actor=actor,
        session=settled,
        evidence=tuple(dict.fromkeys((*(body.evidence or ()), *_episodes_of(services, settled)))),
        supersedes=tuple(body.supersedes or ()),
        about=tuple(body.about or ()),
        valid_at=valid_at,
        new=body.new,
        if_match=if_match,
    )


def _living(services: Services, decision: Decision) -> list[str]:
    """Return a decision's elements that are not put away: to read why is not to ask for what was archived."""
    out, known = _put_away(services, decision.elements), services.semantic.projection().elements
    return [id_ for id_ in decision.elements if id_ in known and id_ not in out]


def _put_away(services: Services, ids: Iterable[str]) -> list[str]:
    """Return those of some elements that are archived."""
    standings = services.semantic.attention()
    return [id_ for id_ in ids if standings.get(id_, UNATTENDED).archived]


def _episodes_of(services: Services, session: str | None) -> list[str]:
    """Return the entries of a session, oldest first: what was said in it led to what is decided in it."""
    if session is None:
        return []
    found = services.episodic.list(session=session, limit=MOST_EPISODES)
    return [episode.id for episode in reversed(found)]
