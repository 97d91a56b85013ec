"""Listening: private, only on the loopback, never over somebody else."""

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from memoryd.errors import PortBusy, SocketError
from memoryd.paths import Paths, find_paths
from memoryd.service.lock import OwnerLock
from memoryd.service.notify import Notifier
from memoryd.service.sockets import (
    bind_tcp,
    bind_unix,
    open_sockets,
    publish_endpoint,
    take_passed_sockets,
    withdraw_endpoint,
)


@pytest.fixture
def paths() -> Iterator[Paths]:
    # Short on purpose: pytest's own folders can exceed the length of a socket's path.
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        found = find_paths({"MEMORYD_HOME": folder, "XDG_RUNTIME_DIR": folder})
        found.make()
        yield found


@pytest.fixture
def lock(paths: Paths) -> Iterator[OwnerLock]:
    with OwnerLock.acquire(paths.lock_file, version="1", started=datetime(2026, 1, 1, tzinfo=UTC)) as held:
        yield held


def test_both_are_open_and_private(paths: Paths, lock: OwnerLock) -> None:
    listening = open_sockets(paths, port=0, lock=lock, environ={})
    try:
        assert listening.url == f"http://127.0.0.1:{listening.port}"
        assert listening.tcp.getsockname() == ("127.0.0.1", listening.port)
        assert stat.S_IMODE(listening.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(listening.path.parent.stat().st_mode) == 0o700
        with socket.create_connection(("127.0.0.1", listening.port)), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(listening.path))
    finally:
        listening.close()
    assert not listening.path.exists()


def test_the_endpoint_of_a_killed_owner_is_taken_away(paths: Paths, lock: OwnerLock) -> None:
    paths.endpoint_file.write_text('{"pid": 1, "url": "http://127.0.0.1:1"}')
    open_sockets(paths, port=0, lock=lock, environ={}).close()
    assert not paths.endpoint_file.exists()


def test_a_folder_in_place_of_the_endpoint_is_named(paths: Paths, lock: OwnerLock) -> None:
    paths.endpoint_file.mkdir()
    with pytest.raises(SocketError, match=r"cannot take .*endpoint\.json away"):
        open_sockets(paths, port=0, lock=lock, environ={})


def test_without_the_lock_nothing_is_opened(paths: Paths, lock: OwnerLock) -> None:
    lock.release()
    with pytest.raises(SocketError, match="take the lock first"):
        open_sockets(paths, port=0, lock=lock, environ={})


def test_a_busy_port_is_named_and_nothing_stays_open(paths: Paths, lock: OwnerLock) -> None:
    other = bind_tcp(0)
    port = other.getsockname()[1]
    with pytest.raises(PortBusy, match=rf"127\.0\.0\.1:{port}; set service\.port"):
        open_sockets(paths, port=port, lock=lock, environ={})
    other.close()
    assert not paths.socket.exists()
    bind_tcp(port).close()


def test_a_dead_socket_is_replaced_and_a_live_one_is_not(paths: Paths) -> None:
    dead = bind_unix(paths.socket)
    dead.close()
    assert paths.socket.exists()
    live = bind_unix(paths.socket)
    with pytest.raises(SocketError, match="another program answers"):
        bind_unix(paths.socket)
    live.close()


def test_a_file_in_the_way_is_not_removed(paths: Paths) -> None:
    paths.socket.write_text("precious")
    with pytest.raises(SocketError, match="is in the way"):
        bind_unix(paths.socket)
    assert paths.socket.read_text() == "precious"


def test_a_failing_unix_socket_closes_the_tcp_one(paths: Paths, lock: OwnerLock) -> None:
    free = bind_tcp(0)
    port = free.getsockname()[1]
    free.close()
    paths.socket.mkdir()
    with pytest.raises(SocketError):
        open_sockets(paths, port=port, lock=lock, environ={})
    bind_tcp(port).close()


PASSED = """
import os, socket, sys
os.environ["LISTEN_PID"] = str(os.getpid())
from datetime import datetime, UTC
from memoryd.paths import find_paths
from memoryd.service.lock import OwnerLock
from memoryd.service.sockets import open_sockets
given = socket.socket(socket.AF_UNIX if sys.argv[1] == "unix" else socket.AF_INET)
given.bind(sys.argv[2] if sys.argv[1] == "unix" else (sys.argv[2], 0))
if len(sys.argv) < 4:
    given.listen()
name = given.getsockname()
fd = given.detach()
if fd != 3:
    os.dup2(fd, 3)
    os.close(fd)
os.environ["LISTEN_FDS"] = "1"
paths = find_paths()
paths.make()
lock = OwnerLock.acquire(paths.lock_file, version="1", started=datetime.now(UTC))
try:
    listening = open_sockets(paths, port=0, lock=lock, environ=os.environ)
except Exception as error:
    print(type(error).__name__, error)
else:
    print(name, listening.path, listening.tcp.getsockname(), os.get_inheritable(3), "LISTEN_FDS" in os.environ, sep="|")
"""


def run_passed(paths: Paths, *arguments: str) -> str:
    home = str(paths.memory.parent)
    environ = {**os.environ, "MEMORYD_HOME": home, "XDG_RUNTIME_DIR": home}
    done = subprocess.run(
        [sys.executable, "-c", PASSED, *arguments], env=environ, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()


def test_a_passed_unix_socket_is_used(paths: Paths) -> None:
    wanted = str(paths.runtime / "given.sock")
    name, path, tcp, inheritable, left = run_passed(paths, "unix", wanted).split("|")
    assert name == path == wanted
    assert "127.0.0.1" in tcp
    assert (inheritable, left) == ("False", "False")


def test_a_passed_tcp_socket_is_used(paths: Paths) -> None:
    name, path, tcp, *_ = run_passed(paths, "tcp", "127.0.0.1").split("|")
    assert name == tcp
    assert path == str(paths.socket)


def test_a_passed_socket_that_others_can_reach_is_refused(paths: Paths) -> None:
    assert "others can reach" in run_passed(paths, "tcp", "0.0.0.0")


def test_a_passed_socket_that_does_not_listen_is_refused(paths: Paths) -> None:
    assert "does not listen" in run_passed(paths, "tcp", "127.0.0.1", "deaf")


@pytest.mark.parametrize(
    "environ", [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "-1"}]
)
def test_what_was_passed_to_somebody_else_is_ignored(environ: dict[str, str]) -> None:
    assert take_passed_sockets(environ) == []
    assert environ == {}


def test_the_endpoint_is_published_and_withdrawn_by_its_owner(paths: Paths, lock: OwnerLock) -> None:
    listening = open_sockets(paths, port=0, lock=lock, environ={})
    try:
        publish_endpoint(paths, listening, version="1.2")
        assert json.loads(paths.endpoint_file.read_bytes()) == {
            "url": listening.url,
            "socket": str(listening.path),
            "pid": os.getpid(),
            "version": "1.2",
        }
        assert stat.S_IMODE(paths.endpoint_file.stat().st_mode) == 0o600
        withdraw_endpoint(paths)
        assert not paths.endpoint_file.exists()
        withdraw_endpoint(paths)
    finally:
        listening.close()


@pytest.mark.parametrize("content", ['{"pid": 1}', "not json", "[]"])
def test_the_endpoint_of_another_is_left(paths: Paths, content: str) -> None:
    paths.endpoint_file.write_text(content)
    withdraw_endpoint(paths)
    assert paths.endpoint_file.exists()


def test_notifier_sends_states_by_path_and_by_abstract_name(paths: Paths) -> None:
    wanted = [(str(paths.runtime / "notify"), str(paths.runtime / "notify"))]
    if sys.platform == "linux":
        wanted.append((f"@memoryd-test-{os.getpid()}", f"\0memoryd-test-{os.getpid()}"))
    for said, address in wanted:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(address)
            manager.settimeout(5)
            notifier = Notifier({"NOTIFY_SOCKET": said})
            assert notifier.listening
            assert notifier.ready("two\nlines")
            assert manager.recv(1000) == b"READY=1\nSTATUS=two lines"
            assert notifier.stopping()
            assert manager.recv(1000) == b"STOPPING=1"
            assert notifier.status("x")
            assert manager.recv(1000) == b"STATUS=x"


def test_notifier_is_silent_where_nobody_listens(paths: Paths) -> None:
    assert not Notifier({}).ready()
    assert not Notifier({"NOTIFY_SOCKET": "relative"}).listening
    assert not Notifier({"NOTIFY_SOCKET": str(paths.runtime / "gone")}).ready()
