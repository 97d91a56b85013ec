"""What every request is made of, checked once for all routes: UTF-8 text, and JSON that means one thing.

JSON as it is found in the wild allows more than can be stored or repeated: half of a surrogate pair, NaN, a key given
twice, nesting without end. Each is refused here, so that no route has to think of it. What agents send in their own
forms (hooks, the tool protocol) is read by those who know them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

import orjson
from starlette.responses import JSONResponse

from memoryd.api.problems import MEDIA_TYPE, ProblemItem, status_body

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

CHECKED = "/v1/"
OWN_FORMS = ("/v1/hooks/",)


class StrictForm:
    """An ASGI application in front of another one, which sees only well-formed requests."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        fault = find_address_fault(scope)
        if fault is None and scope["path"].startswith(CHECKED) and not scope["path"].startswith(OWN_FORMS):
            body, receive = await _read(receive)
            fault = find_fault(body) if body else None
        if fault is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(fault, scope, receive, send)


def find_address_fault(scope: Scope) -> ProblemItem | None:
    """Return what is wrong with the path or the query, ``None`` if nothing is."""
    parts = (("path", scope.get("raw_path") or scope["path"]), ("query", scope.get("query_string", b"")))
    for place, sent in parts:
        raw = unquote_to_bytes(sent)
        if not _is_utf8(raw):
            return ProblemItem(pointer=f"/{place}", code="encoding", message="is not UTF-8, percent-encoded")
        if b"\0" in raw:
            return ProblemItem(pointer=f"/{place}", code="control", message="holds the character NUL")
    return None


def find_fault(body: bytes) -> ProblemItem | None:
    """Return what is wrong with a body, ``None`` if it is JSON that means one thing."""

    def wrong(code: str, message: str) -> ProblemItem:
        return ProblemItem(pointer="/body", code=code, message=message)

    if not _is_utf8(body):
        return wrong("encoding", "is not UTF-8")
    try:
        orjson.loads(body)
        # Slower, and the only one to show that a key is there twice.
        json.loads(body, object_pairs_hook=_without_twins)
    except orjson.JSONDecodeError as error:
        if "surrogate" in error.msg:
            return wrong("surrogate", "holds half of a surrogate pair, which is no character")
        return wrong("json_invalid", f"not JSON, from character {error.pos}")
    except _TwinError:
        return wrong("repeated", "an object has a key twice")
    except (ValueError, RecursionError):
        # A number of thousands of digits, or nesting beyond what is sane.
        return wrong("json_invalid", "not JSON that can be read")
    return None


class _TwinError(Exception):
    pass


def _without_twins(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _TwinError


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """Read the whole body; return it and what tells it once more. The guard has bounded it."""
    told: list[Message] = []
    body = bytearray()
    while True:
        message = await receive()
        told.append(message)
        body += message.get("body", b"")
        if message["type"] != "http.request":
            body.clear()
            break
        if not message.get("more_body", False):
            break
    told.reverse()

    async def replay() -> Message:
        return told.pop() if told else await receive()

    return bytes(body), replay


async def _refuse(fault: ProblemItem, scope: Scope, receive: Receive, send: Send) -> None:
    request_id = str(scope.get("state", {}).get("request_id", "none"))
    detail = f"{fault.pointer}: {fault.message}"
    body = status_body(422, request_id, detail, {"errors": [fault.model_dump()]})
    await JSONResponse(body, 422, media_type=MEDIA_TYPE)(scope, receive, send)
