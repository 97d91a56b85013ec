"""What is captured of sessions that are told again, with the gate at a stop and without it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from memoryd.bench.gate import NOT_MEASURED, run_gate
from memoryd.bench.replay import read_talk
from memoryd.bench.talks import made_up_talks
from tests.session_file import prompt, result, said, used, write

RIGHTLY = "of them rightly: code changed, no decision recorded"
EARLY = "of them early: the session recorded one later"
PASSED = "sessions let go, though code changed and no decision was recorded"


def measured(place: Path | None) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    table = run_gate(place, seed=1, progress=lambda _: None, count=3)
    return {str(row[0]): list(row[1:]) for row in table.rows}, dict(table.facts)


def assert_whole(rows: dict[str, list[Any]], turns: int) -> None:
    assert rows["turns captured"] == [turns, turns]
    assert rows["of them filled in from session files"] == rows["turns that nobody told of"]
    assert rows["turns written twice"] == [0, 0]
    assert rows["stops held"][0] == 0
    assert rows["stops held"][1] == rows[RIGHTLY][1]
    assert rows["decisions recorded because a stop was held"] == [NOT_MEASURED, NOT_MEASURED]


def test_made_up_sessions_are_captured_whole_and_held_where_nothing_was_decided() -> None:
    rows, facts = measured(None)
    assert (facts["sessions"], facts["source"]) == (3, "made up")
    assert_whole(rows, facts["turns"])
    assert rows["decisions found recorded"][0] > 0
    assert rows[RIGHTLY][1] > 0
    assert rows[EARLY][1] <= rows[RIGHTLY][1]
    assert rows[PASSED][0] > 0
    assert rows[PASSED][1] == 0


def test_recorded_sessions_are_captured_whole() -> None:
    data = os.environ.get("MEMORYD_TEST_DATA")
    if data is None:
        pytest.skip("MEMORYD_TEST_DATA is not set")
    rows, facts = measured(Path(data) / "transcripts" / "episodic-memory")
    assert facts["source"] == "recorded"
    assert_whole(rows, facts["turns"])


def test_a_session_is_read_as_its_file_tells_it(tmp_path: Path) -> None:
    edit = {"file_path": "src/cart.py"}
    file = write(tmp_path / "s1.jsonl", [
        prompt("u0", 0, "<local-command-stdout>x</local-command-stdout>"),
        prompt("u1", 1, "Mend the cart"), used("c1", 2, "t1", "Edit", edit), result("r1", 3, "t1", "no", failed=True),
        said("a1", 4, "It cannot be written.", end=True),
        prompt("u2", 5, "Again"), used("c2", 6, "t2", "Edit", edit), result("r2", 7, "t2", "ok"),
        used("c3", 8, "t3", "mcp__plugin_memoryd_memoryd__decide", {"title": "T"}), result("r3", 9, "t3", "ok"),
        said("a2", 10, "Mended.", end=True),
    ], tail='{"torn')  # fmt: skip
    talk = read_talk("s1", file.read_bytes().splitlines(keepends=True))
    assert len(talk.head) == 1
    assert [(turn.prompt, turn.answer) for turn in talk.turns] == [
        ("Mend the cart", "It cannot be written."), ("Again", "Mended."),
    ]  # fmt: skip
    assert [(turn.changes_code, turn.decides) for turn in talk.turns] == [(False, False), (True, True)]
    assert b"".join([*talk.head, *(line for turn in talk.turns for line in turn.lines)]) == file.read_bytes()
    assert [len(one.turns) for one in made_up_talks(1)] == [len(one.turns) for one in made_up_talks(1)]
