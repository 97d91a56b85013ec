"""``/v1/notes``: the vaults, read as they are, held against the note contract, and written with If-Match."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Header, Query, Response
from starlette.exceptions import HTTPException

from memoryd.api.changes import wrote_note
from memoryd.api.conventions import decode_cursor, encode_cursor
from memoryd.api.present import note_body, without_empty
from memoryd.api.problems import problem_responses
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit, Session, Who
from memoryd.api.route import PREFIX, answer, documented, new_router, snapshot
from memoryd.api.schemas.notes import (
    NoteAnswer,
    NoteBody,
    NoteCheckAnswer,
    NoteCheckBody,
    NoteMoveAnswer,
    NoteMoveBody,
    NotePage,
)
from memoryd.api.services import Services
from semantic.writing.desk import Author, Move

DEFAULT_VAULT = "~"
"""In an address, the vault that new notes go to (``vault.write_to``); no vault can have this name."""

IfMatch = Annotated[str | None, Header(alias="If-Match", description="The ETag of the note as it was read.")]


def notes_router(services: Services) -> APIRouter:
    """Return the routes of notes."""
    router = new_router(services, "notes")

    @router.get("/notes", operation_id="list_notes", responses=documented(NotePage, text="By vault and path"))
    def list_notes(
        tag: Annotated[str | None, Query(description="A tag; `tool` also finds `tool/milvus`.")] = None,
        q: Annotated[str | None, Query(description="Words of a title, an alias or a path.")] = None,
        broken: Annotated[bool, Query(description="Only notes with links that lead nowhere.")] = False,  # noqa: FBT002 - a query flag
        breaking: Annotated[bool, Query(description="Only notes that break the contract.")] = False,  # noqa: FBT002 - as above
        cursor: Cursor = None,
        limit: Limit = LIMIT_DEFAULT,
    ) -> Response:
        """List notes."""
        after = tuple(str(part) for part in decode_cursor(cursor, str, str)) if cursor else ("", "")
        found = [
            note
            for note in services.semantic.notes(tag=tag, q=q, broken=broken)
            if (note.vault, note.path) > after and (note.violations or not breaking)
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
        """Hold a text against the note contract, without writing anything; ``path`` may name the vault as well."""
        named = ":" in body.path
        vault, path = _place(services, body.path) if named else (_vault(services, body.vault), body.path)
        violations = services.semantic.check(body.text, vault, path)
        return answer(services, {"violations": list(violations)})

    @router.post(
        "/notes/move",
        operation_id="move_note",
        responses=documented(NoteMoveAnswer, 404, 409, 412, text="What moved, or would"),
    )
    def move(body: NoteMoveBody, who: Who, session: Session, if_match: IfMatch = None) -> Response:
        """Give a note another path in its vault; the links to it are mended.

        With ``dry`` the answer shows each text that would change, and nothing is done. A link that could have meant
        several files is left as it is and named. The move is recorded, so that the note stays what it was to the log.
        """
        source, target = _place(services, body.source), _place(services, body.target)
        if body.dry:
            done = services.semantic.desk.plan_move(source, target)
        else:
            author = Author(str(who), session)
            done = services.semantic.desk.move(source, target, author, if_match=if_match)
            services.stored()
        return answer(services, _move_body(done, dry=body.dry))

    @router.put(
        "/notes/{vault}/{path:path}",
        operation_id="put_note",
        responses={
            **documented(NoteAnswer, 404, 409, 412, 428, text="Changed, and on disk"),
            201: {"model": NoteAnswer, "description": "Made, and on disk"},
        },
    )
    def put(
        vault: str,
        path: str,
        body: NoteBody,
        who: Who,
        session: Session,
        if_match: IfMatch = None,
        if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="`*` to make a note.")] = None,
    ) -> Response:
        """Write a note's whole text: ``If-None-Match: *`` makes one, ``If-Match`` with its ETag changes one.

        The text is stored byte for byte. An agent's note that breaks the contract is refused with the fix; a person's
        is stored, and what it breaks is listed. The vault ``~`` is the one that new notes go to.
        """
        desk, author = services.semantic.desk, Author(str(who), session)
        vault = _vault(services, vault)
        if if_none_match is not None and if_none_match.strip() == "*" and if_match is None:
            note, status = desk.create(vault, path, body.text, author), 201
        elif if_match is not None and if_none_match is None:
            note, status = desk.change(vault, path, body.text, author, if_match=if_match), 200
        else:
            raise HTTPException(428, "Send If-Match with the note's ETag to change it, or If-None-Match: * to make it.")
        services.stored()
        wrote_note(services, session, note)
        headers = {"ETag": f'"{note.etag}"', "Location": f"{PREFIX}/notes/{note.vault}/{quote(note.path)}"}
        return answer(services, note_body(note), status=status, headers=headers)

    @router.delete(
        "/notes/{vault}/{path:path}",
        operation_id="delete_note",
        status_code=204,
        responses={204: {"description": "Removed"}, **problem_responses(404, 412, 428)},
    )
    def delete(vault: str, path: str, if_match: IfMatch = None) -> Response:
        """Remove a note; links to it wait from then on."""
        if if_match is None:
            raise HTTPException(428, "Send If-Match with the note's ETag to remove it.")
        services.semantic.desk.delete(_vault(services, vault), path, if_match=if_match)
        return Response(status_code=204, headers=snapshot(services))

    @router.get("/notes/{vault}/{path:path}", operation_id="get_note", responses=documented(NoteAnswer, 404, text="It"))
    def get(
        vault: str,
        path: str,
        if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="An ETag")] = None,
    ) -> Response:
        """Return a note; 304 where the caller has it already."""
        note = services.semantic.note(_vault(services, vault), path)
        etag = f'"{note.etag}"'
        if if_none_match == etag:
            return Response(status_code=304, headers={"ETag": etag, **snapshot(services)})
        return answer(services, note_body(note), headers={"ETag": etag})

    return router


def _vault(services: Services, vault: str) -> str:
    return services.semantic.desk.default_vault if vault == DEFAULT_VAULT else vault


def _place(services: Services, shown: str) -> tuple[str, str]:
    """Return vault and path of ``<vault>:<path>``; a bare path is in the vault that new notes go to."""
    vault, colon, path = shown.partition(":")
    return (_vault(services, vault), path) if colon else (services.semantic.desk.default_vault, shown)


def _move_body(move: Move, *, dry: bool) -> dict[str, Any]:
    body = {
        "id": move.id,
        "from": move.source,
        "to": move.target,
        "dry": dry,
        "changes": [{"vault": one.vault, "path": one.path, "etag": one.etag, "diff": one.diff} for one in move.changes],
        "left": [
            {"path": one.path, "line": one.line, "written": one.written, "reason": one.reason} for one in move.left
        ],
        "decision": move.decision,
    }
    return without_empty(body, "decision")
