"""``/v1/episodes``: entries of the journal, written durably and read back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Response

from episodic.episode import NewEpisode
from episodic.errors import UnknownEpisode
from memoryd.api.conventions import Actor, decode_moment_cursor, encode_cursor, settle_session
from memoryd.api.errors import BadParameter
from memoryd.api.instant import parse_instant, parse_window
from memoryd.api.knowledge import forget_ids
from memoryd.api.present import Presenter
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit, Session, Since, Until, Who
from memoryd.api.route import PREFIX, answer, documented, known_project, new_router
from memoryd.api.schemas.episodes import EpisodeAnswer, EpisodeBody, EpisodePage, EpisodeWritten
from memoryd.api.services import Services
from memoryd.capture.turn import clean
from memoryd.text.secrets import find_secrets, redact_id

_VISIBLE = re.compile(r"\S")

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=255, description="Makes a repeated call harmless."),
]
Expand = Annotated[
    Literal["section", "day", "transcript"] | None, Query(description="Also return the text around the entry.")
]


def episodes_router(services: Services) -> APIRouter:
    """Return the routes of entries."""
    router = new_router(services, "episodes")
    present = Presenter(services.zone)

    @router.post(
        "/episodes",
        operation_id="create_episode",
        status_code=201,
        responses={
            **documented(EpisodeWritten, 409, status=201, text="Written and durable"),
            200: {"model": EpisodeWritten, "description": "It was there already"},
        },
    )
    def create(body: EpisodeBody, who: Who, session: Session, key: IdempotencyKey = None) -> Response:
        """Write an entry to the journal; it is on disk when the answer is sent.

        The same (session, turn), else the same Idempotency-Key, writes once.
        """
        appended = services.episodic.append(_new_episode(services, body, who, session, key))
        services.stored()
        written = appended.episode
        summary = {
            "id": written.id,
            "path": written.path,
            "lines": list(written.lines),
            "at": present.instant(written.at),
        }
        location = {"Location": f"{PREFIX}/episodes/{written.id}"}
        return answer(services, summary, status=201 if appended.created else 200, headers=location)

    @router.get("/episodes", operation_id="list_episodes", responses=documented(EpisodePage, 404, text="Newest first"))
    def list_episodes(
        since: Since = None,
        until: Until = None,
        project: Annotated[str | None, Query(description="Id or name of a project.")] = None,
        session: Annotated[str | None, Query(description="Only entries of this session.")] = None,
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
    ) -> Response:
        """List entries, newest first by (at, id)."""
        wanted = known_project(services, project)
        found = services.episodic.list(
            parse_window(since, until, now=services.clock(), zone=services.zone),
            project=wanted.id if wanted else None,
            session=redact_id(session) if session else None,
            after=decode_moment_cursor(cursor) if cursor else None,
            limit=limit + 1,
        )
        page = found[:limit]
        more = len(found) > limit
        superseded = services.semantic.projection().superseded_episodes
        body = {
            "items": [present.episode(episode, superseded.get(episode.id)) for episode in page],
            "next_cursor": encode_cursor(page[-1].at.isoformat(), page[-1].id) if more else None,
        }
        return answer(services, body)

    @router.get(
        "/episodes/{id}", operation_id="get_episode", responses=documented(EpisodeAnswer, 404, text="The entry")
    )
    def get(id: str, expand: Expand = None) -> Response:  # noqa: A002 - the name of the path parameter is the contract's
        """Return an entry, or that of a section; ``expand`` adds its section, its day or its transcript as text."""
        episode = services.episodic.get(id)
        around = services.episodic.context_of(id, expand) if expand else None
        superseded = services.semantic.projection().superseded_episodes
        body: dict[str, Any] = present.episode(episode, superseded.get(episode.id), around)
        return answer(services, body)

    @router.delete("/episodes/{id}", operation_id="forget_episode", status_code=204, responses=documented_delete())
    def forget(id: str, who: Who, session: Session) -> Response:  # noqa: A002 - as above
        """Forget an entry for good: its text leaves every copy that memoryd writes."""
        if not id.startswith("ep_"):
            # What is no entry is none here: elements and decisions are forgotten by POST /v1/forget.
            raise UnknownEpisode("there is no episode with the id as sent")
        forget_ids(services, [id], actor=str(who), session=session)
        return Response(status_code=204)

    return router


def documented_delete() -> dict[Any, Any]:
    """Return the ``responses`` of a deletion, which has no body."""
    problems = documented(EpisodeAnswer, 404)
    del problems[200]
    return problems


def _new_episode(services: Services, body: EpisodeBody, who: Actor, session: str | None, key: str | None) -> NewEpisode:
    text = clean(body.text)
    settled = settle_session(body.session, session)
    if _VISIBLE.search(text) is None:
        raise BadParameter(
            "body/text",
            "empty",
            "nothing is left to store: the text is blank, or all of it is private or injected memory",
        )
    at = parse_instant(body.at, field="body/at", zone=services.zone) if body.at else services.clock()
    # What was written before mints nothing: a repeated or refused call leaves no trace.
    name = redact_id(body.turn) if body.turn else None
    is_known = services.episodic.recorded(session=settled or "", turn=name or "", key=key) is not None
    # A folder whose path holds a secret is no project: the log would keep the path.
    cwd = Path(body.cwd) if body.cwd and not find_secrets(body.cwd) else None
    project = clean(body.project) if body.project else None
    place = services.semantic.project_for(
        cwd,
        name_or_id=project,
        mint=bool(cwd or project) and not is_known,
        actor=str(who),
        session=settled,
    )
    return NewEpisode(
        text=text,
        at=at,
        title=clean(body.title) if body.title else place.name if place else None,
        project=place.id if place else None,
        session=settled,
        turn=name,
        key=key,
        files=tuple(clean(file) for file in body.files or ()),
    )
