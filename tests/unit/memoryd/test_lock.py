"""One owner: the second is told who the first is, and a killed one leaves nothing to clean up."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.errors import AlreadyRunning, PathUnusable
from memoryd.service import lock as module
from memoryd.service.lock import Holder, OwnerLock, find_holder

STARTED = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
HOLD = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from memoryd.service.lock import OwnerLock
lock = OwnerLock.acquire(Path(sys.argv[1]), version="9.9", started=datetime(2026, 11, 30, tzinfo=UTC))
lock.publish("http://127.0.0.1:1")
print("held", flush=True)
sys.stdin.read()
"""
ASK = """
import sys
from pathlib import Path
from memoryd.service.lock import find_holder
print("asking", flush=True)
while True:
    find_holder(Path(sys.argv[1]))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.fixture
def other(file: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def acquire(file: Path) -> OwnerLock:
    return OwnerLock.acquire(file, version="1.0", started=STARTED)


def test_the_second_is_told_who_the_first_is(file: Path, other: "subprocess.Popen[str]") -> None:
    with pytest.raises(AlreadyRunning, match=rf"pid {other.pid}.*http://127\.0\.0\.1:1.*memoryd down"):
        acquire(file)
    assert find_holder(file) == Holder(other.pid, "9.9", "http://127.0.0.1:1", "2026-11-30T00:00:00+00:00")


def test_a_killed_holder_is_no_obstacle(file: Path, other: "subprocess.Popen[str]") -> None:
    other.kill()
    other.wait()
    assert file.read_text() != ""
    assert find_holder(file) is None
    with acquire(file):
        found = find_holder(file)
        assert found is not None
        assert (found.pid, found.version, found.url) == (os.getpid(), "1.0", None)


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe", b"[1]", b'{"pid": "many"}', b"x" * 10_000])
def test_garbage_in_the_file_changes_nothing(
    file: Path, other: "subprocess.Popen[str]", garbage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(garbage)
    with pytest.raises(AlreadyRunning, match="already owns this memory"):
        acquire(file)
    # Where the kernel does not tell, the pid is unknown, never a guess.
    monkeypatch.setattr(module, "_KERNEL_LOCKS", Path("/nonexistent"))
    assert find_holder(file) == Holder()
    with pytest.raises(AlreadyRunning, match="fuser"):
        acquire(file)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who holds a lock")
def test_the_kernel_knows_better_than_the_file(file: Path, other: "subprocess.Popen[str]") -> None:
    file.write_text('{"pid": 1234567, "version": "0", "url": "http://x", "started": ""}')
    assert find_holder(file) == Holder(other.pid)


def test_a_released_lock_is_free_and_its_file_stays(file: Path) -> None:
    lock = acquire(file)
    assert lock.held
    lock.release()
    lock.release()
    assert not lock.held
    assert file.exists()
    assert find_holder(file) is None
    assert file.stat().st_mode & 0o777 == 0o600
    acquire(file).release()


def test_asking_never_keeps_an_owner_out(file: Path) -> None:
    """A question holds the lock for a moment; an owner that starts in that moment must not give up."""
    asker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            ASK,
            str(file),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        file.touch()
        assert asker.stdout is not None
        assert asker.stdout.readline() == "asking\n"
        for _ in range(100):
            acquire(file).release()
    finally:
        asker.kill()
        asker.communicate()


def test_no_file_means_no_holder(file: Path) -> None:
    assert find_holder(file) is None
    assert not file.exists()


def test_a_folder_in_its_place_is_named(file: Path) -> None:
    file.mkdir()
    with pytest.raises(PathUnusable, match="cannot open the lock"):
        acquire(file)


def test_children_do_not_inherit_it(file: Path) -> None:
    lock = acquire(file)
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        lock.release()
        deadline = time.monotonic() + 5
        while find_holder(file) is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert find_holder(file) is None
    finally:
        child.communicate()


def test_the_owner_is_known_although_the_lock_file_was_deleted(tmp_path: Path) -> None:
    file, truth = tmp_path / "state" / "lock", tmp_path / "memory"
    file.parent.mkdir()
    truth.mkdir()
    with OwnerLock.acquire(file, version="1.0", started=STARTED, truth=truth) as lock:
        file.unlink()
        assert not lock.is_in_place
        with pytest.raises(AlreadyRunning, match=str(truth)):
            OwnerLock.acquire(file, version="1.0", started=STARTED, truth=truth)
        assert find_holder(file) is None
        found = find_holder(file, truth)
        assert found is not None
        assert found.pid in {None, os.getpid()}
        lock.renew()
        assert lock.is_in_place
        again = find_holder(file)
        assert again is not None
        assert (again.pid, again.version) == (os.getpid(), "1.0")
        with pytest.raises(AlreadyRunning):
            acquire(file)
    assert find_holder(file, truth) is None
    OwnerLock.acquire(file, version="1.0", started=STARTED, truth=truth).release()


def test_a_lock_that_somebody_else_took_meanwhile_is_not_renewed(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with acquire(file) as lock:
        file.unlink()
        with acquire(file), pytest.raises(AlreadyRunning):
            lock.renew()


def test_a_memory_that_was_replaced_is_guarded_again(tmp_path: Path) -> None:
    file, truth = tmp_path / "lock", tmp_path / "memory"
    truth.mkdir()
    with OwnerLock.acquire(file, version="1.0", started=STARTED, truth=truth) as lock:
        truth.rename(tmp_path / "old")
        assert lock.guards_truth
        truth.mkdir()
        assert not lock.guards_truth
        lock.renew()
        assert lock.guards_truth
        file.unlink()
        with pytest.raises(AlreadyRunning, match=str(truth)):
            OwnerLock.acquire(file, version="1.0", started=STARTED, truth=truth)
