"""All benchmarks in one run: what fails is named, what may not be published is shown and not written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from memoryd.bench.errors import BenchDataError
from memoryd.bench.everything import QUICK, Task, run_all, tasks_of
from memoryd.bench.manifest import FILE, DataSet
from memoryd.bench.table import Table
from memoryd.cli.frame import root


def quiet(_: str) -> None:
    """Show no progress."""


def table(title: str) -> Table:
    return Table(title, ["what", "much"], [["a", 0.5]], {"seed": 1})


def broken() -> Table:
    raise BenchDataError("no such\nfile")


TASKS = [
    Task("one", "router", lambda: table("First"), licence="MIT"),
    Task("two", "episodic", broken),
    Task("three", "episodic", lambda: table("Third"), is_published=False),
]


def test_what_fails_is_named_and_the_rest_is_measured() -> None:
    outcome = run_all(TASKS, progress=quiet)
    assert list(outcome.made) == ["one", "three"]
    assert outcome.failed == {"two": "no such file"}
    assert list(outcome.published()) == ["one"]
    assert "licence MIT" in outcome.published()["one"]
    assert "processors" in outcome.published()["one"]
    assert "not measured: two" in outcome.as_markdown()
    assert "Third" in outcome.as_markdown()
    said = json.loads(outcome.as_json())
    assert [(one["name"], one["published"]) for one in said["sections"]] == [("one", True), ("three", False)]
    assert said["sections"][0]["result"]["rows"] == [{"what": "a", "much": 0.5}]
    assert said["failed"] == {"two": "no such file"}


def test_each_measurement_is_told_at_once() -> None:
    told: list[list[str]] = []
    run_all(TASKS, progress=quiet, after=lambda so_far: told.append(list(so_far.made)))
    assert told == [["one"], ["one", "three"]]


def test_only_names_a_set_or_a_benchmark() -> None:
    assert list(run_all(TASKS, only=["router"], progress=quiet).made) == ["one"]
    assert list(run_all(TASKS, only=["three"], progress=quiet).made) == ["three"]
    with pytest.raises(BenchDataError, match="no nothing to measure"):
        run_all(TASKS, only=["nothing"], progress=quiet)


def test_what_needs_no_data_is_always_there(tmp_path: Path) -> None:
    sets = [DataSet("asked", "router", tmp_path), DataSet("links", "semantic", tmp_path)]
    assert [task.name for task in tasks_of([], sizes=QUICK, model=None, progress=quiet)] == [
        "semantic",
        "mixed",
        "speed",
        "hooks",
    ]
    names = [task.name for task in tasks_of(sets, sizes=QUICK, model=None, progress=quiet)]
    assert names == ["asked", "links", "mixed", "speed", "hooks"]


def test_the_command_writes_the_page_between_its_marks(tmp_path: Path) -> None:
    data, page = tmp_path / "data", tmp_path / "benchmarks.md"
    data.mkdir()
    rows = [{"query": "When did we rebase?", "label": "episodic"}, {"query": "What is our limit?", "label": "semantic"}]
    (data / "q.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (data / FILE).write_text(
        "".join(
            f'[[set]]\nname = "{name}"\nbench = "router"\npath = "q.jsonl"\npublish = "{publish}"\n'
            for name, publish in (("asked", "numbers"), ("secret", "nothing"))
        ),
        "utf-8",
    )
    page.write_text("# Numbers\n\nMine.\n", "utf-8")
    command = ["bench", "all", "--data", str(data), "--page", str(page), "--only", "router", "--model", "none"]

    outcome = CliRunner().invoke(root, [*command, "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert [one["name"] for one in json.loads(outcome.stdout)["sections"]] == ["asked", "secret"]
    written = page.read_text("utf-8")
    assert written.startswith("# Numbers\n\nMine.\n")
    assert "<!-- bench: asked " in written
    assert "secret" not in written
    assert "always semantic" in written

    nowhere = CliRunner().invoke(root, [*command[:4], "--page", str(tmp_path / "no" / "page.md")])
    assert nowhere.exit_code == 1
    assert "--page" in nowhere.output
