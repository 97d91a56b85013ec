"""``/v1/index``: what the index holds. Comparing and rebuilding are runs of the job ``index``."""

from __future__ import annotations

from fastapi import APIRouter, Response

from memoryd.api.present import Presenter, without_empty
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.jobs import IndexAnswer
from memoryd.api.services import Services


def index_router(services: Services) -> APIRouter:
    """Return the route of the index."""
    router = new_router(services, "index")
    present = Presenter(services.zone)

    @router.get("/index", operation_id="index_status", responses=documented(IndexAnswer, text="As of now"))
    def index_status() -> Response:
        """Say how many files, pieces and rows there are, what is pending, and what is wrong."""
        state = services.episodic.index_state()
        body = {
            "engine": services.episodic.engine_name,
            "model": services.model(),
            "files": state.files,
            "episodes": state.episodes,
            "chunks": state.chunks,
            "notes": services.semantic.counts().notes,
            "collections": [{"name": name, "rows": rows} for name, rows in sorted(state.rows.items())],
            "vectors": [{"fingerprint": space, "vectors": count} for space, count in sorted(state.vectors.items())],
            "pending": services.pending(),
            "last_scan": present.instant(services.jobs.get("scan").last_run),
            "problems": [{"path": one.path, "reason": one.reason} for one in services.problems()],
            "degraded": services.degraded(),
        }
        return answer(services, without_empty(body, "last_scan"))

    return router
