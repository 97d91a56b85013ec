from __future__ import annotations

import errno
import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from semantic.errors import InvalidDecision, WriteFailed
from semantic.log.event import Head, seal
from semantic.log.instant import write_instant
from semantic.log.reach import Reach
from semantic.log.shards import Draft, Log
from semantic.testing import START, SteppingClock

OURS, THEIRS = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


def draft(number: int = 0, project: str | None = None, kind: str = "decision", **body: Any) -> Draft:
    words = {"nonce": f"{number:032x}", "title": f"t{number}", "why": "w"}
    lists: dict[str, Any] = {"mutations": [], "evidence": [], "supersedes": [], "about": []}
    return Draft(kind, f"de_{number:024x}", words | lists | body, "person", None, project)


def opened(memory: Path, install: str = OURS, clock: SteppingClock | None = None) -> Log:
    log = Log(memory, install, clock or SteppingClock())
    log.open()
    return log


def shard(memory: Path, install: str = OURS) -> Path:
    return memory / "log" / "user" / f"{install}.ndjson"


def titles(log: Log) -> list[str]:
    return [event.body["title"] for event in log.events() if event.body is not None]


def reasons(log: Log) -> str:
    return "\n".join(f"{problem.path}: {problem.reason}" for problem in log.problems())


def filled(memory: Path, count: int = 4, install: str = OURS) -> Path:
    log = opened(memory, install)
    for number in range(count):
        log.append(draft(number))
    return shard(memory, install)


def test_each_shard_counts_from_one_and_chains(tmp_path: Path) -> None:
    log = opened(tmp_path)
    first, _ = log.append(draft(1))
    second, _ = log.append(draft(2))
    other, _ = log.append(draft(3, project="memoryd-9c1e22ab"))
    assert [(e.head.seq, e.head.prev) for e in (first, second, other)] == [(1, None), (2, first.hash), (1, None)]
    assert [e.head.lamport for e in (first, second, other)] == [1, 2, 3]
    assert (tmp_path / "log" / "projects" / "memoryd-9c1e22ab" / f"{OURS}.ndjson").is_file()
    assert (other.head.scope, other.head.project) == ("project", "memoryd-9c1e22ab")


def test_a_reopened_log_goes_on_where_the_shards_end(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    filled(tmp_path, 3, THEIRS)
    event, changed = opened(tmp_path).append(draft(9))
    assert (event.head.seq, event.head.lamport) == (3, 6)
    assert not changed


def test_what_a_killed_rewrite_left_goes_when_the_log_is_opened(tmp_path: Path) -> None:
    path = filled(tmp_path)
    left = path.with_name(f".{path.name}.0123456789ab.tmp")
    left.write_bytes(path.read_bytes())
    log = opened(tmp_path)
    assert not left.exists()
    assert (titles(log), log.notices()) == (["t0", "t1", "t2", "t3"], [])


def test_the_instant_never_goes_back(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    clock = SteppingClock(START - timedelta(hours=1))
    event, _ = opened(tmp_path, clock=clock).append(draft(9))
    # The first line is an hour ahead of this clock, so it is doubted and moves nothing.
    assert event.head.at < write_instant(START)
    close = SteppingClock(START - timedelta(minutes=5))
    event, _ = opened(tmp_path, clock=close).append(draft(10))
    assert event.head.at > write_instant(START)


def test_a_line_dated_ahead_is_used_and_named(tmp_path: Path) -> None:
    path = filled(tmp_path, 1)
    log = opened(tmp_path, clock=SteppingClock(START - timedelta(hours=1)))
    assert titles(log) == ["t0"]
    assert "dated ahead of the clock" in reasons(log)
    assert path.name in reasons(log)


def test_an_edited_line_is_named_and_not_used_and_the_rest_is(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"t1"', b'"tX"'))
    log = opened(tmp_path)
    assert titles(log) == ["t0", "t2", "t3"]
    assert reasons(log).count("\n") == 0
    assert "line 2: it was changed" in reasons(log)


def test_a_missing_line_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1] + lines[2:]))
    log = opened(tmp_path)
    assert titles(log) == ["t0", "t2", "t3"]
    assert "line 2 (seq 2): the lines before it are missing" in reasons(log)


def test_a_doubled_line_is_used_once_and_named(tmp_path: Path) -> None:
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[1], *lines[2:]]))
    log = opened(tmp_path)
    assert titles(log) == ["t0", "t1", "t2", "t3"]
    assert "there twice" in reasons(log)


def test_lines_out_of_order_are_used_in_order_and_named(tmp_path: Path) -> None:
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[2], lines[1], lines[3]]))
    log = opened(tmp_path)
    assert titles(log) == ["t0", "t1", "t2", "t3"]
    assert "out of order" in reasons(log)


def test_a_line_that_is_no_json_is_kept_and_appending_goes_on(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    path.write_bytes(path.read_bytes() + b"what is this\n")
    log = opened(tmp_path)
    event, _ = log.append(draft(7))
    assert event.head.seq == 4
    again = opened(tmp_path)
    assert titles(again) == ["t0", "t1", "t7"]
    assert b"what is this\n" in path.read_bytes()
    assert len(again.problems()) == 1


def test_one_fault_of_many_lines_is_one_problem(tmp_path: Path) -> None:
    path = filled(tmp_path, 6)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    log = opened(tmp_path)
    assert len(titles(log)) == 6
    assert reasons(log).startswith(f"log/user/{OURS}.ndjson: line 1, line 2, line 3 and 3 more: it was written anew")
    assert reasons(log).count("\n") == 0


def test_an_absurd_lamport_is_named_and_does_not_stop_the_count(tmp_path: Path) -> None:
    path = shard(tmp_path, THEIRS)
    path.parent.mkdir(parents=True)
    name, at = "de_" + "f" * 24, write_instant(START)
    head = Head(1, 1, 2**53 - 1, at, THEIRS, "person", None, "user", None, "decision", name, "", None)
    path.write_bytes(seal(head, draft(5).body)[1])
    log = opened(tmp_path)
    assert log.append(draft(6))[0].head.lamport == 1
    assert "lamport is absurd" in reasons(log)


def test_an_unfinished_line_of_ours_is_cut_and_reported(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[0][:40])
    log = opened(tmp_path)
    assert path.read_bytes() == whole
    assert "40 bytes were cut" in "".join(problem.reason for problem in log.notices())
    assert log.append(draft(3))[0].head.seq == 3


def test_a_whole_line_without_its_end_is_completed_not_cut(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    log = opened(tmp_path)
    assert path.read_bytes() == whole
    assert titles(log) == ["t0", "t1"]


def test_an_unfinished_line_of_another_install_is_waited_for(tmp_path: Path) -> None:
    path = filled(tmp_path, 2, THEIRS)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    log = opened(tmp_path)
    assert titles(log) == ["t0"]
    assert "unfinished" in reasons(log)
    assert path.read_bytes() == whole[:-30]
    path.write_bytes(whole)
    assert log.refresh()
    assert titles(log) == ["t0", "t1"]
    assert reasons(log) == ""


def test_a_shard_that_changed_under_us_is_read_again_before_the_next_line(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.append(draft(1))
    opened(tmp_path).append(draft(2))
    event, changed = log.append(draft(3))
    assert changed
    assert event.head.seq == 3
    assert titles(opened(tmp_path)) == ["t1", "t2", "t3"]
    assert opened(tmp_path).problems() == []


def test_a_conflict_copy_of_a_shard_adds_what_it_has_and_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    shutil.copy(path, path.with_name(f"{OURS}.sync-conflict-20261130.ndjson"))
    log = opened(tmp_path)
    assert titles(log) == ["t0", "t1"]
    assert "belongs to" in reasons(log)


def test_unknown_kinds_are_kept_chained_and_named(tmp_path: Path) -> None:
    log = opened(tmp_path)
    first, _ = log.append(draft(1, kind="weather"))
    second, _ = log.append(draft(2))
    assert second.head.prev == first.hash
    again = opened(tmp_path)
    assert len(again.events()) == 2
    assert "kind 'weather'" in reasons(again)


def test_purge_sets_bodies_to_null_in_every_shard(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    filled(tmp_path, 2, THEIRS)
    log = opened(tmp_path)
    forgotten = Reach({f"de_{1:024x}": frozenset({None})})
    assert log.purge(forgotten) == 2
    assert log.purge(forgotten) == 0
    assert titles(log) == ["t0", "t0"]
    for install in (OURS, THEIRS):
        lines = shard(tmp_path, install).read_bytes().splitlines()
        assert orjson.loads(lines[1])["body"] is None
        assert b"t1" not in lines[1]
    assert opened(tmp_path).problems() == []


def test_a_failed_write_records_nothing_and_the_next_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = opened(tmp_path)
    log.append(draft(1))

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(WriteFailed):
            log.append(draft(2))
    event, _ = log.append(draft(3))
    assert event.head.seq == 2
    assert titles(opened(tmp_path)) == ["t1", "t3"]


def test_a_body_without_canonical_form_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    log = opened(tmp_path)
    with pytest.raises(InvalidDecision):
        log.append(draft(1, weight=0.5))
    assert shard(tmp_path).read_bytes() == b""


def test_an_unreadable_shard_is_named(tmp_path: Path) -> None:
    shard(tmp_path, THEIRS).mkdir(parents=True)
    log = opened(tmp_path)
    assert "cannot be read" in reasons(log)
    assert log.append(draft(1))[0].head.seq == 1
