"""``/v1/models``: what turns text into vectors. Fetching and changing is the job ``models``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from memoryd.api.present import without_empty
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.models import ModelPage
from memoryd.api.services import Services
from memoryd.embedding.shelf import ModelState


def models_router(services: Services) -> APIRouter:
    """Return the route of models."""
    router = new_router(services, "models")

    @router.get("/models", operation_id="list_models", responses=documented(ModelPage, text="All that are known"))
    def list_models() -> Response:
        """List the models: which serves, which is being built, which are on this machine."""
        return answer(services, {"items": [_item(one) for one in services.models()], "next_cursor": None})

    return router


def _item(one: ModelState) -> dict[str, Any]:
    item = {
        "name": one.name,
        "state": one.state,
        "wanted": one.is_wanted,
        "loaded": one.is_loaded,
        "lexical": one.has_lexical,
        "dimension": one.dimension,
        "download_bytes": one.download_bytes,
        "licence": one.licence,
        "wanting": one.wanting,
        "problem": one.problem,
    }
    return without_empty(item, "wanting", "problem")
