"""A daemon in the hands of a service manager: what it is passed, and what it tells."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.endpoint import Places
from clients.http import Client
from memoryd.service.notify import Notifier, keep_alive
from tests.e2e.test_mcp import SETTINGS


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which a manager listens to its services."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60)
        yield listening


def heard(manager: socket.socket, wanted: str) -> list[str]:
    """Return what is said until the wanted word is."""
    said: list[str] = []
    while wanted not in said:
        said += manager.recv(4096).decode().splitlines()
    return said


def test_passed_sockets_are_used_and_the_manager_is_told(tmp_path: Path, manager: socket.socket) -> None:
    """Real NOTIFY_SOCKET, WATCHDOG_USEC and LISTEN_FDS, as systemd sets them."""
    home = tmp_path / "a home 100%"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as passed:
        passed.bind(str(tmp_path / "passed.sock"))
        passed.listen()
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMORYD_")},
            **SETTINGS,
            "MEMORYD_HOME": str(home),
            "NOTIFY_SOCKET": str(tmp_path / "notify"),
            "WATCHDOG_USEC": "300000",
            "LISTEN_FDS": "1",
        }
        # The pid must be that of the daemon itself, which only the shell that becomes it knows.
        words = 'exec 3<&"$1"; LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$0" -P -m memoryd.cli serve'
        daemon = subprocess.Popen(
            ["/bin/bash", "-c", words, sys.executable, str(passed.fileno())],
            env=environ,
            pass_fds=[passed.fileno()],
            stderr=subprocess.PIPE,
        )
    try:
        assert "STATUS=serving" in heard(manager, "READY=1") + heard(manager, "WATCHDOG=1")
        client = Client.find(Places(str(home / "state"), str(home / "config")))
        assert client.endpoint.socket == str(tmp_path / "passed.sock")
        assert client.call("GET", "/readyz").body == {"ready": True}
        heard(manager, "WATCHDOG=1")
        daemon.send_signal(signal.SIGTERM)
        heard(manager, "STOPPING=1")
        assert daemon.wait(30) == 0
        assert (tmp_path / "passed.sock").exists(), "the manager's socket is the manager's"
    finally:
        daemon.kill()
        daemon.communicate()


def test_stores_that_cannot_be_opened_are_not_said_to_serve(tmp_path: Path, manager: socket.socket) -> None:
    home = tmp_path / "home"
    (home / "memory").mkdir(parents=True)
    (home / "memory" / "journal").write_text("no folder")
    environ = {**os.environ, **SETTINGS, "MEMORYD_HOME": str(home), "NOTIFY_SOCKET": str(tmp_path / "notify")}
    daemon = subprocess.Popen(
        [sys.executable, "-P", "-m", "memoryd.cli", "serve"], env=environ, stderr=subprocess.DEVNULL
    )
    try:
        said = heard(manager, "READY=1")
        assert "STATUS=the stores could not be opened; `memoryd status` says why" in said
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(30) == 0
    finally:
        daemon.kill()
        daemon.wait()


def test_a_store_that_is_not_well_is_not_said_to_be_alive(tmp_path: Path, manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "3000"})
    answers = [True, False, False, True]
    asked = 0

    async def watch() -> None:
        done = asyncio.Event()
        loop = asyncio.get_running_loop()

        def is_well() -> bool:
            nonlocal asked
            asked += 1
            if asked > len(answers):
                loop.call_soon_threadsafe(done.set)
                return False
            return answers[asked - 1]

        task = asyncio.create_task(keep_alive(notifier, is_well))
        await asyncio.wait_for(done.wait(), 30)
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(watch())
    manager.setblocking(False)
    assert [manager.recv(100), manager.recv(100)] == [b"WATCHDOG=1", b"WATCHDOG=1"]
    with pytest.raises(BlockingIOError):
        manager.recv(100)


@pytest.mark.parametrize(
    ("environ", "within_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "60000000"}, 60.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, 60.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, None),
    ],
)
def test_the_watchdog_is_this_processes_own(environ: dict[str, str], within_s: float | None) -> None:
    assert Notifier(environ).watchdog_s == within_s
