"""Connections that ask for nothing, or too slowly, or that are too many: they end, and keep nobody else waiting."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from memoryd.api.connection import MOST_REFUSED, bounded_protocol
from memoryd.api.guard import Guard

MOST = 4
HEAD_S = 0.4


class Server:
    """An application on a TCP and a Unix socket, with a small bound and little patience."""

    def __init__(self, folder: Path, *, head_s: float = HEAD_S) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.path = folder / "s"
        self.unix.bind(str(self.path))
        self.unix.listen()
        self.release = threading.Event()
        self.waiting = 0

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["path"] == "/slow":
                self.waiting += 1
                await asyncio.to_thread(self.release.wait, 20)
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})

        port = self.tcp.getsockname()[1]
        guarded = Guard(app, port=lambda: port, accepts=lambda _: True, mint=lambda: "minted", body_s=HEAD_S)
        config = uvicorn.Config(
            guarded, http=bounded_protocol(most=MOST, head_s=head_s), log_config=None, access_log=False, lifespan="off"
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve(sockets=[self.unix, self.tcp])))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def open(self, *, on_socket: bool = False) -> socket.socket:
        if not on_socket:
            return socket.create_connection(self.tcp.getsockname(), timeout=10)
        opened = socket.socket(socket.AF_UNIX)
        opened.settimeout(10)
        opened.connect(str(self.path))
        return opened

    def head(self, path: str = "/", *more: str) -> bytes:
        host = f"127.0.0.1:{self.tcp.getsockname()[1]}"
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Authorization: Bearer x", *more, "", ""]
        return "\r\n".join(lines).encode()

    def ask(self, path: str = "/", *, on_socket: bool = False) -> bytes:
        with self.open(on_socket=on_socket) as link:
            link.sendall(self.head(path, "Connection: close"))
            return read(link)

    def stop(self) -> None:
        self.release.set()
        self.server.should_exit = True
        self.thread.join()


def read(link: socket.socket) -> bytes:
    answer = b""
    while chunk := link.recv(65536):
        answer += chunk
    return answer


def problem(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head.lower()
    return dict(json.loads(body))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path, head_s=60)
    yield running
    running.stop()


def test_silent_connections_make_room_for_one_that_asks(patient: Server) -> None:
    silent = [patient.open() for _ in range(10 * MOST)]
    assert patient.ask().endswith(b"ok")
    assert patient.ask(on_socket=True).endswith(b"ok")
    for link in silent:
        link.close()


def test_a_connection_that_says_nothing_is_closed(server: Server) -> None:
    with server.open() as tcp, server.open(on_socket=True) as unix:
        assert read(tcp) == b""
        assert read(unix) == b""


def test_a_request_that_never_ends_its_head_is_refused(server: Server) -> None:
    with server.open() as link:
        link.sendall(server.head()[:20])
        assert problem(read(link))["status"] == 408


def test_a_second_request_that_never_ends_its_head_is_refused(server: Server) -> None:
    with server.open() as link:
        link.sendall(server.head() + b"GET /")
        answer = read(link)
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 408" in answer


def test_a_body_that_never_ends_is_refused(server: Server) -> None:
    with server.open() as link:
        link.sendall(server.head("/", "Content-Type: application/json", "Content-Length: 10") + b"{")
        assert problem(read(link))["status"] == 408


def test_what_is_no_http_is_refused_as_a_problem(server: Server) -> None:
    with server.open() as link:
        link.sendall(b"\x16\x03\x01\x02\x00\x01 hello\r\n\r\n")
        assert problem(read(link))["status"] == 400


def test_too_many_requests_at_once_are_told_so_and_the_unix_socket_is_free(patient: Server) -> None:
    busy = [patient.open() for _ in range(MOST)]
    for link in busy:
        link.sendall(patient.head("/slow"))
    deadline = time.monotonic() + 10
    while patient.waiting < MOST:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert problem(answer := patient.ask())["status"] == 503
    assert problem(answer)["type"] == "urn:memoryd:problem:not-ready"
    assert patient.ask(on_socket=True).endswith(b"ok")
    crowd = [patient.open() for _ in range(MOST_REFUSED + 5)]
    assert patient.ask(on_socket=True).endswith(b"ok")
    patient.release.set()
    for link in [*busy, *crowd]:
        link.close()
