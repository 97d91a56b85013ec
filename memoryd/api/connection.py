"""One connection: how long it may be silent, and how many there may be.

A loopback port can be reached by every program of the machine, with and without the token. So a connection that
names no request is closed after a while, and the TCP connections together are bounded. The Unix socket, which only
its user can open, has a bound of its own: nobody who floods the port keeps it waiting.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from memoryd.api.problems import MEDIA_TYPE, status_body

HEAD_S = 10.0
"""How long a connection may take to name a request, from its first moment or from the first byte of a next one."""
MOST_CONNECTIONS = 256
"""So many connections by TCP, and as many by the Unix socket, are served at once."""
MOST_REFUSED = 64
"""So many more are told that there is no room; beyond them a connection is closed without a word."""


class Gate:
    """The connections of one kind that are open, the oldest first."""

    def __init__(self, most: int = MOST_CONNECTIONS, *, refused: int = MOST_REFUSED) -> None:
        self._most = most
        self._refused = refused
        self._open: dict[BoundedProtocol, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, connection: BoundedProtocol) -> bool:
        """Let a connection in, if need be in the place of the oldest one that asks for nothing; tell whether it is."""
        if len(self._open) >= self._most:
            waiting = next((one for one in self._open if one.awaits_request), None)
            if waiting is not None:
                self.leave(waiting)
                waiting.drop()
        is_served = len(self._open) < self._most
        if not is_served and len(self._open) >= self._most + self._refused:
            connection.drop()
            return False
        self._open[connection] = None
        return is_served

    def leave(self, connection: BoundedProtocol) -> None:
        """Forget a connection that is closed."""
        self._open.pop(connection, None)


class BoundedProtocol(H11Protocol):
    """The library's protocol with a time for each request's head, and a gate; see :func:`bounded_protocol`."""

    head_s = HEAD_S
    gates: dict[bool, Gate]
    """By whether a connection came by the Unix socket."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._deadline: asyncio.TimerHandle | None = None
        self._heard = False

    @property
    def awaits_request(self) -> bool:
        """Whether no request is under way here."""
        return self.conn.their_state is h11.IDLE and self._is_answered

    @property
    def _is_answered(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # there is none before the first request
        return cycle is None or cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take in a connection, or refuse it."""
        super().connection_made(transport)
        opened = transport.get_extra_info("socket")
        self._gate = self.gates[opened is not None and opened.family == socket.AF_UNIX]
        if not self._gate.enter(self):
            self.app = _no_room
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._gate.leave(self)
        self._head_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what begins a request has to be its whole head soon."""
        self._heard = True
        if self._deadline is None and self.awaits_request:
            self._await_head()
        super().data_received(data)
        if not self.awaits_request:
            self._head_is_here()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may be there in part already."""
        self._heard = bool(self.conn.trailing_data[0])
        super().on_response_complete()
        if self._heard and self.awaits_request:
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, as a problem; ``msg`` says no more than the status does."""
        del msg
        self._refuse(400)

    def drop(self) -> None:
        """Close at once, without a word."""
        self._head_is_here()
        self.transport.abort()

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.head_s, self._give_up)

    def _head_is_here(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.transport.is_closing() or not self.awaits_request:
            return
        if self._heard:
            self._refuse(408)
        else:
            self.transport.close()

    def _refuse(self, status: int) -> None:
        self._head_is_here()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = json.dumps(status_body(status, secrets.token_hex(8))).encode()
            headers = _headers(body)
            self.transport.write(self.conn.send(h11.Response(status_code=status, headers=headers, reason=b"")))
            self.transport.write(self.conn.send(h11.Data(data=body)))
            self.transport.write(self.conn.send(h11.EndOfMessage()))
        self.transport.close()


def bounded_protocol(*, most: int = MOST_CONNECTIONS, head_s: float = HEAD_S) -> type[BoundedProtocol]:
    """Return the protocol of one server, with gates of its own."""
    members = {"head_s": head_s, "gates": {False: Gate(most), True: Gate(most)}}
    return type("ServedProtocol", (BoundedProtocol,), members)


def _headers(body: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]


async def _no_room(scope: Any, _receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    if scope["type"] != "http":
        return
    detail = "Too many connections are open. Close those that are not needed, or use the Unix socket."
    body = json.dumps(status_body(503, secrets.token_hex(8), detail)).encode()
    headers = [*_headers(body), (b"retry-after", b"2")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
