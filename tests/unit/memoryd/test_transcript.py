"""Reading session files: what can be read is read, the rest is counted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.capture.transcript import read_instant, read_lines
from tests.session_file import prompt, said, write

DATA = Path(__file__).parents[2] / "data" / "transcripts"


def test_whole_lines_are_read_and_the_end_is_behind_the_last(tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, "one"), said("a1", 1, "two")], tail='{"type":"user","uu')
    lines = read_lines(file)
    assert [message.role for message in lines.messages] == ["user", "assistant"]
    assert lines.end == file.read_bytes().rindex(b"\n") + 1
    assert lines.skipped["torn"] == 1


def test_reading_goes_on_where_it_ended(tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, "one")], tail='{"type":"user","uu')
    end = read_lines(file).end
    write(file, [prompt("u1", 0, "one"), prompt("u2", 1, "two")])
    assert [message.uuid for message in read_lines(file, end).messages] == ["u2"]
    assert read_lines(file, end).messages[0].start == end


def test_a_last_line_without_a_line_end_is_read_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_text(json.dumps(prompt("u1", 0, "one")), encoding="utf-8")
    lines = read_lines(file)
    assert [message.uuid for message in lines.messages] == ["u1"]
    assert lines.end == 0


def test_odd_lines_are_counted_and_harm_no_other() -> None:
    lines = read_lines(DATA / "odd.jsonl")
    assert lines.skipped == {
        "unreadable": 4,
        "not dialogue: no type": 1,
        "malformed": 2,
        "said twice": 1,
    }
    texts = [block.text for message in lines.messages for block in message.blocks]
    assert "Where is the log? ?" in texts  # half of a character becomes a question mark
    assert "caf\ufffd" in texts  # bad UTF-8 is replaced
    assert "a loose text" not in texts


def test_thinking_and_image_data_are_not_kept() -> None:
    for name in ("day.jsonl", "odd.jsonl"):
        for message in read_lines(DATA / name).messages:
            for block in message.blocks:
                assert "rebate" not in block.text
                assert "R0lGOD" not in block.text + str(block.values)


def test_a_document_of_lines_is_read(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"loglines": [prompt("u1", 0, "one"), 7, said("a1", 1, "two")]}, indent=1), "utf-8")
    assert [message.uuid for message in read_lines(file).messages] == ["u1", "a1"]


def test_a_flood_of_brackets_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_text("[" * 200_000 + "\n" + json.dumps(prompt("u1", 0, "one")) + "\n", "utf-8")
    lines = read_lines(file)
    assert [message.uuid for message in lines.messages] == ["u1"]
    assert lines.skipped["unreadable"] == 1


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2026-11-30T09:00:00.000Z", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("2026-11-30T10:00:00+01:00", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("2026-11-30T09:00:00", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        (1764493200, None),
        (None, None),
    ],
)
def test_instants(value: object, at: datetime | None) -> None:
    assert read_instant(value) == at
