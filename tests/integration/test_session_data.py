"""Session files of every kind, as other projects keep them for their own tests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.capture.account import excerpt_text, journal_text
from memoryd.capture.dialogue import read_transcript
from memoryd.capture.importing import session_files
from tests.unit.memoryd.capturing import Capturing

TURNS = {
    "claude-code-log-new/dag_compact_after_rewind.jsonl": 6,
    "claude-code-log/test/test_data/edge_cases.jsonl": 3,
    "claude-code-log/test/test_data/representative_messages.jsonl": 4,
    "claude-code-log/test/test_data/session_b.jsonl": 2,
    "claude-code-log/test/test_data/todowrite_examples.jsonl": 2,
    "claude-code-transcripts/tests/sample_session.json": 6,
    "claude-code-transcripts/tests/sample_session.jsonl": 2,
    "claude-code-viewer/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl": 1,
    "claude-code-viewer/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl": 1,
    "claude-code-viewer/agent-test-hash-123.jsonl": 0,
    "claude-code-viewer/agent-test-hash-456.jsonl": 0,
    "episodic-memory/medium-conversation.jsonl": 0,
    "episodic-memory/short-conversation.jsonl": 1,
    "episodic-memory/tiny-conversation.jsonl": 2,
    "self-made/image_thinking_meta.jsonl": 1,
}
NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def folder(test_data: Path) -> Path:
    return test_data / "transcripts"


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Capturing]:
    made = Capturing(tmp_path / "home")
    yield made
    made.close()


@pytest.mark.parametrize("name", TURNS)
def test_turns_of_a_file(folder: Path, name: str) -> None:
    reading = read_transcript(folder / name, asked_at=NOW)
    assert len(reading.turns) == TURNS[name]
    for turn in reading.turns:
        whole = journal_text(turn) + excerpt_text(turn)
        for noise in ("<system-reminder>", "<command-name>", "<local-command", "R0lGOD", "secret reasoning", "Caveat:"):
            assert noise not in whole
        assert turn.at.year == 2025


def test_every_file_is_named_above(folder: Path) -> None:
    found = {str(file.relative_to(folder)) for file in folder.rglob("*.json*") if file.is_file()}
    assert found == set(TURNS)


@pytest.mark.parametrize("name", TURNS)
def test_every_beginning_of_a_file_is_read(folder: Path, name: str, tmp_path: Path) -> None:
    data = (folder / name).read_bytes()
    file = tmp_path / "cut.jsonl"
    for end in range(0, len(data), max(1, len(data) // 60)):
        file.write_bytes(data[:end])
        reading = read_transcript(file, asked_at=NOW)
        assert reading.end <= end
        rest = read_transcript(file, start=reading.end, asked_at=NOW)
        assert rest.turns == () or not data[:end].endswith(b"\n")


def test_a_session_with_sub_agents_is_one_turn_that_tells_of_them(folder: Path) -> None:
    name = "claude-code-viewer/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl"
    (turn,) = read_transcript(folder / name, asked_at=NOW).turns
    text = journal_text(turn)
    assert text.startswith("Asked: /orchestrator @CLAUDE.md")
    assert "Sub-agents: `general-purpose` Analyze project structure (failed), `general-purpose` Check package" in text
    assert "Files: `CLAUDE.md`" in text
    assert "Next.js: 15.5.2" in excerpt_text(turn)


def test_all_of_them_in_one_home_and_again(capturing: Capturing, folder: Path) -> None:
    files = session_files(folder)
    first = capturing.take(*files)
    assert first.turns["recorded"] == 25
    assert first.problems == []
    texts = [entry.text for entry in capturing.entries]
    again = capturing.take(*reversed(files))
    assert (again.turns["recorded"], again.turns["known"]) == (0, 25)
    assert [entry.text for entry in capturing.entries] == texts
    assert capturing.files_with("secret reasoning") == []
