"""``/v1/status``, ``/healthz`` and ``/readyz``: one look at the daemon."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from memoryd.api.conventions import decode_cursor, encode_cursor
from memoryd.api.problems import problem_responses
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit, refuse_unknown_query
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.status import AliveAnswer, ProblemPage, ReadyAnswer, StatusAnswer
from memoryd.api.services import Services


def status_router(services: Services) -> APIRouter:
    """Return the route of the status."""
    router = new_router(services, "status")

    @router.get("/status", operation_id="status", responses=documented(StatusAnswer, text="As of now"))
    def status() -> Response:
        """Say what is held, what is still to be indexed, and what memory has to do without."""
        known = services.semantic.counts()
        captured = services.captured()
        body = {
            "version": services.version,
            "ready": services.readiness.is_ready,
            "pending": services.pending(),
            "episodic": {
                "chunks": services.episodic.counts().chunks,
                "engine": services.episodic.engine_name,
                "model": services.model(),
            },
            "semantic": {
                "elements": known.elements,
                "links": known.links,
                "decisions": known.decisions,
                "notes": known.notes,
            },
            "capture": {
                "recorded": captured.outcomes["recorded"],
                "missed": captured.missed,
                "outcomes": dict(sorted(captured.outcomes.items())),
            },
            "degraded": services.degraded(),
        }
        return answer(services, body)

    @router.get("/problems", operation_id="list_problems", responses=documented(ProblemPage, text="By path"))
    def problems(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the files that could not be read whole, as of the last look at them."""
        after = tuple(str(part) for part in decode_cursor(cursor, str, str)) if cursor else ("", "")
        found = sorted({(one.path, one.reason) for one in services.problems() if (one.path, one.reason) > after})
        page = found[:limit]
        body = {
            "items": [{"path": path, "reason": reason} for path, reason in page],
            "next_cursor": encode_cursor(*page[-1]) if len(found) > limit else None,
        }
        return answer(services, body)

    return router


def health_router(services: Services) -> APIRouter:
    """Return the two routes that a supervisor asks; they have no version prefix."""
    router = APIRouter(tags=["health"], dependencies=[Depends(refuse_unknown_query)])

    @router.get("/healthz", operation_id="healthz", response_model=AliveAnswer)
    async def healthz() -> dict[str, str]:
        """Say that the process answers. Needs no token and touches nothing."""
        return {"status": "alive"}

    @router.get("/readyz", operation_id="readyz", response_model=ReadyAnswer, responses=problem_responses(503))
    async def readyz() -> dict[str, bool]:
        """Say that the stores are open; until then 503 with Retry-After."""
        services.readiness.require(0.0)
        return {"ready": True}

    return router
