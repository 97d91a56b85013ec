"""The standard-library client: finds the daemon, prefers the socket, and knows what a dead one left."""

import http.server
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clients.endpoint import DaemonUnreachable, Places, find_places, is_owned, read_endpoint
from clients.http import Client, ProblemError
from memoryd.paths import find_paths
from memoryd.service.lock import OwnerLock


def server_of(handler: http.server.BaseHTTPRequestHandler) -> Any:
    return handler.server


class Handler(http.server.BaseHTTPRequestHandler):
    """Says what it was asked; ``/problem`` refuses, ``/slow`` never answers, ``/cut`` breaks off."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def address_string(self) -> str:
        return "x"

    def do_GET(self) -> None:
        if self.path == "/slow":
            server_of(self).stopped.wait(10)
            return
        if self.path == "/cut":
            self.close_connection = True
            return
        if self.path == "/early":
            self.close_connection = True
            self.answer(413, {"title": "Too large"}, "application/problem+json")
            self.rfile.read(int(self.headers["Content-Length"]))
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/problem":
            problem = {
                "type": "urn:memoryd:problem:conflict",
                "title": "In conflict",
                "status": 409,
                "detail": "two",
                "x": 1,
            }
            self.answer(409, problem, "application/problem+json")
        elif self.path == "/text":
            self.answer(200, None, "text/plain")
        elif self.path == "/lies":
            self.answer(200, None, "application/json")
        else:
            said = {
                "path": self.path,
                "body": body.decode(),
                "headers": dict(self.headers.items()),
                "by": server_of(self).name,
            }
            self.answer(200, said)

    do_POST = do_GET  # noqa: N815 - the name is the library's

    def answer(self, status: int, body: Any, kind: str = "application/json") -> None:
        raw = json.dumps(body).encode() if body is not None else b"plain"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def serve(server: Any, name: str) -> Callable[[], None]:
    server.name = name
    server.stopped = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def stop() -> None:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()

    return stop


class Daemon:
    """What a daemon leaves in its folders, with two small servers behind it."""

    def __init__(self, root: str) -> None:
        self.paths = find_paths({"MEMORYD_HOME": root, "XDG_RUNTIME_DIR": root})
        self.paths.make()
        self.places = Places(str(self.paths.state), str(self.paths.config))
        self.lock = OwnerLock.acquire(self.paths.lock_file, version="1", started=datetime.now(UTC))
        self.tcp = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.unix = UnixServer(str(self.paths.socket), Handler)
        self.stops = [serve(self.tcp, "tcp"), serve(self.unix, "unix")]
        self.paths.token_file.write_text("secret-token\n")
        self.write(pid=os.getpid())

    def write(self, **changes: Any) -> None:
        record = {"url": f"http://127.0.0.1:{self.tcp.server_port}", "socket": str(self.paths.socket), "version": "1"}
        self.paths.endpoint_file.write_text(json.dumps(record | changes))

    @property
    def client(self) -> Client:
        return Client.find(self.places, timeout_s=5)

    def stop(self) -> None:
        for stop in self.stops:
            stop()
        self.lock.release()


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    root = tempfile.mkdtemp(prefix="m")
    started = Daemon(root)
    yield started
    started.stop()
    shutil.rmtree(root)


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_socket_comes_first_and_tcp_is_the_way_out(daemon: Daemon) -> None:
    assert daemon.client.call("GET", "/x").body["by"] == "unix"
    daemon.paths.socket.unlink()
    said = daemon.client.call("GET", "/x").body
    assert (said["by"], said["headers"]["Host"]) == ("tcp", f"127.0.0.1:{daemon.tcp.server_port}")
    daemon.write(pid=os.getpid(), socket="")
    assert daemon.client.call("GET", "/x").body["by"] == "tcp"


def test_a_call_sends_token_host_json_and_query(daemon: Daemon) -> None:
    client = Client.find(daemon.places, actor="agent:x", session="s")
    query = {"q": "a b&c", "none": None, "flag": True, "tag": ["x", "y"]}
    said = client.call(
        "POST", "/v1/é?".rstrip("?é") + "things", query=query, body={"t": "ü"}, headers={"X-More": "1"}
    ).body
    assert said["path"] == "/v1/things?q=a+b%26c&flag=true&tag=x&tag=y"
    assert json.loads(said["body"]) == {"t": "ü"}
    headers = said["headers"]
    assert headers["Authorization"] == "Bearer secret-token"
    assert headers["Host"] == "localhost"
    assert headers["Content-Type"] == "application/json"
    assert (headers["Memoryd-Actor"], headers["Memoryd-Session"], headers["X-More"]) == ("agent:x", "s", "1")


def test_without_a_body_no_content_type_is_sent(daemon: Daemon) -> None:
    assert "Content-Type" not in daemon.client.call("GET", "/x", query={"a": None}).body["headers"]


def test_a_problem_is_an_error_with_its_body(daemon: Daemon) -> None:
    with pytest.raises(ProblemError, match="In conflict: two") as caught:
        daemon.client.call("GET", "/problem")
    problem = caught.value
    assert (problem.status, problem.title, problem.detail, problem.slug) == (409, "In conflict", "two", "conflict")
    assert problem.body["x"] == 1
    assert json.loads(problem.raw) == problem.body


def test_what_is_not_json_is_kept_raw(daemon: Daemon) -> None:
    for path in ("/text", "/lies"):
        answer = daemon.client.call("GET", path)
        assert (answer.raw, answer.body) == (b"plain", None)


def test_a_refusal_that_comes_before_all_is_sent_is_read(daemon: Daemon) -> None:
    with pytest.raises(ProblemError, match="Too large"):
        daemon.client.call("POST", "/early", body="x" * 5_000_000)


def test_timeouts_and_broken_connections_are_said(daemon: Daemon) -> None:
    with pytest.raises(DaemonUnreachable, match=r"did not answer within 0\.05 s"):
        daemon.client.call("GET", "/slow", timeout_s=0.05)
    with pytest.raises(DaemonUnreachable, match="broke off"):
        daemon.client.call("GET", "/cut")


def test_proxies_of_the_environment_are_not_used(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    daemon.paths.socket.unlink()
    assert daemon.client.call("GET", "/x").body["by"] == "tcp"


def test_no_daemon_is_said_with_the_way_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(DaemonUnreachable, match="memoryd up"):
        Client.find(Places(str(tmp_path), str(tmp_path)))


def test_the_endpoint_of_a_killed_daemon_is_recognised(daemon: Daemon) -> None:
    pid = dead_pid()
    daemon.write(pid=pid)
    with pytest.raises(DaemonUnreachable, match=rf"pid {pid}\) ended without a word"):
        Client.find(daemon.places)


def test_the_token_is_not_sent_to_whoever_has_a_dead_daemons_port(daemon: Daemon) -> None:
    """Its pid may live again in another process, and its port may be anybody's."""
    daemon.paths.socket.unlink()
    daemon.lock.release()
    assert not is_owned(daemon.places)
    with pytest.raises(DaemonUnreachable, match="left its address"):
        daemon.client.call("GET", "/x")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"url": 1, "socket": "", "pid": "x", "version": ""}', '{"pid": 1}']
)
def test_a_broken_endpoint_file_is_said(daemon: Daemon, content: str) -> None:
    daemon.paths.endpoint_file.write_text(content)
    with pytest.raises(DaemonUnreachable, match="doctor --repair"):
        read_endpoint(daemon.places)


@pytest.mark.parametrize("pid", [-1, 0, 2**80])
def test_an_absurd_pid_is_a_dead_one(daemon: Daemon, pid: int) -> None:
    daemon.write(pid=pid)
    with pytest.raises(DaemonUnreachable):
        read_endpoint(daemon.places)


def test_a_missing_token_is_said(daemon: Daemon) -> None:
    daemon.paths.token_file.unlink()
    with pytest.raises(DaemonUnreachable, match="doctor"):
        Client.find(daemon.places)


def test_nobody_at_the_port_is_said(daemon: Daemon) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        daemon.write(pid=os.getpid(), url=f"http://127.0.0.1:{free.getsockname()[1]}", socket="")
        with pytest.raises(DaemonUnreachable, match="nobody answers at http://127"):
            daemon.client.call("GET", "/x")


@pytest.mark.parametrize(
    "environ",
    [
        {"MEMORYD_HOME": "/a/b"},
        {"MEMORYD_HOME": "~/b"},
        {"MEMORYD_HOME": "rel/../b"},
        {"MEMORYD_HOME": ""},
        {},
        {"XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"},
        {"XDG_STATE_HOME": "  ", "XDG_CONFIG_HOME": ""},
    ],
)
def test_places_are_those_of_the_daemon(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORYD_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    paths, places = find_paths(), find_places()
    assert (places.state, places.config) == (str(paths.state), str(paths.config))
    assert places.endpoint_file == str(paths.endpoint_file)
    assert places.token_file == str(paths.token_file)


def test_places_on_macos() -> None:
    places = find_places({}, platform="darwin")
    assert places.state.endswith("Library/Application Support/memoryd/state")
    assert places.config.endswith("Library/Application Support/memoryd/config")


def test_only_the_standard_library_is_imported() -> None:
    code = "import sys; before = set(sys.modules); import clients.http; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    foreign = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"clients"}
    assert not foreign
    assert "asyncio" not in loaded
