"""The doctor's checks, and that a repair changes permissions and leftovers and nothing else."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd import shadow
from memoryd.paths import Paths, find_paths
from memoryd.service import checkup
from memoryd.service.checkup import Finding, examine, repair
from memoryd.service.lock import OwnerLock
from memoryd.service.token import ensure_token


@pytest.fixture
def paths(monkeypatch: pytest.MonkeyPatch) -> Iterator[Paths]:
    for name in list(os.environ):
        if name.startswith("MEMORYD_"):
            monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="m") as root:
        found = find_paths({"MEMORYD_HOME": root, "XDG_RUNTIME_DIR": root})
        found.make()
        ensure_token(found.token_file)
        yield found


def of(paths: Paths, check: str) -> list[Finding]:
    return [finding for finding in examine(paths) if finding.check == check]


def problems(paths: Paths) -> list[str]:
    return [finding.message for finding in examine(paths) if finding.state == "problem"]


def test_a_fresh_memory_has_no_problem(paths: Paths) -> None:
    assert problems(paths) == []
    assert "does not run" in of(paths, "daemon")[0].message


def test_nothing_at_all_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYD_HOME", raising=False)
    found = find_paths({"MEMORYD_HOME": str(tmp_path / "none")})
    assert problems(found) == []
    assert not (tmp_path / "none").exists()


def test_open_permissions_are_found_and_closed_without_touching_contents(paths: Paths) -> None:
    day = paths.memory / "journal" / "2026-11-30.md"
    day.parent.mkdir(mode=0o755)
    day.parent.chmod(0o755)
    day.write_text("words")
    day.chmod(0o644)
    outside = paths.memory.parent / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (paths.memory / "link").symlink_to(outside)
    [finding] = of(paths, "permissions")
    assert finding.state == "note", "nobody else can enter the folder"
    assert repair(finding).repaired
    assert [path.stat().st_mode & 0o777 for path in (day, day.parent)] == [0o600, 0o700]
    day.chmod(0o644)
    for folder in (paths.memory, day.parent):
        folder.chmod(0o755)
    [finding] = of(paths, "permissions")
    assert finding.state == "problem"
    assert "and 2 more" in finding.message
    done = repair(finding)
    assert (done.state, done.repaired, done.remedy) == ("fine", True, None)
    assert day.stat().st_mode & 0o777 == 0o600
    assert day.parent.stat().st_mode & 0o777 == 0o700
    assert outside.stat().st_mode & 0o777 == 0o644
    assert day.read_text() == "words"
    assert problems(paths) == []


def test_leftovers_of_a_killed_daemon_are_found_and_removed(paths: Paths) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    paths.endpoint_file.write_text(json.dumps({"pid": gone.pid}))
    paths.endpoint_file.chmod(0o600)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(paths.socket))
    paths.socket.chmod(0o600)
    assert len(problems(paths)) == 2
    for finding in examine(paths):
        repair(finding)
    assert problems(paths) == []
    assert not paths.endpoint_file.exists()
    assert not paths.socket.exists()
    assert paths.token_file.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"pid": "x"}', '{"pid": -1}'])
def test_a_broken_endpoint_is_a_leftover(paths: Paths, content: str) -> None:
    paths.endpoint_file.write_text(content)
    paths.endpoint_file.chmod(0o600)
    assert len(problems(paths)) == 1


def test_a_running_daemon_is_named_and_its_endpoint_left(paths: Paths) -> None:
    with OwnerLock.acquire(paths.lock_file, version="1.2", started=datetime(2026, 1, 1, tzinfo=UTC)) as lock:
        assert "starting" in of(paths, "endpoint")[0].message
        lock.publish("http://127.0.0.1:1")
        paths.endpoint_file.write_text(json.dumps({"pid": os.getpid()}))
        paths.endpoint_file.chmod(0o600)
        assert of(paths, "daemon")[0].message == f"memoryd 1.2 runs as pid {os.getpid()} at http://127.0.0.1:1"
        assert of(paths, "endpoint")[0].state == "fine"
        assert problems(paths) == []


def test_down_is_said(paths: Paths) -> None:
    paths.down_marker.touch(0o600)
    assert "as `memoryd down` asked" in of(paths, "daemon")[0].message


def test_a_broken_config_and_a_missing_vault_are_problems(paths: Paths) -> None:
    paths.config_file.write_text('[vault.paths]\nwork = "/no/such/folder"\n')
    paths.config_file.chmod(0o600)
    assert problems(paths) == [
        "the folder of the vault 'work', /no/such/folder, is not there; mount it, or mend vault.paths"
    ]
    paths.config_file.write_text("[vault\n")
    assert "not valid TOML" in problems(paths)[0]


def test_a_broken_token_and_a_file_for_a_folder_are_problems(paths: Paths) -> None:
    paths.token_file.write_text("short")
    paths.lock_file.mkdir(mode=0o700)
    shutil.rmtree(paths.memory)
    paths.memory.write_text("")
    found = " | ".join(problems(paths))
    assert "is not a folder" in found
    assert "token rotate" in found
    assert "cannot open the lock" in found


def test_little_room_is_told(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 5_000_000

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage())
    assert "make room" in of(paths, "space")[0].message
    Usage.free = 500_000_000
    assert of(paths, "space")[0].state == "note"


def test_an_intruder_and_missing_parts_are_told(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadow, "locate_package", lambda _: Path("/elsewhere"))
    monkeypatch.setattr(checkup, "_PARTS", {"no_such_part_here": "something"})
    assert "/elsewhere" in of(paths, "packages")[0].message
    assert of(paths, "parts")[0].state == "note"


def test_a_repair_that_fails_says_why(paths: Paths) -> None:
    def fail() -> None:
        raise OSError(1, "Operation not permitted")

    done = repair(Finding("x", "problem", "open", fail))
    assert done.state == "problem"
    assert "Operation not permitted" in done.message
    assert repair(Finding("x", "fine", "fine")) == Finding("x", "fine", "fine")
