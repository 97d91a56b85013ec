"""The guard in front of a real server, on both sockets, against real clients and raw bytes."""

import asyncio
import contextlib
import http.client
import json
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn
from fastapi import APIRouter, Depends, FastAPI
from pydantic import BaseModel
from starlette.responses import PlainTextResponse

from memoryd.api.guard import Guard, Served
from memoryd.api.problems import install_problems
from memoryd.api.request import refuse_unknown_query
from memoryd.paths import find_paths
from memoryd.service.lock import OwnerLock
from memoryd.service.sockets import open_sockets

TOKEN = "t" * 43


class Echo(BaseModel):
    text: str


class Server:
    """An application with a route, a mount and a bug, behind the guard, on a TCP and a Unix socket."""

    def __init__(self, root: str) -> None:
        self.served: list[Served] = []
        paths = find_paths({"MEMORYD_HOME": root, "XDG_RUNTIME_DIR": root})
        paths.make()
        self.lock = OwnerLock.acquire(paths.lock_file, version="1", started=datetime.now(UTC))
        self.listening = open_sockets(paths, port=0, lock=self.lock, environ={})
        app = FastAPI(openapi_url=None)
        router = APIRouter(prefix="/v1", dependencies=[Depends(refuse_unknown_query)])

        @router.post("/echo/{name}")
        def echo(name: str, body: Echo) -> str:
            return body.text[:20]

        @router.get("/bug")
        def bug() -> None:
            raise RuntimeError("s3cret")

        @app.get("/healthz")
        def healthz() -> str:
            return "alive"

        app.include_router(router)
        app.mount("/mcp", PlainTextResponse("mounted"))
        install_problems(app, {})
        guarded = Guard(
            app,
            port=lambda: self.listening.port,
            accepts=lambda token: token == TOKEN,
            mint=lambda: "minted",
            served=self.served.append,
        )
        config = uvicorn.Config(guarded, log_config=None, access_log=False, server_header=False, lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        # uvicorn takes signals only in the main thread.
        asyncio.run(self.server.serve(sockets=self.listening.sockets))

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listening.close()
        self.lock.release()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.listening.port}"

    def call(
        self, method: str, path: str, body: Any = None, on_socket: bool = False, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.listening.port, timeout=20)
        if on_socket:
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(self.listening.path))
        sent = {"Authorization": f"Bearer {TOKEN}"} | {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        try:
            try:
                connection.request(method, path, body, {k: v for k, v in sent.items() if v})
            except (BrokenPipeError, ConnectionResetError):
                pytest.fail("the sender was cut off before it could read the refusal")
            answer = connection.getresponse()
            raw = answer.read()
            known = dict(answer.headers.items())
            return (
                answer.status,
                {name.lower(): value for name, value in known.items()},
                json.loads(raw) if b"{" in raw else raw.decode(),
            )
        finally:
            connection.close()

    def raw(self, data: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.listening.port), timeout=20) as link:
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := link.recv(65536):
                answer += chunk
        return answer


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="m") as root:
        started = Server(root)
        yield started
        started.stop()


def test_both_sockets_serve(server: Server) -> None:
    for on_socket in (False, True):
        status, headers, body = server.call(
            "POST", "/v1/echo/x", {"text": "hello"}, on_socket=on_socket, X_Request_Id="mine"
        )
        assert (status, body) == (200, '"hello"')
        assert headers["x-request-id"] == "mine"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    assert server.call("GET", "/healthz", Authorization="", on_socket=True, Host="localhost")[0] == 200


@pytest.mark.parametrize("path", ["/healthz", "/v1/bug", "/mcp/x", "/nothing", "/"])
def test_evil_hosts_and_origins_reach_nothing(server: Server, path: str) -> None:
    assert server.call("GET", path, Host="attacker.example")[0] == 421
    assert server.call("GET", path, Host="attacker.example", on_socket=True)[0] == 421
    assert server.call("GET", path, Origin="https://evil.example")[0] == 403
    assert server.call("GET", path, Sec_Fetch_Site="cross-site")[0] == 403
    assert server.call("GET", path, Origin=f"http://{server.host}")[0] != 403


@pytest.mark.parametrize("path", ["/v1/bug", "/mcp/x", "/nothing"])
def test_no_token_reaches_nothing(server: Server, path: str) -> None:
    for token in ("", "Bearer wrong", "Basic x"):
        status, headers, body = server.call("GET", path, Authorization=token)
        assert (status, body["status"]) == (401, 401)
        assert headers["www-authenticate"].startswith("Bearer")


def test_errors_inside_carry_the_id_and_no_words(server: Server) -> None:
    status, headers, body = server.call("GET", "/v1/bug")
    assert (status, headers["x-request-id"], body["instance"]) == (500, "minted", "urn:memoryd:request:minted")
    assert "s3cret" not in json.dumps(body)
    status, headers, body = server.call("GET", "/nothing")
    assert (status, headers["x-request-id"], body["instance"]) == (404, "minted", "urn:memoryd:request:minted")
    assert server.call("GET", "/mcp/x")[2] == "mounted"
    assert server.call("GET", "/v1/bug?x=1")[0] == 422


def test_a_large_body_is_refused_with_an_answer_that_its_sender_can_read(server: Server) -> None:
    status, headers, body = server.call("POST", "/v1/echo/x", b"x" * 50_000_000, Content_Type="application/json")
    assert (status, body["status"], headers["connection"]) == (413, 413, "close")


def test_a_large_chunked_body_is_refused(server: Server) -> None:
    chunks = (b"x" * 1_000_000 for _ in range(20))
    status, _, body = server.call("POST", "/v1/echo/x", chunks, Content_Type="application/json")
    assert (status, body["status"]) == (413, 413)


def test_a_small_chunked_body_is_served(server: Server) -> None:
    chunks = (part for part in (b'{"te', b'xt": "chunks"}'))
    assert server.call("POST", "/v1/echo/x", chunks, Content_Type="application/json")[2] == '"chunks"'


def test_a_body_of_eight_mebibytes_passes(server: Server) -> None:
    text = "x" * (8 * 1024 * 1024 - 12)
    assert server.call("POST", "/v1/echo/x", {"text": text})[0] == 200
    assert server.call("POST", "/v1/echo/x", {"text": text + "x"})[0] == 413


def test_other_kinds_of_body(server: Server) -> None:
    assert server.call("POST", "/v1/echo/x", b"text=1", Content_Type="application/x-www-form-urlencoded")[0] == 415
    assert server.call("POST", "/v1/echo/x", b"{", Content_Type="application/json")[0] == 422
    assert server.call("POST", "/v1/echo/x", Content_Type="application/json")[0] == 422


@pytest.mark.parametrize(
    "head",
    [
        b"GET /v1/bug HTTP/1.1\r\n",
        b"GET /v1/bug HTTP/1.0\r\n",
        b"GET http://attacker.example/v1/bug HTTP/1.1\r\nHost: attacker.example\r\n",
        b"GET /v1/bug HTTP/1.1\r\nHost: HOST\r\nHost: attacker.example\r\n",
        b"POST /v1/echo/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
        b"POST /v1/echo/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: -5\r\n",
        b"\x16\x03\x01\x02\x00",
    ],
)
def test_absurd_heads_are_refused_and_the_server_lives(server: Server, head: bytes) -> None:
    head = head.replace(b"HOST", server.host.encode())
    answer = server.raw(head + f"Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421", b"HTTP/1.1 431"))
    assert server.call("GET", "/healthz")[0] == 200


def test_endless_headers_are_cut_off_and_the_server_lives(server: Server) -> None:
    # The server stops reading; whether its 400 overtakes the reset is up to the system.
    with contextlib.suppress(OSError):
        server.raw(b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000_000)
    assert server.call("GET", "/healthz")[0] == 200


def test_what_is_kept_of_a_request_is_its_template(server: Server) -> None:
    server.served.clear()
    server.call("POST", "/v1/echo/s3cret-name", {"text": "s3cret"})
    server.call("GET", "/s3cret")

    def kept() -> list[tuple[str, str, int]]:
        # A request is kept after its answer was sent: that of the test before may still arrive here.
        return [(one.method, one.route, one.status) for one in server.served if one.route != "/healthz"]

    deadline = time.monotonic() + 5
    while len(kept()) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert kept() == [
        ("POST", "/v1/echo/{name}", 200),
        ("GET", "-", 404),
    ]
    assert "s3cret" not in repr(server.served)
