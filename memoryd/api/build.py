"""The whole interface around one set of services."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from memoryd.api.attention import attention_router
from memoryd.api.codes import codes_router
from memoryd.api.context import context_router
from memoryd.api.days import days_router
from memoryd.api.decisions import decisions_router
from memoryd.api.elements import elements_router
from memoryd.api.episodes import episodes_router
from memoryd.api.events import offer_events
from memoryd.api.form import StrictForm
from memoryd.api.graph import graph_router
from memoryd.api.guard import MAX_BODY_BYTES, OPEN_PATHS
from memoryd.api.hooks import hooks_router
from memoryd.api.index import index_router
from memoryd.api.jobs import jobs_router
from memoryd.api.knowledge import knowledge_router
from memoryd.api.mcp.mount import mount_mcp
from memoryd.api.metrics import offer_metrics
from memoryd.api.models import models_router
from memoryd.api.notes import notes_router
from memoryd.api.page import page_router
from memoryd.api.plans import plans_router
from memoryd.api.problems import ANYWHERE, WITH_TOKEN, Problem, install_problems, problem_response
from memoryd.api.recall import recall_router
from memoryd.api.services import Services
from memoryd.api.status import health_router, status_router
from memoryd.api.sync import sync_router
from memoryd.api.table import PROBLEMS

READING_POSTS = frozenset(
    {"recall", "route", "graph_path", "graph_explain", "check_note", "hook", "run_job", "cancel_job", "sync"}
)
"""Calls that are POST for the sake of their body, or that fail open; nothing of theirs can be left unwritten."""

ROUTERS = (
    recall_router,
    episodes_router,
    days_router,
    decisions_router,
    elements_router,
    graph_router,
    notes_router,
    knowledge_router,
    plans_router,
    attention_router,
    context_router,
    hooks_router,
    sync_router,
    jobs_router,
    index_router,
    models_router,
    status_router,
    codes_router,
    page_router,
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
    routers = [make(services) for make in ROUTERS]
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    offer_events(app, services)
    mount_mcp(app, services)
    offer_metrics(app, services)
    app.add_middleware(StrictForm)
    install_problems(app, PROBLEMS)
    _describe(app)
    return app


def _complete(paths: Any) -> None:
    """Add what the edge answers for all routes, and what every call that writes can meet."""
    for path, item in paths.items():
        for method, operation in item.items():
            wanted = set(ANYWHERE)
            if (method.upper(), path) not in OPEN_PATHS:
                wanted |= set(WITH_TOKEN)
            if method != "get" and operation["operationId"] not in READING_POSTS:
                wanted.add(507)
            for status in wanted:
                operation["responses"].setdefault(str(status), problem_response(status))
            operation["responses"] = dict(sorted(operation["responses"].items()))


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
        _complete(document["paths"])
        document["info"]["description"] = (
            f"Bodies are JSON of at most {MAX_BODY_BYTES // 2**20} MiB. Failures are problems (RFC 9457)."
        )
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents for extending the document
