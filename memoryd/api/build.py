"""The whole interface around one set of services."""

from __future__ import annotations

from fastapi import FastAPI

from memoryd.api.attention import attention_router
from memoryd.api.context import context_router
from memoryd.api.days import days_router
from memoryd.api.decisions import decisions_router
from memoryd.api.elements import elements_router
from memoryd.api.episodes import episodes_router
from memoryd.api.guard import MAX_BODY_BYTES
from memoryd.api.hooks import hooks_router
from memoryd.api.index import index_router
from memoryd.api.jobs import jobs_router
from memoryd.api.knowledge import knowledge_router
from memoryd.api.models import models_router
from memoryd.api.notes import notes_router
from memoryd.api.problems import Problem, install_problems
from memoryd.api.recall import recall_router
from memoryd.api.services import Services
from memoryd.api.status import health_router, status_router
from memoryd.api.table import PROBLEMS

ROUTERS = (
    recall_router,
    episodes_router,
    days_router,
    decisions_router,
    elements_router,
    notes_router,
    knowledge_router,
    attention_router,
    context_router,
    hooks_router,
    jobs_router,
    index_router,
    models_router,
    status_router,
    health_router,
)


def build_api(services: Services) -> FastAPI:
    """Return the application, without the guard that the composition root puts in front of it."""
    app = FastAPI(
        title="memoryd",
        version=services.version,
        summary="A local memory for coding agents: what happened and what is known, behind one explained answer.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        separate_input_output_schemas=False,
        redirect_slashes=False,
    )
    for router in ROUTERS:
        app.include_router(router(services))
    install_problems(app, PROBLEMS)
    _describe(app)
    return app


def _describe(app: FastAPI) -> None:
    """Add to the OpenAPI document what no single route says: the problem, and the bearer token."""
    made = app.openapi

    def openapi() -> dict[str, object]:
        document = made()
        components = document.setdefault("components", {})
        schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        components.setdefault("schemas", {}).update(schema.pop("$defs", {}))
        components["schemas"]["Problem"] = schema
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        document["info"]["description"] = (
            f"Bodies are JSON of at most {MAX_BODY_BYTES // 2**20} MiB. Failures are problems (RFC 9457)."
        )
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents for extending the document
