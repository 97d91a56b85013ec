"""The benchmark of the router: labelled questions, baselines beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.bench.errors import BenchDataError
from memoryd.bench.router import run_router

ROWS = [
    {"query": "When did we rebase?", "label": "episodic"},
    {"query": "What is our retention period?", "label": "semantic"},
    {"query": "Why did we drop queues?", "label": "both", "hard": True},
    {"query": "When should one rebase?", "label": "semantic", "hard": True},
]


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_the_router_stands_beside_its_baselines(tmp_path: Path) -> None:
    table = run_router(write(tmp_path / "q.jsonl", *ROWS))
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["the router's cues"]["exact"] == 1.0
    assert rows["one regular expression"]["exact"] == 0.5
    assert rows["one regular expression"]["exact without hard"] == 1.0
    assert (rows["always both"]["no loss"], rows["always both"]["answered both"]) == (1.0, 1.0)
    assert table.facts["questions"] == 4
    assert "by cues" not in table.as_markdown()


@pytest.mark.parametrize("row", [{"query": "x"}, {"query": "x", "label": "elsewhere"}, []])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, row: object) -> None:
    with pytest.raises(BenchDataError, match=r"q\.jsonl:2"):
        run_router(write(tmp_path / "q.jsonl", ROWS[0], row))


def test_no_questions_are_said(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="no questions"):
        run_router(write(tmp_path / "q.jsonl"))
