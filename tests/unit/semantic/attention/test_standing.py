from __future__ import annotations

from pathlib import Path

import pytest

from semantic.attention.standing import Attended, Standing, read_record, standings

EL, EL2 = "el_" + "0" * 20, "el_" + "1" * 20
GOLDEN = Path(__file__).parents[3] / "golden" / "attention" / "aaaaaaaaaaaa.ndjson"


def record(seq: int, op: str, ids: tuple[str, ...] = (EL,), at: int = 0, install: str = "aaaaaaaaaaaa") -> Attended:
    return Attended(seq, f"2026-11-30T09:00:{at:02d}.000Z", install, "s1", "agent:claude", op, ids)


def test_the_golden_lines_are_what_is_written_and_read() -> None:
    written = [
        Attended(1, "2026-11-30T09:00:00.000Z", "aaaaaaaaaaaa", "s1", "agent:claude", "read", (EL, EL2)),
        Attended(2, "2026-11-30T09:00:01.000Z", "aaaaaaaaaaaa", None, "person", "pin", (EL,)),
        Attended(3, "2026-11-30T09:00:02.000Z", "aaaaaaaaaaaa", None, "job:curate", "archive", (EL2,), {EL2: 412_000}),
    ]
    assert b"".join(one.line() for one in written) == GOLDEN.read_bytes()
    assert [read_record(line) for line in GOLDEN.read_bytes().splitlines()] == written


def test_the_last_operation_by_instant_counts_for_each_question() -> None:
    state = standings([record(1, "pin", at=1), record(2, "archive", at=2), record(3, "read", at=3)])
    assert state[EL] == Standing(pinned=True, read_at="2026-11-30T09:00:03.000Z", reads=1)
    assert standings([record(1, "archive", at=5), record(1, "restore", at=4, install="b" * 12)])[EL].archived


def test_at_one_instant_install_and_seq_decide() -> None:
    assert not standings([record(2, "restore"), record(1, "archive")])[EL].archived
    assert standings([record(1, "archive", install="b" * 12), record(9, "restore", install="a" * 12)])[EL].archived


def test_order_and_repetition_make_no_difference() -> None:
    records = [record(1, "read", at=1), record(2, "useful", at=1), record(1, "archive", at=2, install="b" * 12)]
    assert standings(records) == standings([*reversed(records), *records])


def test_a_swap_brings_back_the_first_and_archives_the_second() -> None:
    state = standings([record(1, "archive", (EL,), 1), record(2, "swap", (EL, EL2), 2)])
    assert (state[EL].archived, state[EL2].archived) == (False, True)


def test_unknown_operations_and_versions_are_none_and_damage_is_said() -> None:
    line = record(1, "read").line()
    assert read_record(line.replace(b'"read"', b'"dream"')) is None
    assert read_record(line.replace(b'"v":1', b'"v":2')) is None
    for broken in (b"{", b"[]", line.replace(b'"seq":1', b'"seq":"1"'), line.replace(b"2026-", b"x026-")):
        with pytest.raises(ValueError):
            read_record(broken)
