"""What every router of the interface is made with: readiness, refused parameters, documented problems, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from memoryd.api.conventions import snapshot_headers
from memoryd.api.problems import problem_responses
from memoryd.api.request import refuse_unknown_query
from memoryd.api.services import Services
from semantic.errors import UnknownProject
from semantic.project.naming import Project

PREFIX = "/v1"


def new_router(services: Services, tag: str) -> APIRouter:
    """Return a router whose routes wait for the stores and refuse parameters that they do not have."""

    async def wait_until_ready() -> None:
        # Only what has to wait is worth a thread.
        if not services.readiness.is_ready:
            await run_in_threadpool(services.readiness.require)

    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        dependencies=[Depends(refuse_unknown_query), Depends(wait_until_ready)],
        responses=problem_responses(),
    )


def known_project(services: Services, name_or_id: str | None) -> Project | None:
    """Return the project that a filter names, ``None`` without a filter.

    Raises:
        UnknownProject: There is none; an empty answer would look like an empty memory.
        AmbiguousName: Several have the name.
    """
    if name_or_id is None:
        return None
    found = services.semantic.project_for(None, name_or_id=name_or_id, mint=False)
    if found is None:
        raise UnknownProject("no project has this id or name; GET /v1/projects lists them")
    return found


def documented(model: type[BaseModel], *problems: int, status: int = 200, text: str = "Done") -> dict[Any, Any]:
    """Return the ``responses`` of a route: its answer, and the problems beyond those that all routes have."""
    return {status: {"model": model, "description": text}, **problem_responses(*problems)}


def answer(
    services: Services, body: Mapping[str, Any], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a body with the headers that name the state of memory it was read from."""
    named = {**snapshot(services), **(headers or {})}
    return Response(orjson.dumps(body), status, named, media_type="application/json")


def snapshot(services: Services) -> dict[str, str]:
    """Return the headers that name the state of memory now."""
    return snapshot_headers(log_seq=services.semantic.log_seq(), index_seq=services.episodic.index_seq())
