"""The shipped evaluation, run whole on a data set of a few turns."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memoryd.bench.corpus import Corpus, Dialogue, Question, Turn
from memoryd.bench.episodic import run_episodic
from memoryd.cli.frame import root

SETTINGS = {"MEMORYD_EMBEDDING__MODEL": "none", "MEMORYD_ENGINE__KIND": "exact"}
AT = datetime(2024, 3, 1, 9, tzinfo=UTC)


def corpus() -> Corpus:
    dialogues = []
    for name in ("one", "two"):
        texts = [f"Ann: number {n} of the {name} lot" for n in range(6)]
        texts[2] = f"Ann: the {name} falcon nests in the tower"
        turns = [
            Turn(f"{name}{n}", text, AT + timedelta(days=n // 3, seconds=n), f"{name}-{n // 3}")
            for n, text in enumerate(texts)
        ]
        dialogues.append(Dialogue(name, tuple(turns)))
    questions = tuple(
        Question(name, "Where does the falcon nest?", "where", (f"{name}2",), (f"{name}-0",)) for name in ("one", "two")
    )
    return Corpus("made", tuple(dialogues), questions)


@pytest.mark.parametrize("over_rest", [False, True])
@pytest.mark.parametrize("pooled", [False, True])
def test_it_finds_what_there_is_whichever_way_it_was_written(tmp_path: Path, *, over_rest: bool, pooled: bool) -> None:
    report = run_episodic(
        corpus(), over_rest=over_rest, pooled=pooled, home=tmp_path / "h", settings=SETTINGS, progress=lambda _: None
    )

    tables = {table["title"].split(",")[0]: table["rows"] for table in json.loads(report.as_json())["tables"]}
    assert [row["arms"] for row in tables["Turns"]] == [
        r"floor: plain BM25 (\w+)",
        "BM25 alone",
        "as shipped, the router choosing the store",
        "BM25 and context, as shipped",
    ]
    assert all(row["recall@5"] == 1.0 for row in tables["Turns"])
    assert all(row["MRR@20"] == (0.75 if pooled else 1.0) for row in tables["Turns"])
    assert all(row["any@1"] >= 0.5 for row in tables["Sessions"])
    assert report.facts["turns"] == 12
    sizes = {row["figure"]: row["value"] for row in tables["Indexing and size"]}
    assert sizes["pieces (rows of an index collection)"] == "12"
    assert int(sizes["bytes of the journal"]) > 0


def test_a_home_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    data, home = tmp_path / "d.json", tmp_path / "home"
    data.write_text("[]", "utf-8")
    home.mkdir()
    (home / "mine").write_text("x", "utf-8")

    outcome = CliRunner().invoke(root, ["bench", "episodic", str(data), "--home", str(home)])
    assert outcome.exit_code == 1
    assert "not empty" in outcome.output
    assert [path.name for path in home.iterdir()] == ["mine"]


def test_data_in_no_format_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    data = tmp_path / "d.json"
    data.write_text("[]", "utf-8")

    outcome = CliRunner().invoke(root, ["bench", "episodic", str(data)])
    assert outcome.exit_code == 1
    assert "d.json" in outcome.output
