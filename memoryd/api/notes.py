"""``/v1/notes``: the vaults, read as they are and held against the note contract."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from memoryd.api.conventions import decode_cursor, encode_cursor
from memoryd.api.present import note_body
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit
from memoryd.api.route import answer, documented, new_router, snapshot
from memoryd.api.schemas.notes import NoteAnswer, NoteCheckAnswer, NoteCheckBody, NotePage
from memoryd.api.services import Services


def notes_router(services: Services) -> APIRouter:
    """Return the routes of notes."""
    router = new_router(services, "notes")

    @router.get("/notes", operation_id="list_notes", responses=documented(NotePage, text="By vault and path"))
    def list_notes(
        tag: Annotated[str | None, Query(description="A tag; `tool` also finds `tool/milvus`.")] = None,
        q: Annotated[str | None, Query(description="Words of a title, an alias or a path.")] = None,
        broken: Annotated[bool, Query(description="Only notes with links that lead nowhere.")] = False,  # noqa: FBT002 - a query flag
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
    ) -> Response:
        """List notes."""
        after = tuple(str(part) for part in decode_cursor(cursor, str, str)) if cursor else ("", "")
        found = [
            note for note in services.semantic.notes(tag=tag, q=q, broken=broken) if (note.vault, note.path) > after
        ]
        page = found[:limit]
        body = {
            "items": [note_body(note) for note in page],
            "next_cursor": encode_cursor(page[-1].vault, page[-1].path) if len(found) > limit else None,
        }
        return answer(services, body)

    @router.post(
        "/notes/check", operation_id="check_note", responses=documented(NoteCheckAnswer, text="What it breaks")
    )
    def check(body: NoteCheckBody) -> Response:
        """Hold a text against the note contract, without writing anything."""
        violations = services.semantic.check(body.text, body.vault, body.path)
        return answer(services, {"violations": list(violations)})

    @router.get("/notes/{vault}/{path:path}", operation_id="get_note", responses=documented(NoteAnswer, 404, text="It"))
    def get(
        vault: str,
        path: str,
        if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="An ETag")] = None,
    ) -> Response:
        """Return a note; 304 where the caller has it already."""
        note = services.semantic.note(vault, path)
        etag = f'"{note.etag}"'
        if if_none_match == etag:
            return Response(status_code=304, headers={"ETag": etag, **snapshot(services)})
        return answer(services, note_body(note), headers={"ETag": etag})

    return router
