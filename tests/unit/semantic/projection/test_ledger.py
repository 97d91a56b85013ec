from __future__ import annotations

import threading
from pathlib import Path

from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision


def test_parallel_writers_lose_nothing_and_readers_see_whole_pictures(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    failures: list[BaseException] = []
    done = threading.Event()

    def write(worker: int) -> None:
        try:
            for number in range(12):
                name = f"thing {worker:02d} {number:02d}"
                store.decide(NewDecision(f"put {name}", "w", [{"op": "put_element", "kind": "tool", "name": name}]))
        except BaseException as error:  # noqa: BLE001 -- handed to the main thread, which fails on it
            failures.append(error)

    def read() -> None:
        while not done.is_set():
            picture = store.projection()
            if picture.events != len(picture.decisions) or len(picture.elements) != len(picture.decisions):
                failures.append(AssertionError("a picture between two states"))

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(6)]
    reader.start()
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    done.set()
    reader.join()
    assert failures == []
    assert len(store.projection().decisions) == 72
    again = open_store(tmp_path)
    assert again.problems() == []
    assert again.export() == store.export()


def test_a_read_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.decide(NewDecision("first", "w"))
    holding, release, seen = threading.Event(), threading.Event(), []

    def hold() -> None:
        with store._ledger.writing:
            holding.set()
            release.wait(20)

    writer = threading.Thread(target=hold)
    writer.start()
    assert holding.wait(20)
    reader = threading.Thread(target=lambda: seen.append(len(store.projection().decisions)))
    reader.start()
    reader.join(20)
    release.set()
    writer.join()
    assert seen == [1]


def test_lines_from_elsewhere_that_sort_earlier_are_replayed_in_their_place(tmp_path: Path) -> None:
    ours, theirs = open_store(tmp_path / "one"), open_store(tmp_path / "other", "000000000000", clock=SteppingClock())
    put = {"op": "put_element", "kind": "tool", "name": "X"}
    theirs.decide(NewDecision("theirs", "w", [{**put, "gist": "theirs"}]))
    for number in range(3):
        ours.decide(NewDecision(f"ours {number}", "w", [{**put, "gist": f"ours {number}"}]))
    shard = tmp_path / "other/log/user/000000000000.ndjson"
    (tmp_path / "one/log/user/000000000000.ndjson").write_bytes(shard.read_bytes())
    ours.refresh([tmp_path / "one/log/user/000000000000.ndjson"])
    (element,) = ours.projection().elements.values()
    assert element.gist == "ours 2"
    assert len(element.heads) == 2
    assert open_store(tmp_path / "one").export() == ours.export()


def test_a_shard_that_vanishes_takes_its_decisions_along(tmp_path: Path) -> None:
    open_store(tmp_path, "bbbbbbbbbbbb").decide(NewDecision("theirs", "w"))
    store = open_store(tmp_path)
    store.decide(NewDecision("ours", "w"))
    path = tmp_path / "log/user/bbbbbbbbbbbb.ndjson"
    path.unlink()
    store.refresh([path])
    assert [one.title for one in store.projection().decisions.values()] == ["ours"]
