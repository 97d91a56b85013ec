"""The guard in front of the whole application: every route, every mount, every 404.

The threat: a web page that the user visits, a name that an attacker points at 127.0.0.1 (DNS rebinding), and other
users of the machine can all reach a loopback port. An address to listen on is no authentication, so a request must
name our own host, come from no foreign page, and carry the token. What it may send is bounded before any of it is
read. There is no switch that turns this off, no cookie and no CORS header.

The predicates are plain functions of values; the class applies them to ASGI messages, in this order: host, origin,
method, token, size, kind of body.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from memoryd.api.problems import MEDIA_TYPE, status_body
from memoryd.service.logging import describe_error, get_logger

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

MAX_BODY_BYTES = 8 * 1024 * 1024
BODY_S = 30.0
"""How long a body may take: on one machine the largest one takes a moment."""
HOSTS = ("127.0.0.1", "localhost", "[::1]")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
OPEN_PATHS = frozenset({("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/"), ("HEAD", "/")}) | frozenset({
    ("POST", "/v1/codes/exchange")
})  # fmt: skip
OPEN_FOLDER = "/ui/"
DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 5.0
"""How much of a refused body is read and thrown away, so that its sender gets to read the refusal."""

_HTTP_PORT = 80
_JSON = re.compile(r'application/json(\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?', re.IGNORECASE)

logger = get_logger("memoryd.api.guard")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes no further: a status, words for its sender, and further headers."""

    status: int
    detail: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Served:
    """What is kept of a request when it is done: nothing that anyone wrote."""

    request_id: str
    method: str
    route: str
    status: int
    ms: float


def header_values(headers: Headers, name: bytes) -> list[str]:
    """Return all values of a header (given in lower case), in order."""
    return [value.decode("latin-1").strip() for key, value in headers if key == name]


def is_own_host(host: str, port: int | None, *, on_socket: bool) -> bool:
    """Tell whether a Host header names us.

    Args:
        host: As sent.
        port: Our TCP port; ``None`` while there is none.
        on_socket: Whether the request came by the Unix socket, where the port may be left out.
    """
    host = host.lower()
    if (on_socket or port == _HTTP_PORT) and host in HOSTS:
        return True
    return port is not None and host in {f"{name}:{port}" for name in HOSTS}


def is_own_origin(origin: str, port: int | None) -> bool:
    """Tell whether an Origin header is that of our own page. ``null`` is nobody's."""
    if port is None:
        return False
    own = {f"http://{name}:{port}" for name in HOSTS}
    if port == _HTTP_PORT:
        own |= {f"http://{name}" for name in HOSTS}
    return origin.lower() in own


def is_open(method: str, path: str) -> bool:
    """Tell whether a call needs no token: health, the static page, and the exchange of a code for a token."""
    if (method, path) in OPEN_PATHS:
        return True
    return method in {"GET", "HEAD"} and path.startswith(OPEN_FOLDER) and ".." not in path and "\\" not in path


def bearer_token(values: Sequence[str]) -> str | None:
    """Return the token of the Authorization headers, ``None`` unless there is exactly one and it is a bearer token."""
    if len(values) != 1:
        return None
    scheme, _, token = values[0].partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def settle_request_id(given: Sequence[str], mint: Callable[[], str]) -> str:
    """Return the sender's own id where it is a harmless one, else a fresh one."""
    return given[0] if len(given) == 1 and REQUEST_ID.fullmatch(given[0]) else mint()


def refuse_host(headers: Headers, port: int | None, *, on_socket: bool) -> Refusal | None:
    """Refuse a request that is not addressed to us."""
    hosts = header_values(headers, b"host")
    if len(hosts) > 1:
        return Refusal(400, "The Host header is given more than once.")
    if not hosts or not is_own_host(hosts[0], port, on_socket=on_socket):
        return Refusal(421, "The Host header must be the address in endpoint.json.")
    return None


def refuse_origin(headers: Headers, port: int | None) -> Refusal | None:
    """Refuse a request that a page of another site makes."""
    if any(not is_own_origin(origin, port) for origin in header_values(headers, b"origin")):
        return Refusal(403, "Pages of another origin are not served.")
    if any(site.lower() not in {"same-origin", "none"} for site in header_values(headers, b"sec-fetch-site")):
        return Refusal(403, "Requests that another site makes are not served.")
    return None


def refuse_token(headers: Headers, accepts: Callable[[str], bool]) -> Refusal | None:
    """Refuse a request without the token."""
    given = header_values(headers, b"authorization")
    token = bearer_token(given)
    if token is not None and accepts(token):
        return None
    if not given:
        return Refusal(
            401,
            "Send the token of the file config/token in the header Authorization: Bearer …",
            ((b"www-authenticate", b'Bearer realm="memoryd"'),),
        )
    return Refusal(
        401,
        "The token is not the one in the file config/token.",
        ((b"www-authenticate", b'Bearer realm="memoryd", error="invalid_token"'),),
    )


def refuse_body(headers: Headers, max_bytes: int) -> Refusal | None:
    """Refuse a body by what its headers say, before any of it is read."""
    lengths = header_values(headers, b"content-length")
    chunked = bool(header_values(headers, b"transfer-encoding"))
    if len(lengths) > 1 or any(not (text.isascii() and text.isdigit()) for text in lengths) or (lengths and chunked):
        return Refusal(400, "The length of the body is not clear.")
    length = int(lengths[0][:20]) if lengths else 0
    if length > max_bytes:
        return too_large(max_bytes)
    if not length and not chunked:
        return None
    kinds = header_values(headers, b"content-type")
    if len(kinds) != 1 or _JSON.fullmatch(kinds[0]) is None:
        return Refusal(415, "A body must be application/json in UTF-8.")
    if any(coding.lower() != "identity" for coding in header_values(headers, b"content-encoding")):
        return Refusal(415, "A body must not be compressed.")
    return None


def has_body(headers: Headers) -> bool:
    """Tell whether a request says that it has a body."""
    lengths = header_values(headers, b"content-length")
    return bool(header_values(headers, b"transfer-encoding")) or any(text.strip("0") for text in lengths)


def too_large(max_bytes: int) -> Refusal:
    """Return the refusal of a body that is too large."""
    return Refusal(413, f"A body has at most {max_bytes} bytes.")


class Guard:
    """The outermost ASGI application; ``app`` sees only what may come in.

    Args:
        app: The whole application.
        port: Returns our TCP port, known once it is bound.
        accepts: Tells whether a token is a right one.
        mint: Returns a fresh request id.
        served: Told of each finished request.
        max_bytes: The largest body.
        body_s: How long a body may take, in seconds.
    """

    def __init__(
        self,
        app: App,
        *,
        port: Callable[[], int | None],
        accepts: Callable[[str], bool],
        mint: Callable[[], str],
        served: Callable[[Served], None] | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        body_s: float = BODY_S,
    ) -> None:
        self._app = app
        self._port = port
        self._accepts = accepts
        self._mint = mint
        self._served = served
        self._max_bytes = max_bytes
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection or request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "websocket":
            # Nothing here speaks it, and a page of any site may open one.
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        started_at = time.perf_counter()
        request_id = settle_request_id(header_values(scope["headers"], b"x-request-id"), self._mint)
        scope.setdefault("state", {})["request_id"] = request_id
        answer = _Answer(send, request_id, has_body=scope["method"] != "HEAD")
        if scope["method"] == "HEAD":
            # Whatever can be read can be asked about; no route has to offer it.
            scope = {**scope, "method": "GET", "asked": "HEAD"}
        try:
            refusal = self._judge(scope)
            if refusal is None and has_body(scope["headers"]):
                receive, refusal = await self._read_body(receive)
            if refusal is None:
                await self._app(scope, receive, answer.send)
            else:
                await answer.refuse(refusal, receive)
        except Exception as error:
            if not scope["state"].get("failure_logged"):
                logger.exception("request failed", request_id=request_id, error=describe_error(error))
            if answer.status is None:
                await answer.refuse(Refusal(500, "The log has more under this request's id."))
            elif not answer.finished:
                raise
        finally:
            self._report(scope, request_id, answer.status, started_at)

    def _judge(self, scope: Scope) -> Refusal | None:
        headers: Headers = scope["headers"]
        port = self._port()
        server = scope.get("server")
        on_socket = server is not None and server[1] is None
        if refusal := refuse_host(headers, port, on_socket=on_socket) or refuse_origin(headers, port):
            return refusal
        if scope["method"] not in METHODS:
            return Refusal(
                405, "This method is not offered anywhere.", ((b"allow", ", ".join(sorted(METHODS)).encode()),)
            )
        if not is_open(scope["method"], scope["path"]) and (refusal := refuse_token(headers, self._accepts)):
            return refusal
        return refuse_body(headers, self._max_bytes)

    async def _read_body(self, receive: Receive) -> tuple[Receive, Refusal | None]:
        """Read the body, which is small, before anyone acts on its beginning; who sends it has not for ever."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_s):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return _replay(message, receive), None
                    body += message.get("body", b"")
                    if len(body) > self._max_bytes:
                        return receive, too_large(self._max_bytes)
                    if not message.get("more_body", False):
                        whole = {"type": "http.request", "body": bytes(body), "more_body": False}
                        return _replay(whole, receive), None
        except TimeoutError:
            return _gone, Refusal(408, f"The body has to be here within {self._body_s:g} seconds.")

    def _report(self, scope: Scope, request_id: str, status: int | None, started_at: float) -> None:
        # The template of the route, never the path: that may hold an id, a note's name, anything.
        template = getattr(scope.get("route"), "path", None) or "-"
        ms = round((time.perf_counter() - started_at) * 1000, 2)
        method = scope.get("asked", scope["method"])
        logger.info("request", request_id=request_id, method=method, route=template, status=status, ms=ms)
        if self._served is not None:
            self._served(Served(request_id, method, template, status or 0, ms))


class _Answer:
    """The sending side: puts our headers on every answer and knows how far it got."""

    def __init__(self, send: Send, request_id: str, *, has_body: bool = True) -> None:
        self._send = send
        self._has_body = has_body
        self._request_id = request_id
        self.status: int | None = None
        self.finished = False

    async def send(self, message: Message) -> None:
        """Pass on what the application sends."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": self._dressed(message.get("headers", ()))}
        elif message["type"] == "http.response.body":
            if not self._has_body:
                if self.finished:
                    return
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            self.finished = not message.get("more_body", False)
        await self._send(message)

    async def refuse(self, refusal: Refusal, receive: Receive | None = None) -> None:
        """Answer with a problem, at once, and only then let the sender finish what it still sends.

        Without ``receive`` the body may have been read already, and waiting for more would be in vain.
        """
        body = json.dumps(status_body(refusal.status, self._request_id, refusal.detail)).encode()
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *refusal.headers,
        ]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body, "more_body": True})
        if receive is not None:
            await _drain(receive)
        await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    def _dressed(self, headers: Headers) -> list[tuple[bytes, bytes]]:
        kept = [(name, value) for name, value in headers if name.lower() not in {b"server", b"x-request-id"}]
        if not any(name.lower() == b"cache-control" for name, _ in kept):
            kept.append((b"cache-control", b"no-store"))
        return [*kept, (b"x-content-type-options", b"nosniff"), (b"x-request-id", self._request_id.encode())]


async def _drain(receive: Receive) -> None:
    """Throw away what is still being sent, within bounds.

    A connection that is closed while its other side sends is reset, and the reset can overtake the answer.
    """
    dropped = 0
    try:
        async with asyncio.timeout(DRAIN_S):
            while dropped <= DRAIN_BYTES:
                message = await receive()
                dropped += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


async def _gone() -> Message:
    """Tell nothing more: who sends too slowly is not listened to any longer."""
    return {"type": "http.disconnect"}


def _replay(first: Message, receive: Receive) -> Receive:
    waiting: list[Message] = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
