"""The open ends of sessions, in a file that can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memoryd.capture.sessions import Sessions
from tests.session_file import START, prompt, write


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    made = Sessions(tmp_path / "sessions.sqlite")
    made.open(START)
    yield made
    made.close()


def test_prompts_are_open_until_closed(sessions: Sessions) -> None:
    sessions.open_prompt("s1", "one", prompt_id="p1", at=START, machine=False)
    sessions.open_prompt("s1", "one", prompt_id="p1", at=START, machine=False)
    sessions.open_prompt("s1", "two", prompt_id=None, at=START, machine=True)
    sessions.open_prompt("s2", "three", prompt_id=None, at=START, machine=False)
    assert [(one.asked, one.is_machine_made) for one in sessions.prompts("s1")] == [("one", False), ("two", True)]
    sessions.close_prompts([one.number for one in sessions.prompts("s1")])
    assert sessions.prompts("s1") == []
    assert len(sessions.prompts("s2")) == 1


def test_what_is_known_of_a_session_grows(sessions: Sessions) -> None:
    sessions.note("s1", transcript="/t/s1.jsonl", cwd="/code", at=START)
    sessions.end("s1")
    sessions.note("s1", transcript=None, cwd=None, at=START + timedelta(minutes=1))
    (known,) = sessions.known()
    assert (known.transcript, known.cwd, known.is_ended) == ("/t/s1.jsonl", "/code", False)


def test_a_cursor_holds_for_the_same_file_alone(sessions: Sessions, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, "one"), prompt("u2", 1, "two")])
    assert sessions.cursor(file) == 0
    sessions.set_cursor(file, 10)
    assert sessions.cursor(file) == 10
    file.write_text("short", "utf-8")
    assert sessions.cursor(file) == 0, "it was written anew"
    write(file, [prompt("u1", 0, "one"), prompt("u2", 1, "two")])
    sessions.set_cursor(file, 10)
    write(tmp_path / "other.jsonl", [prompt("u1", 0, "one"), prompt("u2", 1, "two")]).replace(file)
    assert sessions.cursor(file) == 0, "it is another file"


@pytest.mark.parametrize("damage", [b"no database at all", b""])
def test_a_file_that_cannot_be_read_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "sessions.sqlite"
    path.write_bytes(damage)
    sessions = Sessions(path)
    sessions.open(START)
    assert sessions.known() == []
    assert sessions.since == START
    assert path.stat().st_mode & 0o777 == 0o600
    sessions.close()


def test_it_is_remembered_over_a_restart(tmp_path: Path) -> None:
    first = Sessions(tmp_path / "sessions.sqlite")
    first.open(START)
    first.open_prompt("s1", "one", prompt_id=None, at=START, machine=False)
    first.want_summary("ep_1", tries=2, at=START)
    first.close()
    again = Sessions(tmp_path / "sessions.sqlite")
    again.open(START + timedelta(days=1))
    assert again.since == START
    assert [one.at for one in again.prompts("s1")] == [START]
    assert again.wanting_summaries(START, 9) == [("ep_1", 2)]
    assert again.next_summary() == START
    again.close()


def test_what_a_closed_prompt_said_is_on_no_disk(sessions: Sessions, tmp_path: Path) -> None:
    sessions.open_prompt("s1", "a word to be forgotten", prompt_id=None, at=START, machine=False)
    sessions.note_call("s1", "t1", "Bash", {"command": "forgotten"}, failed=False)
    assert [one for one in tmp_path.iterdir() if b"forgotten" in one.read_bytes()]
    sessions.close_prompts([one.number for one in sessions.prompts("s1")])
    sessions.take_calls("s1")
    sessions.wipe()
    assert [one.name for one in tmp_path.iterdir() if b"forgotten" in one.read_bytes()] == []
