"""Taking in session files that are there already."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memoryd.capture.importing import session_files
from memoryd.capture.missed import changed_at
from memoryd.errors import ImportFailed
from tests.unit.memoryd.capturing import Capturing

DATA = Path(__file__).parents[2] / "data" / "transcripts"


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Capturing]:
    made = Capturing(tmp_path / "home")
    yield made
    made.close()


def test_a_folder_is_taken_in_once(capturing: Capturing) -> None:
    files = sorted(DATA.glob("*.jsonl"))
    first = capturing.take(*files)
    assert first.turns["recorded"] == 6 + 1 + 3
    assert first.turns["copy"] == 2
    count = len(capturing.entries)
    assert count == 10
    again = capturing.take(*reversed(files))
    assert again.turns["recorded"] == 0
    assert len(capturing.entries) == count
    assert capturing.files_with("OLD MEMORY OF OURS") == []
    assert capturing.files_with("FAKE") == []
    assert capturing.files_with("fool") == []
    assert capturing.files_with("rebate") == []


def test_a_dry_run_writes_nothing(capturing: Capturing) -> None:
    report = capturing.take(*DATA.glob("*.jsonl"), is_dry=True)
    assert report.turns["recorded"] > 0
    assert capturing.entries == []
    assert report.body()["files"] == 4


def test_the_last_turn_of_a_file_that_grows_is_left(capturing: Capturing, tmp_path: Path) -> None:
    file = tmp_path / "day.jsonl"
    file.write_bytes((DATA / "odd.jsonl").read_bytes())
    now = changed_at(file)
    assert capturing.take(file, now=now).turns == {"not over": 1, "recorded": 2}
    assert capturing.take(file, now=now + timedelta(hours=2)).turns == {"not over": 0, "recorded": 1, "known": 2}


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(capturing: Capturing, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").mkdir()
    report = capturing.take(tmp_path / "a.jsonl", DATA / "day.jsonl")
    assert report.turns["recorded"] == 6
    assert len(report.problems) == 1
    assert "a.jsonl" in report.problems[0]


def test_files_of_sub_agents_are_no_sessions(tmp_path: Path) -> None:
    for name in ("p/s1.jsonl", "p/agent-1.jsonl", "p/s1/subagents/agent-2.jsonl", "p/notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n", "utf-8")
    assert [file.name for file in session_files(tmp_path)] == ["s1.jsonl"]
    assert session_files(tmp_path / "p" / "agent-1.jsonl") == [tmp_path / "p" / "agent-1.jsonl"]
    with pytest.raises(ImportFailed, match="nothing at"):
        session_files(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImportFailed, match="no session file"):
        session_files(tmp_path / "empty")
