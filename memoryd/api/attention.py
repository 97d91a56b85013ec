"""``/v1/attention``: what the reader found useful, pinned, put away or brought back."""

from __future__ import annotations

from fastapi import APIRouter, Response

from memoryd.api.conventions import settle_session
from memoryd.api.request import Session, Who
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.attention import AttentionAnswer, AttentionBody
from memoryd.api.services import Services


def attention_router(services: Services) -> APIRouter:
    """Return the route of the attention record."""
    router = new_router(services, "attention")

    @router.post("/attention", operation_id="attend", responses=documented(AttentionAnswer, 404, text="Recorded"))
    def attend(body: AttentionBody, who: Who, session: Session) -> Response:
        """Record, durably, what the reader did with elements, notes, decisions or episodes.

        A pinned element is never archived. An archived one leaves the context and is found by search all the same.
        """
        for id_ in body.ids:
            if id_.startswith("el_"):
                services.semantic.element(id_)
        services.semantic.attend(body.op, body.ids, actor=str(who), session=settle_session(body.session, session))
        return answer(services, {"op": body.op, "ids": body.ids})

    return router
