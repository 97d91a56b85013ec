"""The picture is a function of the set of events: files may arrive in any order, whole or line by line."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic.log.event import read_line
from semantic.log.reach import reach_of
from semantic.projection.replay import Replay
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

INSTALLS = ("aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc")


def thing(name: str) -> dict[str, str]:
    return {"kind": "tool", "name": name}


def written(memory: Path) -> SemanticStore:
    """Let three installs write in turn, each seeing what the ones before wrote, and two of them apart at the end."""
    clock = SteppingClock()
    for number, install in enumerate((*INSTALLS, INSTALLS[0])):
        store = open_store(memory, install, clock=clock)
        put = [{"op": "put_element", **thing(name), "gist": f"{number}"} for name in ("Alpha", "Beta")]
        link = {"op": "add_link", "from": thing("Alpha"), "rel": f"r{number % 2}", "to": thing("Beta")}
        store.decide(NewDecision(f"round {number}", "w", [*put, link], project="app" if number % 2 else None))
    apart = [open_store(memory, install, clock=clock) for install in INSTALLS[:2]]
    for store in apart:
        store.decide(NewDecision("apart", "w", [{"op": "set_prop", "id": thing("Alpha"), "key": "k", "value": 1}]))
        store.decide(NewDecision("same", "w", [{"op": "merge", "ids": [thing("Alpha"), thing("Beta")]}]))
    gone = apart[1].decide(NewDecision("gone", "w"))
    apart[1].forget([gone.id])
    return open_store(memory, INSTALLS[2], clock=clock)


@cache
def whole() -> tuple[bytes, dict[Path, bytes]]:
    """Return the export of the complete log, and the shards by their path."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder)
        export = written(memory).export()
        return export, {path.relative_to(memory): path.read_bytes() for path in sorted(memory.rglob("*.ndjson"))}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_files_that_arrive_in_any_order_and_in_parts_give_the_same_bytes(data: st.DataObject) -> None:
    export, shards = whole()
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder)
        store = open_store(memory, "dddddddddddd")
        for relative in data.draw(st.permutations(sorted(shards))):
            path, complete = memory / relative, shards[relative]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(complete[: data.draw(st.integers(0, len(complete)))])
            store.refresh([path])
            path.write_bytes(complete)
            store.refresh([path])
        assert store.export() == export
        assert store.problems() == []


@given(st.integers(0, 20))
def test_a_replay_that_pauses_for_pictures_ends_at_the_same_picture(pause: int) -> None:
    lines = [line for data in whole()[1].values() for line in data.splitlines()]
    assert len(lines) > 10
    events = sorted((read_line(line).event for line in lines), key=lambda event: event.order)
    straight, paused = Replay(reach_of(events)), Replay(reach_of(events))
    for index, event in enumerate(events):
        straight.apply(event)
        paused.apply(event)
        if index >= pause:
            paused.freeze()
    assert straight.freeze() == paused.freeze()
