"""``/`` and ``/ui/``: the page, which is the same for everybody and holds nothing of the memory.

It is static files, read once. Its script asks like everybody else, with a token. The policy lets it load from here
alone and run no script but these files, so that stored text which looks like markup stays text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Response
from starlette.exceptions import HTTPException

from memoryd.api.guard import OPEN_FOLDER
from memoryd.api.request import refuse_unknown_query
from memoryd.api.services import Services

ENTRY = "index.html"
KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""What is served, by the end of a file's name."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # kept, and asked about each time: an update shows at once
}

IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match")]


@dataclass(frozen=True, slots=True)
class File:
    """A file of the page: its bytes, what they are, and a mark that changes with them."""

    data: bytes
    kind: str
    etag: str


def read_files() -> Mapping[str, File]:
    """Return the files of the page by name."""
    found = {}
    for one in files("memoryd").joinpath("ui").iterdir():
        kind = KINDS.get(one.name.rpartition(".")[2])
        if kind is not None and one.is_file():
            data = one.read_bytes()
            found[one.name] = File(data, kind, f'"{hashlib.sha256(data).hexdigest()[:20]}"')
    return found


def page_router(_services: Services) -> APIRouter:
    """Return the routes of the page, which asks nothing of the memory. They are no part of the interface's document."""
    known = read_files()
    router = APIRouter(include_in_schema=False, dependencies=[Depends(refuse_unknown_query)])

    def give(name: str, held: str | None) -> Response:
        file = known.get(name)
        if file is None:
            raise HTTPException(404)
        headers = {**HEADERS, "ETag": file.etag}
        if held is not None and file.etag in {one.strip().removeprefix("W/") for one in held.split(",")}:
            return Response(status_code=304, headers=headers)
        return Response(file.data, media_type=file.kind, headers=headers)

    @router.get("/")
    async def entry(if_none_match: IfNoneMatch = None) -> Response:
        """Return the page."""
        return give(ENTRY, if_none_match)

    @router.get(OPEN_FOLDER + "{name}")
    async def file(name: str, if_none_match: IfNoneMatch = None) -> Response:
        """Return a file of the page."""
        return give(name, if_none_match)

    return router
