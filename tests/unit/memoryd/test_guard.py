"""The guard's predicates as tables, and the guard itself over bare ASGI messages, without a socket."""

import asyncio
import json
from typing import Any

import pytest

from memoryd.api import guard as module
from memoryd.api.guard import (
    Guard,
    Message,
    Receive,
    Scope,
    Send,
    Served,
    bearer_token,
    is_open,
    is_own_host,
    is_own_origin,
    refuse_body,
    refuse_host,
    refuse_origin,
    settle_request_id,
)

PORT = 7077
TOKEN = "t" * 43


@pytest.mark.parametrize(
    ("host", "tcp", "unix"),
    [
        ("127.0.0.1:7077", True, True),
        ("localhost:7077", True, True),
        ("LocalHost:7077", True, True),
        ("[::1]:7077", True, True),
        ("127.0.0.1", False, True),
        ("localhost", False, True),
        ("[::1]", False, True),
        ("127.0.0.1:7078", False, False),
        ("127.0.0.1:07077", False, False),
        ("127.0.0.1:", False, False),
        ("localhost.:7077", False, False),
        ("0.0.0.0:7077", False, False),
        ("127.0.0.2:7077", False, False),
        ("::1:7077", False, False),
        ("attacker.example", False, False),
        ("attacker.example:7077", False, False),
        ("127.0.0.1:7077.attacker.example", False, False),
        ("127.0.0.1:7077@attacker.example", False, False),
        ("127.0.0.1:7077, attacker.example", False, False),
        ("", False, False),
    ],
)
def test_hosts(host: str, tcp: bool, unix: bool) -> None:
    assert is_own_host(host, PORT, on_socket=False) is tcp
    assert is_own_host(host, PORT, on_socket=True) is unix


def test_hosts_without_a_port_of_ours_and_on_the_default_port() -> None:
    assert not is_own_host("127.0.0.1:7077", None, on_socket=True)
    assert is_own_host("127.0.0.1", None, on_socket=True)
    assert is_own_host("127.0.0.1", 80, on_socket=False)


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:7077", True),
        ("http://localhost:7077", True),
        ("http://[::1]:7077", True),
        ("https://127.0.0.1:7077", False),
        ("http://127.0.0.1", False),
        ("http://127.0.0.1:7078", False),
        ("http://127.0.0.1:7077/", False),
        ("https://evil.example", False),
        ("http://127.0.0.1:7077.evil.example", False),
        ("null", False),
        ("", False),
        ("file://", False),
    ],
)
def test_origins(origin: str, own: bool) -> None:
    assert is_own_origin(origin, PORT) is own
    assert not is_own_origin(origin, None)


@pytest.mark.parametrize(
    ("site", "refused"),
    [
        ("cross-site", True),
        ("same-site", True),
        ("Cross-Site", True),
        ("same-origin", False),
        ("none", False),
        ("x", True),
    ],
)
def test_fetch_sites(site: str, refused: bool) -> None:
    assert (refuse_origin([(b"sec-fetch-site", site.encode())], PORT) is not None) is refused


def test_one_foreign_origin_among_several_is_enough() -> None:
    headers = [(b"origin", b"http://127.0.0.1:7077"), (b"origin", b"https://evil.example")]
    refusal = refuse_origin(headers, PORT)
    assert refusal is not None
    assert refusal.status == 403


def test_two_host_headers_are_refused() -> None:
    own = (b"host", b"127.0.0.1:7077")
    refusal = refuse_host([own, own], PORT, on_socket=False)
    assert refusal is not None
    assert refusal.status == 400
    missing = refuse_host([], PORT, on_socket=True)
    assert missing is not None
    assert missing.status == 421


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/healthz", True),
        ("HEAD", "/healthz", True),
        ("POST", "/healthz", False),
        ("GET", "/healthz/", False),
        ("GET", "/readyz", False),
        ("GET", "/", True),
        ("POST", "/", False),
        ("GET", "/ui/app.js", True),
        ("POST", "/ui/app.js", False),
        ("GET", "/ui/../v1/status", False),
        ("GET", "/uix", False),
        ("GET", "/ui", False),
        ("GET", "//", False),
        ("POST", "/v1/codes/exchange", True),
        ("GET", "/v1/codes/exchange", False),
        ("POST", "/v1/codes", False),
        ("GET", "/v1/status", False),
        ("GET", "/openapi.json", False),
        ("GET", "/metrics", False),
        ("GET", "/mcp/", False),
        ("GET", "/nothing", False),
    ],
)
def test_what_needs_no_token(method: str, path: str, expected: bool) -> None:
    assert is_open(method, path) is expected


@pytest.mark.parametrize(
    ("values", "token"),
    [
        (["Bearer abc"], "abc"),
        (["bearer abc"], "abc"),
        (["Bearer  abc "], "abc"),
        (["Bearer"], None),
        (["Bearer "], None),
        (["Basic abc"], None),
        (["abc"], None),
        ([], None),
        (["Bearer abc", "Bearer abc"], None),
    ],
)
def test_bearer_tokens(values: list[str], token: str | None) -> None:
    assert bearer_token(values) == token


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, None),
        ({"content-length": "0", "content-type": "text/plain"}, None),
        ({"content-length": "2", "content-type": "application/json"}, None),
        ({"content-length": "2", "content-type": "Application/JSON; charset=UTF-8"}, None),
        ({"content-length": "2", "content-type": 'application/json;charset="utf-8"'}, None),
        ({"transfer-encoding": "chunked", "content-type": "application/json"}, None),
        ({"content-length": "2"}, 415),
        ({"content-length": "2", "content-type": "text/plain"}, 415),
        ({"content-length": "2", "content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-length": "2", "content-type": "multipart/form-data; boundary=application/json"}, 415),
        ({"content-length": "2", "content-type": "application/json; charset=latin-1"}, 415),
        ({"content-length": "2", "content-type": "application/jsonp"}, 415),
        ({"content-length": "2", "content-type": "application/json", "content-encoding": "gzip"}, 415),
        ({"transfer-encoding": "chunked"}, 415),
        ({"content-length": "11", "content-type": "application/json"}, 413),
        ({"content-length": "9" * 500, "content-type": "application/json"}, 413),
        ({"content-length": "11", "content-type": "text/plain"}, 413),
        ({"content-length": "-1", "content-type": "application/json"}, 400),
        ({"content-length": "+2", "content-type": "application/json"}, 400),
        ({"content-length": "²", "content-type": "application/json"}, 400),
        ({"content-length": "2, 2", "content-type": "application/json"}, 400),
        ({"content-length": "2", "transfer-encoding": "chunked", "content-type": "application/json"}, 400),
    ],
)
def test_bodies(headers: dict[str, str], status: int | None) -> None:
    refusal = refuse_body([(name.encode(), value.encode("latin-1")) for name, value in headers.items()], 10)
    assert (refusal.status if refusal else None) == status


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["abc-1._Z"], True),
        (["x" * 64], True),
        (["x" * 65], False),
        ([""], False),
        (["a b"], False),
        (["ä"], False),
        (["a\n"], False),
        (["a", "b"], False),
        ([], False),
    ],
)
def test_request_ids(given: list[str], kept: bool) -> None:
    assert settle_request_id(given, lambda: "minted") == (given[0] if kept else "minted")


class Result:
    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.asked = 0
        self.seen_body = b""
        self.served: list[Served] = []

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        names = [name.decode().lower() for name, _ in self.sent[0]["headers"]]
        assert len(names) == len(set(names))
        return {name.decode().lower(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def body(self) -> Any:
        return json.loads(b"".join(message.get("body", b"") for message in self.sent[1:]))


def run(
    headers: dict[str, str] | None = None,
    *,
    method: str = "GET",
    path: str = "/v1/status",
    chunks: tuple[bytes, ...] = (b"",),
    server: tuple[str, int | None] | None = ("127.0.0.1", PORT),
    app: Any = None,
    limit: int = 10,
    auth: bool = True,
) -> Result:
    result = Result()

    async def default(scope: Scope, receive: Receive, send: Send) -> None:
        more = True
        while more:
            message = await receive()
            result.seen_body += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Server", b"x"), (b"x-own", b"y")]})
        await send({"type": "http.response.body", "body": b'"fine"'})

    waiting = list(chunks)

    async def receive() -> Message:
        result.asked += 1
        if not waiting:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        result.sent.append(message)

    base = {"host": f"127.0.0.1:{PORT}"} | ({"authorization": f"Bearer {TOKEN}"} if auth else {})
    raw = [(name.encode(), value.encode("latin-1")) for name, value in (base | (headers or {})).items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw, "server": server}
    guarded = Guard(
        app or default,
        port=lambda: PORT,
        accepts=lambda token: token == TOKEN,
        mint=lambda: "minted",
        served=result.served.append,
        max_bytes=limit,
    )
    asyncio.run(guarded(scope, receive, send))
    return result


def test_a_good_request_passes_and_gets_our_headers() -> None:
    result = run({"x-request-id": "mine"})
    assert (result.status, result.body) == (200, "fine")
    assert result.headers == {
        "x-own": "y",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": "mine",
    }
    assert result.served[0].request_id == "mine"
    assert result.served[0].route == "-"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "attacker.example"}, 421),
        ({"host": "attacker.example", "origin": "https://evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"content-length": "11", "content-type": "application/json"}, 413),
        ({"content-length": "2", "content-type": "text/plain"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["/v1/status", "/nothing", "/mcp/", "/openapi.json"])
def test_refusals_hold_everywhere_and_are_problems(headers: dict[str, str], status: int, path: str) -> None:
    result = run(headers, path=path, method="POST")
    assert result.status == status
    assert result.headers["content-type"] == "application/problem+json"
    assert result.headers["x-request-id"] == "minted"
    assert result.headers["cache-control"] == "no-store"
    assert result.body["status"] == status
    assert result.body["instance"] == "urn:memoryd:request:minted"
    assert set(result.body) == {"type", "title", "status", "detail", "instance"}
    for value in headers.values():
        assert not value or len(value) < 3 or value not in json.dumps(result.body) or value == "application/json"
    assert result.served[0].status == status


def test_health_needs_no_token_but_the_right_host() -> None:
    assert run(path="/healthz", auth=False).status == 200
    assert run({"host": "attacker.example"}, path="/healthz", auth=False).status == 421
    assert run({"origin": "https://evil.example"}, path="/", auth=False).status == 403


def test_401_says_how() -> None:
    assert run(auth=False).headers["www-authenticate"] == 'Bearer realm="memoryd"'
    assert "invalid_token" in run({"authorization": "Bearer x"}).headers["www-authenticate"]


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "get", ""])
def test_strange_methods(method: str) -> None:
    result = run(method=method)
    assert result.status == 405
    assert "GET" in result.headers["allow"]


def test_the_socket_is_known_by_its_server_address() -> None:
    assert run({"host": "localhost"}, server=("/run/memoryd.sock", None)).status == 200
    assert run({"host": "localhost"}).status == 421
    assert run({"host": "localhost"}, server=None).status == 421


def test_a_declared_body_that_is_too_large_is_answered_before_it_is_read() -> None:
    order: list[str] = []
    sent: list[Message] = []

    async def receive() -> Message:
        order.append("read")
        return {"type": "http.request", "body": b"x" * 5, "more_body": len(order) < 6}

    async def send(message: Message) -> None:
        order.append("sent")
        sent.append(message)

    async def never(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError

    headers = [
        (b"host", b"127.0.0.1:7077"),
        (b"authorization", f"Bearer {TOKEN}".encode()),
        (b"content-length", b"50000000"),
    ]
    scope = {"type": "http", "method": "POST", "path": "/v1/x", "headers": headers, "server": ("127.0.0.1", PORT)}
    asyncio.run(Guard(never, port=lambda: PORT, accepts=lambda _: True, mint=lambda: "m")(scope, receive, send))
    assert sent[0]["status"] == 413
    assert order[:3] == ["sent", "sent", "read"]
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


def test_draining_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAIN_BYTES", 100)
    endless = tuple(b"x" * 10 for _ in range(1000))
    result = run({"content-length": "10000", "content-type": "application/json"}, method="POST", chunks=endless)
    assert result.status == 413
    assert result.asked < 20


def test_a_sender_that_stops_midway_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAIN_S", 0.01)
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "server": ("127.0.0.1", PORT)}
    asyncio.run(Guard(send, port=lambda: PORT, accepts=lambda _: True, mint=lambda: "m")(scope, receive, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 421
    assert sent[-1]["more_body"] is False


CHUNKED = {"transfer-encoding": "chunked", "content-type": "application/json"}


def test_chunks_are_counted() -> None:
    result = run(CHUNKED, method="POST", chunks=(b"12345", b"12345"))
    assert (result.status, result.seen_body) == (200, b"1234512345")
    result = run(CHUNKED, method="POST", chunks=(b"12345", b"12345", b"1", b"more"))
    assert (result.status, result.seen_body) == (413, b"")


def test_a_sender_that_leaves_between_chunks_is_passed_on() -> None:
    seen: list[str] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        seen.append((await receive())["type"])

    run(CHUNKED, method="POST", chunks=(), app=app)
    assert seen == ["http.disconnect"]


def test_a_failure_before_the_answer_is_a_problem_without_its_words() -> None:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("s3cret")

    result = run(app=app)
    assert result.status == 500
    assert "s3cret" not in json.dumps(result.body)
    assert result.body["instance"] == "urn:memoryd:request:minted"
    assert result.asked == 0


def test_a_failure_after_the_answer_stays_quiet_and_one_within_it_breaks_off() -> None:
    async def after(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 500, "headers": []})
        await send({"type": "http.response.body", "body": b"1"})
        raise RuntimeError("s3cret")

    assert run(app=after).body == 1

    async def within(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("broken off")

    with pytest.raises(RuntimeError, match="broken off"):
        run(app=within)


def test_websockets_are_closed_and_lifespan_passes() -> None:
    seen: list[str] = []
    sent: list[Message] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["type"])

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    guarded = Guard(app, port=lambda: PORT, accepts=lambda _: True, mint=lambda: "m")
    asyncio.run(guarded({"type": "websocket", "headers": []}, receive, send))
    asyncio.run(guarded({"type": "lifespan"}, receive, send))
    assert seen == ["lifespan"]
    assert sent == [{"type": "websocket.close", "code": 1008}]
