"""Our own shard is taken away, cut or replaced while it is held, or between two starts."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from semantic.errors import WriteFailed
from semantic.log import custody
from semantic.log.event import Head, purged_line, seal
from semantic.log.instant import write_instant
from semantic.log.shard import LAMPORT_SLACK
from semantic.log.shards import Log
from semantic.testing import START, SteppingClock, open_store
from semantic.writing.recording import NewDecision
from tests.unit.semantic.log.test_shards import OURS, THEIRS, draft, filled, opened, reasons, shard, titles


def notices(log: Log) -> str:
    return "\n".join(f"{one.path}: {one.reason}" for one in log.notices())


def set_aside(memory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((memory / "log" / custody.FOLDER).glob("*")))


@pytest.mark.parametrize("is_seen_first", [True, False])
@pytest.mark.parametrize("harm", ["deleted", "emptied", "cut", "replaced"])
def test_lines_of_ours_that_vanish_are_written_back(tmp_path: Path, harm: str, *, is_seen_first: bool) -> None:
    log = opened(tmp_path)
    for number in range(3):
        log.append(draft(number))
    path = shard(tmp_path)
    whole = path.read_bytes()
    match harm:
        case "deleted":
            path.unlink()
        case "emptied":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(whole[:-20])
        case _:
            path.write_bytes(b"something else\n" + whole.splitlines(keepends=True)[1])
    if is_seen_first:
        assert not log.refresh()
        assert path.read_bytes() == whole
    event, _ = log.append(draft(9))
    assert event.head.seq == 4
    assert titles(log) == ["t0", "t1", "t2", "t9"]
    assert path.read_bytes().startswith(whole)
    again = opened(tmp_path)
    assert titles(again) == titles(log)
    assert again.problems() == []
    assert "had vanished from it and were written back" in notices(log)
    if harm == "replaced":
        assert set_aside(tmp_path) == b"something else\n"
        assert custody.FOLDER in notices(log)


def test_the_whole_folder_of_the_log_may_vanish(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    store = open_store(memory)
    store.decide(NewDecision("kept", "w", [{"op": "put_element", "kind": "tool", "name": "ruff"}], project="app"))
    export = store.export()
    (memory / "log").rename(tmp_path / "elsewhere")
    store.refresh([memory / "log"])
    assert store.export() == export
    store.decide(NewDecision("more", "w"))
    assert open_store(memory).export() == store.export()


def test_an_edited_line_is_put_right_and_the_edit_is_set_aside(tmp_path: Path) -> None:
    path = filled(tmp_path)
    log = opened(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"t1"', b'"by hand"'))
    assert not log.refresh()
    assert path.read_bytes() == whole
    assert b'"by hand"' in set_aside(tmp_path)
    assert titles(log) == ["t0", "t1", "t2", "t3"]


def test_damage_that_stood_in_the_file_before_stays_in_it(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    path.write_bytes(path.read_bytes() + b"what is this\n")
    log = opened(tmp_path)
    log.append(draft(7))
    before = path.read_bytes()
    path.unlink()
    log.refresh()
    assert path.read_bytes() == before


def test_a_line_that_was_purged_elsewhere_stays_purged(tmp_path: Path) -> None:
    path = filled(tmp_path, 3)
    log = opened(tmp_path)
    lines = path.read_bytes().splitlines()
    path.write_bytes(purged_line(lines[1]) + b"\n")
    log.refresh()
    assert orjson.loads(path.read_bytes().splitlines()[1])["body"] is None
    assert titles(log) == ["t0", "t2"]


def test_what_cannot_be_written_back_is_held_and_nothing_more_is_recorded(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    log = opened(tmp_path)
    path.unlink()
    path.mkdir()
    log.refresh()
    assert titles(log) == ["t0", "t1"]
    assert "held in memory" in notices(log)
    with pytest.raises(WriteFailed):
        log.append(draft(5))
    path.rmdir()
    assert log.append(draft(5))[0].head.seq == 3
    assert titles(opened(tmp_path)) == ["t0", "t1", "t5"]
    assert "held in memory" not in notices(log)


def test_a_memory_that_is_not_mounted_is_not_written_to(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    filled(memory, 2)
    log = opened(memory)
    memory.rename(tmp_path / "away")
    log.refresh()
    assert not memory.exists()
    assert titles(log) == ["t0", "t1"]
    assert "is not there" in notices(log)
    with pytest.raises(WriteFailed, match="is not there"):
        log.append(draft(5))
    (tmp_path / "away").rename(memory)
    log.refresh()
    assert notices(log) == ""


@pytest.mark.parametrize("install", [OURS, THEIRS])
def test_a_shard_that_is_gone_at_the_next_start_is_named(tmp_path: Path, install: str) -> None:
    ends = tmp_path / "state" / "ends"
    writer = Log(tmp_path, install, SteppingClock(), ends)
    writer.open()
    tip = [writer.append(draft(number))[0].hash for number in range(3)][-1]
    writer.append(draft(8, project="memoryd-9c1e22ab"))
    shard(tmp_path, install).unlink()
    log = Log(tmp_path, OURS, SteppingClock(), ends)
    log.open()
    assert f"log/user/{install}.ndjson: it ended at seq 3 when it was last seen and is not there now" in notices(log)
    assert notices(log).count("\n") == 0
    event, _ = log.append(draft(9))
    if install == OURS:
        assert (event.head.seq, event.head.prev) == (4, tip)
        again = Log(tmp_path, OURS, SteppingClock(), ends)
        again.open()
        assert "the lines before it are missing" in reasons(again)
    else:
        assert event.head.seq == 1


def test_without_a_memory_of_ends_nothing_is_missed(tmp_path: Path) -> None:
    filled(tmp_path, 2).unlink()
    assert notices(opened(tmp_path)) == ""


def test_a_torn_end_is_set_aside(tmp_path: Path) -> None:
    path = filled(tmp_path, 2)
    torn = path.read_bytes().splitlines()[0][:40]
    path.write_bytes(path.read_bytes() + torn)
    log = opened(tmp_path)
    assert set_aside(tmp_path) == torn
    assert "40 bytes were cut and set aside in set-aside/user." in notices(log)


def test_forgetting_reaches_what_was_set_aside(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    kept = store.decide(NewDecision("kept", "w"))
    gone = store.decide(NewDecision("gone for good", "w"))
    path = tmp_path / "log" / "user" / "aaaaaaaaaaaa.ndjson"
    path.write_bytes(path.read_bytes().replace(b'"w"', b'"edited"') + b'{"body":{"title":"gone for')
    store.refresh([path])
    assert b"edited" in set_aside(tmp_path)
    store.forget([gone.id])
    held = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert b"gone for" not in held
    assert b"edited" in set_aside(tmp_path)
    assert kept.id in store.projection().decisions


@pytest.mark.parametrize("lamport", [2**48 - 2, 2**53 - 1, LAMPORT_SLACK + 10])
def test_a_lamport_far_ahead_moves_no_clock_of_ours(tmp_path: Path, lamport: int) -> None:
    path = shard(tmp_path, THEIRS)
    path.parent.mkdir(parents=True)
    name, at = "de_" + "f" * 24, write_instant(START)
    head = Head(1, 1, lamport, at, THEIRS, "person", None, "user", None, "decision", name, "", None)
    path.write_bytes(seal(head, draft(5).body)[1])
    log = opened(tmp_path)
    assert [log.append(draft(number))[0].head.lamport for number in (6, 7)] == [1, 2]
    assert titles(log) == ["t6", "t7", "t5"]
    assert "lamport is absurd" in reasons(log)
    assert f"`memoryd forget {name}`" in reasons(log)


def test_what_sorts_last_for_ever_is_named_and_can_be_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    put = {"op": "put_element", "kind": "tool", "name": "Milvus", "gist": "first"}
    (element,) = store.decide(NewDecision("one", "w", [put])).elements
    stranger = shard(tmp_path, THEIRS)
    name, at = "de_" + "f" * 24, write_instant(START)
    head = Head(1, 1, 2**50, at, THEIRS, "person", None, "user", None, "decision", name, "", None)
    change = {"op": "put_element", "id": element, "kind": "tool", "name": "Milvus", "gist": "for ever"}
    body = {"title": "t", "why": "w", "mutations": [change], "evidence": [], "supersedes": [], "about": []}
    stranger.write_bytes(seal(head, body | {"nonce": "0" * 32})[1])
    store.reconcile()
    done = store.decide(NewDecision("two", "w", [put | {"gist": "second"}]))
    assert store.element(element).gist == "for ever"
    assert [f"`memoryd forget {name}`" in one for one in (*done.warnings, *store.problems())] == [True, True]
    store.forget([name])
    for one in (store, open_store(tmp_path)):
        assert one.element(element).gist == "second"
        assert one.problems() == []
        assert one.heads(element)[0].id == done.id


def test_an_id_that_is_none_is_kept_chained_and_named(tmp_path: Path) -> None:
    log = opened(tmp_path)
    odd = draft(1)
    log.append(type(odd)("decision", "de_<script>", odd.body, odd.actor))
    second, _ = log.append(draft(2))
    store = open_store(tmp_path)
    assert second.head.seq == 2
    assert [one.title for one in store.projection().decisions.values()] == ["t2"]
    assert store.problems() == [f"log/user/{OURS}.ndjson: seq 1: its id is none of a decision; it is not used"]
    assert b"<script>" in shard(tmp_path).read_bytes()
