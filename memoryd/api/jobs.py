"""``/v1/jobs``: what is done in the background, asked for by name and watched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Response

from memoryd.api.conventions import decode_cursor, encode_cursor
from memoryd.api.present import Presenter, without_empty
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.jobs import JobAnswer, JobPage, JobStarted, RunBody
from memoryd.api.services import JobView, Services

_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer"}


def jobs_router(services: Services) -> APIRouter:
    """Return the routes of jobs."""
    router = new_router(services, "jobs")
    present = Presenter(services.zone)

    @router.get("/jobs", operation_id="list_jobs", responses=documented(JobPage, text="By name"))
    def list_jobs(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the jobs and when each ran and runs."""
        after = str(decode_cursor(cursor, str)[0]) if cursor else ""
        found = [one for one in services.jobs.list() if one.name > after]
        page = found[:limit]
        body = {
            "items": [_item(one, present) for one in page],
            "next_cursor": encode_cursor(page[-1].name) if len(found) > limit else None,
        }
        return answer(services, without_empty(body, "next_cursor"))

    @router.get("/jobs/{name}", operation_id="get_job", responses=documented(JobAnswer, 404, text="The job"))
    def get_job(name: str) -> Response:
        """Show a job whole: what it understands, how far its run is, what its last run came to."""
        return answer(services, _whole(services.jobs.get(name), present))

    @router.post(
        "/jobs/{name}/run",
        operation_id="run_job",
        status_code=202,
        responses=documented(JobStarted, 404, 409, status=202, text="It begins"),
    )
    def run_job(name: str, body: RunBody) -> Response:
        """Begin a run in the background; one of each job at a time."""
        return answer(services, {"job": _item(services.jobs.start(name, body.args), present)}, status=202)

    @router.post(
        "/jobs/{name}/cancel",
        operation_id="cancel_job",
        status_code=202,
        responses=documented(JobStarted, 404, status=202, text="It ends soon, if it ran"),
    )
    def cancel_job(name: str) -> Response:
        """Ask the run under way to end; what it did until then stays. Without one nothing happens."""
        return answer(services, {"job": _item(services.jobs.cancel_run(name), present)}, status=202)

    return router


def _item(job: JobView, present: Presenter) -> dict[str, Any]:
    item = {
        "name": job.name,
        "state": job.state,
        "last_run": present.instant(job.last_run),
        "next_run": present.instant(job.next_run),
        "last_error": job.last_error,
    }
    return without_empty(item, "last_run", "next_run", "last_error")


def _whole(job: JobView, present: Presenter) -> dict[str, Any]:
    progress = job.progress
    whole = {
        **_item(job, present),
        "summary": job.summary,
        "args": [
            without_empty(
                {
                    "name": one.name,
                    "type": _TYPES[one.kind],
                    "meaning": one.meaning,
                    "required": one.is_required,
                    "choices": list(one.choices) or None,
                    "default": one.default,
                },
                "choices",
                "default",
            )
            for one in job.arguments
        ],
        "progress": None
        if progress is None
        else {"done": progress.done, "total": progress.total, "text": progress.text},
        "result": job.result,
    }
    return without_empty(whole, "progress", "result")
