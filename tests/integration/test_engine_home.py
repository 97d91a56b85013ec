"""The engine needs nothing of the user's home folder: where that is read-only, it searches as anywhere else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from episodic.engine.milvus import MilvusEngine
from episodic.testing import WordEmbedder, embed_all, found, make_store, new


def test_nothing_is_written_into_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, place = tmp_path / "home", tmp_path / "memory"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    database = place / "state" / "episodic.db"
    # A socket's path is short: not every folder of a test is.
    with TemporaryDirectory() as runtime:
        store = make_store(place, engine_factory=lambda: MilvusEngine.local(database, runtime=Path(runtime) / "rt"))
        store.open()
        store.reconcile()
        try:
            store.append(new("the walrus sleeps"))
            embed_all(store, WordEmbedder())
            assert found(store, "walrus") == ["the walrus sleeps"]
            assert store.degraded() == []
        finally:
            store.close()
    assert list(home.rglob("*")) == []
