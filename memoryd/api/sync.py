"""``/v1/sync`` and ``/v1/sessions``: what others wrote since a session looked, and what each session was shown."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from memoryd.api.changes import Change, changed_since_shown, settle_changes
from memoryd.api.conventions import decode_moment_cursor, encode_cursor, settle_session
from memoryd.api.errors import BadParameter
from memoryd.api.present import Presenter
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit, Session
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.sync import SessionPage, SyncAnswer, SyncBody
from memoryd.api.services import Services
from memoryd.render.seen import SessionShown
from semantic.model import Decision

_MOST_SHARDS = 100_000
_GREATEST = 2**53


def sync_router(services: Services) -> APIRouter:
    """Return the routes of sessions."""
    router = new_router(services, "sessions")
    present = Presenter(services.zone)

    def change(decision: Decision) -> dict[str, Any]:
        return {
            "id": decision.id,
            "kind": "decision",
            "title": decision.title,
            "why": decision.why,
            "at": present.instant(decision.at),
            "actor": decision.actor,
            "session": decision.session,
            "project": decision.project,
            "elements": list(decision.elements),
            "supersedes": list(decision.supersedes),
            **({"superseded_by": decision.superseded_by} if decision.superseded_by else {}),
        }

    @router.post("/sync", operation_id="sync", responses=documented(SyncAnswer, text="What others wrote"))
    def sync(body: SyncBody, caller: Session) -> Response:
        """Return what others recorded since the cursor, oldest first, and the cursor behind it.

        Without a cursor it is since the session looked last; a session that never did is registered now, and what
        comes from here on is news to it. There may be more: ask again until ``changes`` is empty. Behind the decisions
        stand the notes that changed and the things that were forgotten since the session was shown them, each once.
        """
        session = settle_session(body.session, caller)
        if session is None:
            raise BadParameter("body/session", "missing", "name the session, here or in the header Memoryd-Session")
        picture = services.semantic.projection()
        since = _read(body.cursor) if body.cursor is not None else services.seen.cursor(session)
        if since is None:
            since = services.written.cursor(picture)
        news = services.written.since(picture, since, session=session)
        services.seen.set_cursor(session, news.cursor)
        services.seen.mark(session, [one.id for one in news.decisions])
        others = changed_since_shown(services, session)
        settle_changes(services, session, others)
        changes = [*(change(one) for one in news.decisions), *map(_changed, others.told)]
        return answer(services, {"changes": changes, "cursor": _write(news.cursor)})

    @router.get("/sessions", operation_id="list_sessions", responses=documented(SessionPage, text="The last one first"))
    def sessions(
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
        session: Annotated[str | None, Query(description="Only this session.")] = None,
    ) -> Response:
        """List the sessions that memory talked to, and what each was given and what it cost (UTF-16 units)."""
        before = decode_moment_cursor(cursor) if cursor else None
        wanted = settle_session(session, None, place="query/session") if session is not None else None
        found = services.seen.sessions(limit=limit + 1, before=before, session=wanted)
        page = found[:limit]
        more = len(found) > limit
        body = {
            "items": [_session(one, present) for one in page],
            "next_cursor": encode_cursor(page[-1].last.isoformat(), page[-1].session) if more else None,
        }
        return answer(services, body)

    return router


def _changed(one: Change) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.name if one.kind == "note" else "",
        "why": one.why,
        "session": None,
        "project": None,
        "elements": [],
        "supersedes": [],
    }


def _session(one: SessionShown, present: Presenter) -> dict[str, Any]:
    return {
        "session": one.session,
        "project": one.project,
        "source": one.source,
        "began": present.instant(one.began),
        "last": present.instant(one.last),
        "units": one.units,
        "showings": [
            {
                "event": shown.event,
                "agent": shown.agent or None,
                "at": present.instant(shown.at),
                "units": shown.units,
                "ids": list(shown.ids),
            }
            for shown in one.showings
        ],
    }


def _write(cursor: Mapping[str, int]) -> str:
    packed = json.dumps(dict(sorted(cursor.items())), separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def _read(text: str) -> dict[str, int]:
    wrong = BadParameter("body/cursor", "cursor", "not a cursor of this call; send cursor as it was given, or none")
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        cursor = json.loads(packed)
    except (ValueError, RecursionError, binascii.Error) as error:
        raise wrong from error
    if not isinstance(cursor, dict) or len(cursor) > _MOST_SHARDS:
        raise wrong
    if not all(type(seq) is int and 0 <= seq <= _GREATEST for seq in cursor.values()):
        raise wrong
    return cursor
