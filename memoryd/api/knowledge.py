"""``/v1/projects``, ``/v1/forget`` and ``/v1/export``: what concerns the whole of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from episodic.journal.merge import origin_of
from memoryd.api.conventions import cut_page
from memoryd.api.present import page_body
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit, Session, Who
from memoryd.api.route import answer, documented, new_router, snapshot
from memoryd.api.schemas.decisions import ChangedPage, ForgetAnswer, ForgetBody, MergeBody, ProjectAnswer, ProjectPage
from memoryd.api.services import Services
from semantic.project.naming import Project
from semantic.writing.forgetting import Forgotten


def knowledge_router(services: Services) -> APIRouter:
    """Return the routes that concern the whole."""
    router = new_router(services, "knowledge")

    @router.get("/projects", operation_id="list_projects", responses=documented(ProjectPage, text="By id"))
    def projects(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the known projects."""
        page, following = cut_page(services.semantic.projects(), limit, cursor)
        items = [_project_body(one) for one in page]
        return answer(services, {"items": items, "next_cursor": following})

    @router.post(
        "/projects/merge", operation_id="merge_projects", responses=documented(ProjectAnswer, 404, text="The one")
    )
    def merge(body: MergeBody, who: Who, session: Session) -> Response:
        """Join two ids of one project."""
        one = services.semantic.merge_projects(body.from_, body.into, actor=str(who), session=session)
        return answer(services, _project_body(one))

    @router.post("/forget", operation_id="forget", responses=documented(ForgetAnswer, 404, text="Forgotten"))
    def forget(body: ForgetBody, who: Who, session: Session) -> Response:
        """Take the text of elements, decisions and episodes out of every copy that memoryd writes."""
        forgotten = forget_ids(services, body.ids, actor=str(who), session=session)
        services.stored()
        return answer(
            services,
            {
                "ids": list(forgotten.ids),
                "events": list(forgotten.events),
                "not_reached": list(forgotten.unreached),
            },
        )

    @router.get("/changed-lines", operation_id="list_changed_lines", responses=documented(ChangedPage, text="By file"))
    def changed_lines() -> Response:
        """List lines of the log that were changed by hand; what one says now can be sent as a decision."""
        items = [
            {
                "path": one.path,
                "line": one.line,
                "title": one.title,
                "why": one.why,
                "mutations": [dict(mutation) for mutation in one.mutations],
                "project": one.project,
                "evidence": list(one.evidence),
                "about": list(one.about),
            }
            for one in services.semantic.taking.offers()
        ]
        return answer(services, page_body(items, None))

    @router.get(
        "/export",
        operation_id="export",
        responses=documented(ForgetAnswer)
        | {200: {"description": "Canonical JSON", "content": {"application/json": {}}}},
    )
    def export(
        format: Annotated[Literal["canonical"], Query(description="The only form there is.")] = "canonical",  # noqa: A002 - the contract's name
    ) -> Response:
        """Return the projection of the log as canonical JSON: two homes with the same events give the same bytes."""
        del format
        return Response(services.semantic.export(), media_type="application/json", headers=snapshot(services))

    return router


def forget_ids(services: Services, ids: Sequence[str], *, actor: str, session: str | None) -> Forgotten:
    """Record that these are forgotten, then take them out of every file and index.

    The record comes first: if the machine stops in between, the next start finishes the work.

    Raises:
        UnknownEpisode: An episode id means nothing here; nothing was recorded.
    """
    named = [id_ for id_ in ids if id_.startswith("ep_")]
    episodes = list(dict.fromkeys(version for id_ in named for version in _versions(services, id_)))
    # Copies of a captured turn in other sessions have other ids; they are refused by what they have in common.
    shadows = services.episodic.shadow_ids(episodes)
    wanted = dict.fromkeys([*ids, *episodes, *shadows])
    forgotten = services.semantic.forget(list(wanted), actor=actor, session=session)
    services.episodic.set_refused(services.semantic.forgotten())
    services.episodic.forget(episodes)
    return replace(forgotten, ids=tuple(id_ for id_ in forgotten.ids if id_ not in set(shadows)))


def _versions(services: Services, id_: str) -> list[str]:
    """Return an entry and the other versions of it that a merge of two homes kept: they are of the same day."""
    episode = services.episodic.get(id_)
    day = services.episodic.read_day(episode.at.astimezone(services.zone).date())
    return [id_, *(one.id for one in day if one.id != id_ and origin_of(one.id) == origin_of(id_))]


def _project_body(project: Project) -> dict[str, Any]:
    return {
        "id": project.id,
        "name": project.name,
        "remotes": list(project.remotes),
        "roots": [{"install": root.install, "path": root.path} for root in project.roots],
    }
