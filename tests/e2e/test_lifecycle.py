"""One owner, private files, a clean stop, and no socket but the two."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.bench.daemon import OwnDaemon
from memoryd.errors import StartFailed
from tests.e2e.conftest import WITHOUT_MODEL

Start = Callable[..., OwnDaemon]


def test_endpoint_names_both_addresses(start: Start) -> None:
    daemon = start()
    endpoint = json.loads((daemon.home / "state" / "endpoint.json").read_text("utf-8"))
    assert set(endpoint) == {"url", "socket", "pid", "version"}
    assert endpoint["pid"] == daemon.pid
    assert endpoint["url"].startswith("http://127.0.0.1:")
    assert stat.S_ISSOCK(Path(endpoint["socket"]).stat().st_mode)


def test_sigterm_ends_clean_and_leaves_nothing_running(start: Start) -> None:
    daemon = start()
    socket = json.loads((daemon.home / "state" / "endpoint.json").read_text("utf-8"))["socket"]
    children = _children(daemon.pid)
    assert daemon.stop() == 0
    assert not (daemon.home / "state" / "endpoint.json").exists()
    assert not Path(socket).exists()
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


def test_second_daemon_is_told_who_holds_the_home(start: Start) -> None:
    first = start()
    second = OwnDaemon(first.home, WITHOUT_MODEL)
    with pytest.raises(StartFailed) as refused:
        second.start()
    assert str(first.pid) in str(refused.value)
    assert first.get("/v1/status")["ready"]


def test_everything_is_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with OwnDaemon(tmp_path / "home", WITHOUT_MODEL).start() as daemon:
            daemon.post("/v1/episodes", {"text": "private by default", "session": "s", "turn": "t"})
            for top in ("memory", "state", "config"):
                for path in [daemon.home / top, *(daemon.home / top).rglob("*")]:
                    mode = stat.S_IMODE(path.lstat().st_mode)
                    assert mode & 0o077 == 0, f"{path} is {mode:o}"
    finally:
        os.umask(old)


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux's list of sockets")
def test_no_port_is_open_but_our_own_on_loopback(start: Start) -> None:
    daemon = start()
    port = int(daemon.client.endpoint.url.rpartition(":")[2])
    inodes = {
        _inode(link) for pid in [daemon.pid, *_children(daemon.pid)] for link in Path(f"/proc/{pid}/fd").iterdir()
    }
    listening = [
        (fields[1].rpartition(":")[0], int(fields[1].rpartition(":")[2], 16))
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for fields in (line.split() for line in Path(table).read_text("ascii").splitlines()[1:])
        if fields[3] == "0A" and fields[9] in inodes
    ]
    assert listening == [("0100007F", port)]


def test_up_and_down(tmp_path: Path) -> None:
    environ = {**os.environ, **WITHOUT_MODEL, "MEMORYD_HOME": str(tmp_path / "home")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memoryd.cli", *arguments]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=90)

    assert run("status").returncode == 3
    up = run("up")
    assert up.returncode == 0, up.stderr
    try:
        assert run("status").returncode == 0
        assert "already" in run("up").stdout
        assert run("remember", "the quick brown fox").returncode == 0
        assert "quick brown fox" in run("recall", "quick", "fox").stdout
    finally:
        down = run("down")
    assert down.returncode == 0, down.stderr
    assert (tmp_path / "home" / "config" / "down").exists()
    assert run("status").returncode == 3


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text("ascii").rpartition(")")[2].split()[1])
        except (OSError, ValueError, UnicodeDecodeError):
            continue
        if parent == pid:
            found += [int(folder.name), *_children(int(folder.name))]
    return found


def _inode(link: Path) -> str:
    try:
        return str(link.readlink()).removeprefix("socket:[").rstrip("]")
    except OSError:
        return ""
