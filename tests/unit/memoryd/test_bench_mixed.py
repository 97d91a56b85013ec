"""The made-up year: what it holds, how it lies in a home, and what is judged of an answer."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from episodic.testing import make_store
from memoryd.bench.mixed import Home, _is_right_then, _names, _stale, lay_year
from memoryd.bench.year import Year, make_year
from semantic.testing import open_store

SEED = 7


def hit(id_: str, **fields: Any) -> dict[str, Any]:
    return {"id": id_, "kind": "decision", "title": "", "text": "", "at": None, "sources": []} | fields


def test_a_year_is_the_same_from_the_same_seed_and_asks_enough() -> None:
    year = make_year(SEED)
    assert make_year(SEED) == year
    assert make_year(SEED + 1) != year
    assert len(year.questions) >= 300
    keys = {one.key for one in year.entries} | {one.key for one in year.decisions} | {one.key for one in year.notes}
    assert len(keys) == len(year.entries) + len(year.decisions) + len(year.notes)
    assert all(one.wanted <= keys for one in year.questions)
    assert sum(not one.wanted for one in year.questions) >= 20
    assert sum(one.as_of is not None for one in year.questions) >= 50


def test_each_value_is_replaced_by_the_next() -> None:
    year = make_year(SEED)
    queue = [one for one in year.decisions if one.subject == "message queue"]
    assert [one.value for one in queue] == ["RabbitMQ", "NATS", "Redis Streams"]
    assert year.value_of("message queue", None) == "Redis Streams"
    assert year.value_of("message queue", queue[1].at) == "RabbitMQ"
    assert year.value_of("message queue", queue[0].at) is None


def test_it_lies_in_a_home_as_both_memories_read_it(tmp_path: Path) -> None:
    year = make_year(SEED)
    laid = lay_year(tmp_path, year)
    journal = make_store(tmp_path)
    journal.open()
    journal.reconcile()
    assert {journal.get(laid.ids[one.key]).text.strip() for one in year.entries[:20]} == {
        one.text for one in year.entries[:20]
    }
    journal.close()
    graph = open_store(tmp_path / "memory", "bbbbbbbbbbbb")
    standing = {one.title for one in graph.projection().in_force}
    assert "The message queue is Redis Streams" in standing
    assert "The message queue is NATS" not in standing
    assert len(graph.projection().elements) == len(laid.elements)
    graph.close()


def small() -> tuple[Year, Home]:
    year = make_year(SEED)
    home = Home()
    for one in year.decisions:
        home.ids[one.key] = one.key
        home.states[one.key] = (one.subject, one.value)
    home.elements["el_queue"] = "message queue"
    return year, home


def test_what_was_replaced_has_to_be_marked() -> None:
    year, home = small()
    now = next(one for one in year.questions if one.kind == "current" and one.subject == "message queue")
    old, new = "decision 0.0", "decision 0.2"
    assert list(_stale(year, home, now, [hit(new), hit(old), hit(old, superseded_by="de_1")])) == [False, True, False]
    stale_element = hit("el_queue", kind="element", title="message queue", text="NATS")
    assert list(_stale(year, home, now, [stale_element])) == [True]
    then = next(one for one in year.questions if one.as_of is not None and one.subject == "message queue")
    assert list(_stale(year, home, then, [hit(old)])) == [False]


def test_an_answer_as_of_a_day_is_that_of_the_day() -> None:
    year, home = small()
    then = next(one for one in year.questions if one.as_of is not None and one.subject == "message queue")
    assert then.as_of is not None
    later = (then.as_of + timedelta(days=1)).isoformat()
    assert _is_right_then(year, home, then, [hit("decision 0.0"), hit("decision 1.0")])
    assert not _is_right_then(year, home, then, [hit("decision 0.1")])
    assert not _is_right_then(year, home, then, [hit("decision 0.0"), hit("ep_1", kind="episode", at=later)])
    assert _is_right_then(year, home, then, [hit("decision 0.0"), hit("no_1", kind="note", at=later)])


def test_a_hit_goes_by_all_its_names() -> None:
    merged = hit("de_1", episode="ep_1", sources=["ep_2"], path="vault:A b.md")
    assert {"de_1", "ep_1", "ep_2", "A b.md"} <= _names(merged)
