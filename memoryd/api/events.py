"""``GET /v1/events``: what changes, as it changes, told to whoever keeps the connection open.

A stream of server-sent events, to be read by ``fetch``: a browser's ``EventSource`` can send no token. An event
names what changed by ids; whoever wants to know more asks.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, FastAPI, Header, Response
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from memoryd.api.broadcast import Broadcast, Told
from memoryd.api.noticing import Noticing
from memoryd.api.problems import problem_responses
from memoryd.api.request import Token, refuse_unknown_query
from memoryd.api.route import PREFIX
from memoryd.api.services import Services

MEDIA_TYPE = "text/event-stream"
AGAIN_MS = 2000
"""How long a reader waits before it asks again."""
FULL = "So many listen already that there is no room; close a page, or ask again a little later."
SLOW = "too slow: more happened than was read; ask again, and look at everything anew"

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", description="The id of the last event that came.")]


def offer_events(app: FastAPI, services: Services) -> None:
    """Add the stream to an application, which :func:`end_streams` ends again."""
    broadcast = Broadcast(Noticing(services).look)
    router = events_router(services, broadcast)
    app.include_router(router)
    app.state.routes += router.routes
    app.state.broadcast = broadcast


def end_streams(app: Any) -> None:
    """End every stream of an application: the daemon goes down, or other stores take its place."""
    app.state.broadcast.close()


def events_router(services: Services, broadcast: Broadcast) -> APIRouter:
    """Return the route of the stream. It waits for no store: that they open is the first news."""
    router = APIRouter(prefix=PREFIX, tags=["events"], dependencies=[Depends(refuse_unknown_query)])
    # An id of an earlier daemon must not be taken for one of this.
    birth = secrets.token_hex(4)

    @router.get(
        "/events",
        operation_id="listen",
        response_class=Response,
        responses={
            **problem_responses(429),
            200: {"description": "Server-sent events, without end", "content": {MEDIA_TYPE: {}}},
        },
    )
    async def listen(token: Token, last_event_id: LastEventId = None) -> Response:
        """Tell what changes: `episode`, `decision`, `note`, `job` and `status`, each with ids and little else.

        The first event is a `status`; where it says `missed`, more happened since `Last-Event-ID` than is kept, and
        everything is to be looked at anew. A line without an event says that the stream is alive.
        """
        _refuse_if_full(broadcast)
        number, is_missed = await broadcast.begin(_number(last_event_id, birth))
        _refuse_if_full(broadcast)  # others may have come in during the look
        is_session, stamp = services.logins.accepts(token), services.logins.stamp()

        def is_let_in() -> bool:
            return services.logins.stamp() == stamp and (not is_session or services.logins.accepts(token))

        async def lines() -> AsyncIterator[bytes]:
            yield f"retry: {AGAIN_MS}\n\n".encode()
            first = {"ready": services.readiness.is_ready, "missed": is_missed}
            yield _line(f"{birth}-{number}", "status", first)
            async with aclosing(broadcast.listen(number)) as stream:
                async for told in stream:
                    if not is_let_in():
                        return  # the session is over, or the memory's token is another: the next request is told so
                    yield _frame(told, birth)

        return StreamingResponse(lines(), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})

    return router


def _refuse_if_full(broadcast: Broadcast) -> None:
    if broadcast.is_full:
        raise HTTPException(429, FULL, {"Retry-After": "10"})


def _frame(told: Told, birth: str) -> bytes:
    if told.event is not None:
        return _line(f"{birth}-{told.number}", told.event.kind, told.event.data)
    return f": {SLOW}\n\n".encode() if told.is_last else b": alive\n\n"


def _line(id_: str, kind: str, data: Mapping[str, Any]) -> bytes:
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (id_.encode(), kind.encode(), orjson.dumps(data))


def _number(last_id: str | None, birth: str) -> int | None:
    """Return the number in an id of ours, -1 for an id of another daemon or none at all, ``None`` without one."""
    if last_id is None:
        return None
    born, _, number = last_id.partition("-")
    return int(number[:15]) if born == birth and number.isascii() and number.isdigit() else -1
