"""The figures of a benchmark, against counts made by hand."""

from __future__ import annotations

import json

import pytest

from memoryd.bench.asking import Run
from memoryd.bench.episodic import Filling, tables_of
from memoryd.bench.table import Report, Table
from memoryd.bench.tally import Tally, difference, interval


def tally() -> Tally:
    figures = Tally((1, 2, 3))
    figures.add(["a", "b"], ["x", "a", "b"], kind="two")
    figures.add(["c"], ["c", "c", "x"], kind="one")
    figures.add(["d"], ["x", "y"], kind="one")
    figures.add([], ["x"], kind="none")
    return figures


def test_counts() -> None:
    figures = tally()
    assert len(figures) == 3
    assert figures.kinds == ["two", "one", "one"]
    assert [figures.recalls(depth) for depth in (1, 2, 3)] == [[0, 1, 0], [0.5, 1, 0], [1, 1, 0]]
    assert [figures.any_found(depth) for depth in (1, 2, 3)] == [[0, 1, 0], [1, 1, 0], [1, 1, 0]]
    assert [figures.all_found(depth) for depth in (1, 2, 3)] == [[0, 1, 0], [0, 1, 0], [1, 1, 0]]
    assert figures.mean_reciprocal_rank == pytest.approx((0.5 + 1 + 0) / 3)


def test_what_is_found_twice_takes_one_place() -> None:
    figures = Tally((2,))
    figures.add(["b"], ["a", "a", "b"])
    assert figures.recalls(2) == [1.0]
    assert figures.reciprocal_ranks == [0.5]


def test_nothing_asked_is_no_division_by_zero() -> None:
    empty = Tally((1,))
    assert empty.mean_reciprocal_rank == 0.0
    assert interval(empty.recalls(1), seed=1) == "0.000 to 0.000"


def test_a_difference_is_paired() -> None:
    ours, theirs = [1.0, 0.0, 1.0, 1.0] * 20, [0.0, 0.0, 1.0, 1.0] * 20
    change, bounds = difference(ours, theirs, seed=1)
    assert change == pytest.approx(0.25)
    low, high = (float(edge) for edge in bounds.split(" to "))
    assert 0.1 < low < 0.25 < high < 0.4
    assert difference(ours, ours, seed=1) == (0.0, "+0.000 to +0.000")
    with pytest.raises(ValueError, match="zip"):
        difference(ours, theirs[1:], seed=1)


def run(name: str, *, sessions: bool = True, turns: bool = True) -> Run:
    made = Run(name, took_ms=[900.0, 10.0, 20.0])
    for number in range(3):
        made.turns.add(["t1"] if turns else [], [f"t{number}", "t1"], kind="easy")
        made.sessions.add(["s1"] if sessions else [], ["s1"], kind="easy")
    return made


FILLING = Filling("day files", 1.0, 2.0, 10, 1000, 5000)


def test_tables_name_each_way_and_keep_the_cold_question_apart() -> None:
    tables = {table.title.split(",")[0]: table for table in tables_of([run("floor"), run("shipped")], FILLING)}
    assert list(tables) == [
        "Turns",
        "Sessions",
        "As shipped minus each other",
        "shipped",
        "Milliseconds a question over REST",
        "Indexing and size",
    ]
    assert [row[0] for row in tables["Turns"].rows] == ["floor", "shipped"]
    assert tables["As shipped minus each other"].rows == [["floor", "+0.000", "+0.000 to +0.000"]]
    assert tables["shipped"].rows[0][:3] == ["easy", 3, 1.0]
    assert tables["Milliseconds a question over REST"].rows[0][1:3] == ["900.0", "15.0"]
    assert ["rows a second", "5.0"] in list(tables["Indexing and size"].rows)


def test_notes_have_no_sessions_and_some_histories_no_marked_turns() -> None:
    assert all("Sessions" not in table.title for table in tables_of([run("a", sessions=False)] * 2, FILLING))
    by_session = tables_of([run("a", turns=False)] * 2, FILLING)
    assert any("session any@5" in table.title for table in by_session)


def test_a_report_is_markdown_and_json() -> None:
    report = Report("Title", [Table("One", ["a", "b"], [["x", 0.5]])], {"seed": 7})
    assert report.as_markdown() == "## Title\n\nseed 7\n\n### One\n\n| a | b |\n| --- | --- |\n| x | 0.500 |\n"
    assert json.loads(report.as_json()) == {
        "title": "Title",
        "facts": {"seed": 7},
        "tables": [{"title": "One", "rows": [{"a": "x", "b": 0.5}], "facts": {}}],
    }
