"""``/v1/recall`` and ``/v1/route``: one explained answer over both memories."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response

from memoryd.api.conventions import settle_session
from memoryd.api.instant import parse_instant, parse_window
from memoryd.api.present import Presenter, without_empty
from memoryd.api.request import Session
from memoryd.api.route import answer, documented, known_project, new_router
from memoryd.api.schemas.recall import RecallAnswer, RecallBody, RouteBody, RoutedAnswer
from memoryd.api.services import Services
from memoryd.router.request import RecallRequest


def recall_router(services: Services) -> APIRouter:
    """Return the routes that answer and route questions."""
    router = new_router(services, "recall")
    present = Presenter(services.zone)

    @router.post("/recall", operation_id="recall", responses=documented(RecallAnswer, 404, text="The answer"))
    def recall(body: RecallBody, session: Session) -> Response:
        """Answer a question from the memory that holds the answer, and say why that one was asked."""
        started = time.perf_counter()
        embedder, missing = services.query_embedder()
        found = services.recall.recall(_request(services, body, session), embedder)
        if session is not None:
            services.seen.mark(session, [hit.episode or hit.id for hit in found.hits])
        whole: dict[str, Any] = {
            "query": found.query,
            "route": present.route(found.route),
            "hits": [present.hit(hit) for hit in found.hits],
            "degraded": list(dict.fromkeys([*missing, *found.degraded, *services.shortcomings()])),
            "took_ms": round((time.perf_counter() - started) * 1000),
            "explain": found.explanation.as_json() if found.explanation else None,
        }
        return answer(services, without_empty(whole, "explain"))

    @router.post("/route", operation_id="route", responses=documented(RoutedAnswer, text="The route"))
    def route(body: RouteBody) -> Response:
        """Say which memory would answer a question, and why, without answering it."""
        if body.cwd:
            services.semantic.project_for(Path(body.cwd), mint=False)
        found = services.recall.route(body.query, lambda: services.query_embedder()[0])
        return answer(services, {"query": body.query, "route": present.route(found)})

    return router


def _request(services: Services, body: RecallBody, session: str | None) -> RecallRequest:
    now, zone = services.clock(), services.zone
    near = services.semantic.project_for(Path(body.cwd), mint=False) if body.cwd else None
    wanted = known_project(services, body.project)
    return RecallRequest(
        query=body.query,
        limit=body.limit,
        store=body.store,
        near_project=near.id if near else None,
        project=wanted.id if wanted else None,
        scope=body.scope,
        tags=tuple(body.tags or ()),
        kinds=tuple(body.kinds or ()),
        session=settle_session(body.session, None),
        near_session=session,
        window=parse_window(body.since, body.until, now=now, zone=zone, place="body"),
        as_of=parse_instant(body.as_of, field="body/as_of", zone=zone, edge="end") if body.as_of else None,
        max_chars=body.max_chars,
        explain=body.explain,
        lexical=services.lexical,
    )
