"""The database file of a real Milvus Lite whose rows are hidden by the clock, or that is taken away while it serves.

The clock of the child cannot be set here. A file written "an hour ahead" of a clock that is passed in stands for it:
what the engine does about it is the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from episodic.engine import connection
from episodic.engine.milvus import MilvusEngine
from episodic.engine.stamp import Stamps
from episodic.store import EpisodicQuery, EpisodicStore
from episodic.testing import WordEmbedder, embed_all, found, make_store, new

SOON_S = 20.0


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Wall:
    """The machine's clock, and by how much somebody has set it."""

    def __init__(self) -> None:
        self.set_by_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.set_by_s


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    made = Wall()
    monkeypatch.setattr(connection, "Stamps", partial(Stamps, wall=made))
    return made


@pytest.fixture
def store(tmp_path: Path, wall: Wall) -> Iterator[EpisodicStore]:
    made = opened(tmp_path)
    yield made
    made.close()


def opened(home: Path) -> EpisodicStore:
    database = home / "state" / "episodic.db"
    made = make_store(home, engine_factory=lambda: MilvusEngine.local(database, runtime=home / "rt"))
    made.open()
    made.reconcile()
    return made


def serves_all(store: EpisodicStore, embedder: WordEmbedder) -> bool:
    answer = store.search(EpisodicQuery("walrus"), embedder)
    return len(answer.hits) == 2 and not store.degraded() and not store.counts().pending


def test_a_clock_that_is_set_back_hides_nothing(store: EpisodicStore, wall: Wall) -> None:
    embedder = WordEmbedder()
    for name in ("one", "two"):
        store.append(new(f"the walrus {name} sleeps"))
    embed_all(store, embedder)
    assert serves_all(store, embedder)

    wall.set_by_s = -3_600
    answer = store.search(EpisodicQuery("walrus"), embedder)
    assert any("the clock was set back by 3" in reason for reason in answer.degraded)
    assert soon(lambda: serves_all(store, embedder))
    assert store.count_wanting(embedder.fingerprint) == 2
    embed_all(store, embedder)
    assert store.verify() == []

    wall.set_by_s = 0
    assert serves_all(store, embedder)
    assert store.verify() == []


def test_rows_of_the_future_are_not_served_by_the_next_start(tmp_path: Path, wall: Wall) -> None:
    store = opened(tmp_path)
    store.append(new("the walrus sleeps"))
    store.close()
    wall.set_by_s = -3_600
    store = opened(tmp_path)
    try:
        assert found(store, "walrus") == ["the walrus sleeps"]
        assert store.verify() == []
        assert not list((tmp_path / "state").glob("*.broken*"))
    finally:
        store.close()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_taken_away_is_missed(store: EpisodicStore, tmp_path: Path, *, is_replaced: bool) -> None:
    store.append(new("the walrus sleeps"))
    database = tmp_path / "state" / "episodic.db"
    if is_replaced:
        other = tmp_path / "other.db"
        other.write_bytes(b"not a database")
        os.replace(other, database)  # noqa: PTH105 - what a copying tool does
    else:
        database.unlink()
    answer = store.search(EpisodicQuery("walrus"), None)
    assert answer.hits or any("removed or replaced" in reason for reason in answer.degraded)
    assert soon(lambda: found(store, "walrus") == ["the walrus sleeps"])
    assert database.is_file()
    assert store.verify() == []
