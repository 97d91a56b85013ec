"""The exact engine's file is damaged or taken away while it serves: it is named, and filled anew by itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from episodic.store import EpisodicQuery
from episodic.testing import WordEmbedder, embed_all, found, make_store, new

SOON_S = 20.0


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def delete(file: Path) -> None:
    for path in file.parent.glob("exact.db*"):
        path.unlink()


def empty(file: Path) -> None:
    os.truncate(file, 0)


def overwrite(file: Path) -> None:
    for path in file.parent.glob("exact.db*"):
        with path.open("r+b") as opened:
            opened.write(b"\xff" * path.stat().st_size)


@pytest.mark.parametrize("lose", [delete, empty, overwrite], ids=lambda lose: lose.__name__)
def test_it_is_filled_anew(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    store = make_store(tmp_path, rests_s=(0.01,))
    store.open()
    store.reconcile()
    embedder = WordEmbedder()
    for number in range(100):
        store.append(new(f"the walrus {number} sleeps"))
    embed_all(store, embedder)
    lose(tmp_path / "state" / "exact.db")
    answer = store.search(EpisodicQuery("walrus"), embedder)
    assert answer.hits or answer.degraded
    assert store.append(new("an otter wakes")).created
    assert soon(lambda: not store.degraded())
    assert soon(lambda: not store.counts().pending)
    assert found(store, "otter") == ["an otter wakes"]
    assert len(found(store, "walrus")) == 10
    embed_all(store, embedder)
    assert store.verify() == []
    store.close()
