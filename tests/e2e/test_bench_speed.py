"""``bench speed`` at a size that takes seconds: every number is there, and nothing is left behind."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from memoryd.bench.speed import run_speed

WANTED = {
    "recall over REST",
    "bare engine, both",
    "recall over the two bare searches",
    "recall, one day",
    "recall over REST, with the embedding",
    "append",
    "recall over REST, 5 fresh rows",
    "start until it answers",
    "memory of the daemon",
    "memory of the engine",
    "engine on disk",
    "numpy, vectors",
    "exact engine, words (BM25 over SQLite)",
}


def test_every_number_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told: list[str] = []

    table = run_speed(chunks=120, dimension=8, questions=10, fresh=5, seed=3, model="e5-small", progress=told.append)

    values = {row[0]: row[1] for row in table.rows}
    assert set(values) >= WANTED
    assert all(values[name] > 0 for name in WANTED)
    assert (table.facts["chunks"], table.facts["seed"]) == (120, 3)
    assert told
    assert list(tmp_path.iterdir()) == []
