from __future__ import annotations

from pathlib import Path

import pytest

from semantic.attention.record import Attention, Entry
from semantic.errors import InvalidDecision
from semantic.testing import SteppingClock

EL, EL2 = "el_" + "0" * 20, "el_" + "1" * 20


def opened(memory: Path, install: str = "aaaaaaaaaaaa") -> Attention:
    attention = Attention(memory, install, SteppingClock())
    attention.open()
    return attention


def lines(memory: Path, install: str = "aaaaaaaaaaaa") -> list[bytes]:
    path = memory / "attention" / f"{install}.ndjson"
    return path.read_bytes().splitlines() if path.exists() else []


def test_reads_wait_for_a_flush_and_are_one_line_a_session(tmp_path: Path) -> None:
    attention = opened(tmp_path)
    attention.note("read", [EL], actor="agent", session="s1")
    attention.note("read", [EL2, EL], actor="agent", session="s1")
    attention.note("read", [EL], actor="agent", session="s2")
    assert lines(tmp_path) == []
    attention.flush()
    assert len(lines(tmp_path)) == 2
    assert attention.state()[EL].reads == 2
    attention.flush()
    assert len(lines(tmp_path)) == 2


def test_other_operations_are_written_at_once_after_the_reads_before_them(tmp_path: Path) -> None:
    attention = opened(tmp_path)
    attention.note("read", [EL], actor="agent")
    attention.note("pin", [EL], actor="person")
    assert [b'"op":"read"' in line for line in lines(tmp_path)] == [True, False]
    assert attention.state()[EL].pinned


def test_a_reopened_record_goes_on_and_says_the_same(tmp_path: Path) -> None:
    attention = opened(tmp_path)
    attention.note("pin", [EL], actor="person")
    attention.note("archive", [EL2], actor="job:curate", scores={EL2: 1})
    again = opened(tmp_path)
    assert again.state() == attention.state()
    again.note("unpin", [EL], actor="person")
    assert [line.count(b'"seq":3') for line in lines(tmp_path)] == [0, 0, 1]


def test_an_unfinished_line_is_cut(tmp_path: Path) -> None:
    opened(tmp_path).note("pin", [EL], actor="person")
    path = tmp_path / "attention" / "aaaaaaaaaaaa.ndjson"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"actor":"pers')
    attention = opened(tmp_path)
    assert path.read_bytes() == whole
    attention.note("unpin", [EL], actor="person")
    assert not opened(tmp_path).state()[EL].pinned


def test_another_installs_file_counts_and_damage_is_named(tmp_path: Path) -> None:
    opened(tmp_path, "bbbbbbbbbbbb").note("pin", [EL], actor="person")
    with (tmp_path / "attention" / "bbbbbbbbbbbb.ndjson").open("ab") as file:
        file.write(b"nonsense\n")
    attention = opened(tmp_path)
    assert attention.state()[EL].pinned
    assert [problem.path for problem in attention.problems()] == ["attention/bbbbbbbbbbbb.ndjson"]


def test_a_file_that_arrives_is_taken_in_by_refresh(tmp_path: Path) -> None:
    attention = opened(tmp_path)
    assert not attention.refresh()
    opened(tmp_path, "bbbbbbbbbbbb").note("archive", [EL], actor="person")
    assert attention.refresh()
    assert attention.state()[EL].archived


@pytest.mark.parametrize(("op", "ids"), [("dream", [EL]), ("pin", []), ("pin", ["x"]), ("swap", [EL])])
def test_what_is_no_record_is_refused(tmp_path: Path, op: str, ids: list[str]) -> None:
    with pytest.raises(InvalidDecision):
        opened(tmp_path).note(op, ids, actor="person")
    assert lines(tmp_path) == []


def test_operations_that_belong_together_are_recorded_all_or_none(tmp_path: Path) -> None:
    attention = opened(tmp_path)
    attention.note("read", [EL], actor="agent")
    with pytest.raises(InvalidDecision):
        attention.record([Entry("archive", (EL,), "job"), Entry("nonsense", (EL,), "job")])
    assert lines(tmp_path) == []
    attention.record([Entry("archive", (EL,), "job", scores={EL: 5}), Entry("swap", (EL, EL2), "job")])
    assert [b'"op":"read"' in line for line in lines(tmp_path)] == [True, False, False]
    assert (attention.state()[EL].archived, attention.state()[EL2].archived) == (False, True)
    attention.record([])
    assert len(lines(tmp_path)) == 3
