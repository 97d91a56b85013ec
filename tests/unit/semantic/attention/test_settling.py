"""A scope is brought within its budget, the same everywhere, and the record says how."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from semantic.attention.active import Pass
from semantic.errors import UnknownElement, WriteFailed
from semantic.model import Element
from semantic.store import SemanticStore
from semantic.testing import START, SteppingClock, open_store
from semantic.writing.recording import NewDecision

OURS, THEIRS = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
LATER = START + timedelta(days=30)
LIMIT = 100


def cost(element: Element) -> int:
    return len(element.gist)


def later(memory: Path, install: str = OURS) -> SemanticStore:
    """Open a store a month on, when nothing is new any more."""
    return open_store(memory, install, clock=SteppingClock(LATER))


def filled(memory: Path, count: int = 12, **fields: Any) -> SemanticStore:
    store = open_store(memory)
    for number in range(count):
        put = {"op": "put_element", "kind": "tool", "name": f"Thing {number} {'abcdefghijklmnop'[number] * 9}"}
        store.decide(NewDecision(f"Number {number}", "because", [put | {"gist": "x" * 10}], **fields))
    store.close()
    return later(memory)


def settle(store: SemanticStore, scope: Any = "user", project: str | None = None) -> Pass:
    return store.settle_active(scope, project, cost=cost, limit=LIMIT)


def lines(memory: Path, install: str = OURS) -> list[dict[str, Any]]:
    path = memory / "attention" / f"{install}.ndjson"
    return [orjson.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def test_what_is_too_much_is_archived_and_recorded_once_with_its_scores(tmp_path: Path) -> None:
    store = filled(tmp_path)
    passed = settle(store)
    assert passed.units == 80
    assert [step.op for step in passed.steps] == ["archive"] * 4
    recorded = lines(tmp_path)
    assert [(line["op"], tuple(line["ids"]), line["scores"]) for line in recorded] == [
        (step.op, step.ids, dict(step.scores)) for step in passed.steps
    ]
    assert {line["actor"] for line in recorded} == {"job:active"}
    assert {id_ for id_, one in store.attention().items() if one.archived} == {step.ids[0] for step in passed.steps}
    assert settle(store).steps == settle(later(tmp_path)).steps == ()
    assert lines(tmp_path) == recorded


def test_two_homes_with_one_truth_have_one_set(tmp_path: Path) -> None:
    store = filled(tmp_path / "one")
    read = store.elements()[0].id
    store.attend("read", [read], actor="agent")
    store.flush_attention()
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    ours, theirs = settle(store), settle(later(tmp_path / "other", THEIRS))
    assert ours.active == theirs.active
    assert ours.steps == theirs.steps
    assert ours.places == theirs.places
    # Each has recorded its moves; side by side they say the same, and leave nothing to do.
    shutil.copy(tmp_path / "other/attention" / f"{THEIRS}.ndjson", tmp_path / "one/attention")
    store.reconcile()
    again = settle(store)
    assert (again.steps, again.active) == ((), ours.active)


def test_many_at_once_record_each_move_once(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        passes = list(pool.map(lambda _: settle(store), range(8)))
    assert sorted(len(one.steps) for one in passes) == [0] * 7 + [4]
    assert len(lines(tmp_path)) == 4


def test_a_read_that_waits_to_be_written_counts(tmp_path: Path) -> None:
    store = filled(tmp_path)
    oldest = store.decision(store.projection().in_force[-1].id).elements[0]
    assert oldest in {step.ids[0] for step in settle(filled(tmp_path / "without")).steps}
    store.attend("read", [oldest], actor="agent", session="s")
    assert oldest not in {step.ids[0] for step in settle(store).steps}
    assert lines(tmp_path)[0]["op"] == "read"


def test_a_place_is_told_at_any_time_and_moves_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (some, *_) = store.elements()
    before = store.place_of(some.id, cost=cost, limit=LIMIT)
    assert (before.id, before.units, before.archived, before.pinned) == (some.id, 10, False, False)
    assert lines(tmp_path) == []
    passed = settle(store)
    for id_, place in passed.places.items():
        assert store.place_of(id_, cost=cost, limit=LIMIT).archived == place.archived
    gone = passed.steps[0].ids[0]
    store.attend("pin", [gone], actor="person")
    assert store.place_of(gone, cost=cost, limit=LIMIT).pinned
    assert not store.place_of(gone, cost=cost, limit=LIMIT).archived
    with pytest.raises(UnknownElement):
        store.place_of("el_" + "f" * 20, cost=cost)


def test_scopes_are_settled_apart(tmp_path: Path) -> None:
    store = filled(tmp_path, project="app")
    store.decide(NewDecision("mine", "because", [{"op": "put_element", "kind": "tool", "name": "Mine", "gist": "x"}]))
    (project,) = store.projects()
    assert settle(store).steps == ()
    assert len(settle(store).active) == 1
    assert len(settle(store, "project", project.id).steps) == 4
    assert settle(store, "project", "other-00000000").active == ()


def test_moves_that_cannot_be_written_did_not_happen(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (tmp_path / "attention" / f"{OURS}.ndjson").mkdir()
    with pytest.raises(WriteFailed):
        settle(store)
    assert not any(one.archived for one in store.attention().values())
