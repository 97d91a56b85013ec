"""A socket that a service manager holds wakes the daemon; one that nobody holds is waited for by nobody."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path

import pytest

from memoryd.cli.standby import wake
from memoryd.paths import Paths, find_paths


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("MEMORYD_HOME", str(tmp_path / "home"))
    found = find_paths()
    found.make()
    return found


def test_a_first_connection_wakes_the_daemon(paths: Paths) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
        held.bind(str(paths.socket))
        held.listen()

        def begin() -> None:
            held.accept()[0].close()
            record = {"url": "http://127.0.0.1:1", "socket": str(paths.socket), "pid": os.getpid(), "version": "1"}
            paths.endpoint_file.write_text(json.dumps(record))

        manager = threading.Thread(target=begin)
        manager.start()
        assert wake(timeout_s=30)
        manager.join(30)


def test_a_daemon_that_does_not_come_is_waited_for_no_longer_than_said(paths: Paths) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
        held.bind(str(paths.socket))
        held.listen()
        assert not wake(timeout_s=0)


def test_what_a_killed_daemon_left_wakes_nobody(paths: Paths) -> None:
    assert not wake(timeout_s=600)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(paths.socket))
    assert paths.socket.is_socket()
    assert not wake(timeout_s=600)
