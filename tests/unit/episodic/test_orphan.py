"""Ending the child of a killed parent, and no other process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from episodic.engine import orphan
from episodic.engine.orphan import end_orphan, note_child

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)", sys.argv[1]],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
child.stdout.readline()
print(child.pid, flush=True)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "episodic.db"


@pytest.fixture
def left(database: Path) -> Iterator[int]:
    """The id of a process that names the database and whose parent is gone."""
    done = subprocess.run([sys.executable, "-c", PARENT, str(database)], capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    yield pid
    if is_running(pid):
        os.kill(pid, 9)


def is_running(pid: int) -> bool:
    process = orphan._look_up(pid)
    return process is not None and process.command.strip() != ""


def test_an_orphan_is_ended(database: Path, tmp_path: Path, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphan, "GRACE_S", 0.05)
    (tmp_path / "note").write_text(json.dumps({"child": left, "parent": 999_999_999}))

    end_orphan(tmp_path / "note", tmp_path / "another.db")
    assert is_running(left)
    end_orphan(tmp_path / "note", database)
    monkeypatch.setattr(orphan, "GRACE_S", 10.0)
    assert orphan._wait_gone(left, 999_999_999, database)


def test_a_child_whose_parent_lives_is_left_alone(database: Path, tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", str(database)])
    try:
        note_child(tmp_path / "note", child.pid)
        end_orphan(tmp_path / "note", database)
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("note", ["", "{", "[]", '{"child": "x", "parent": 1}'])
def test_a_note_that_cannot_be_read_ends_nothing(database: Path, tmp_path: Path, note: str) -> None:
    (tmp_path / "note").write_text(note)

    end_orphan(tmp_path / "note", database)
    end_orphan(tmp_path / "missing", database)
