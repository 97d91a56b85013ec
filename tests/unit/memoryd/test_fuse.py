"""One ranked answer out of several lists."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryd.router.fuse import fuse, in_order
from memoryd.text.hit import Hit, Kind, StoreName
from memoryd.text.window import Window

AT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def hit(name: str, kind: Kind = "episode", score: float = 0.5, **fields: Any) -> Hit:
    store: StoreName = "episodic" if kind in {"episode", "section"} else "semantic"
    made = Hit(name, store, kind, f"title {name}", f"text {name}", score, at=AT)
    return replace(made, **fields)


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [one.id for one in hits]


def test_one_list_keeps_its_order_and_scores() -> None:
    fusion = fuse({"episodic": [hit("a", score=0.9), hit("b", score=0.4)]})
    assert [(one.id, one.score) for one in fusion.hits] == [("a", 0.9), ("b", 0.4)]


def test_a_score_does_not_depend_on_what_the_other_store_found() -> None:
    """BH21: a score has a stated meaning; a hit first in its store is 1 whatever the other store holds."""
    entries = [hit("a", score=0.3), hit("b", score=0.2)]
    alone = {one.id: one.score for one in fuse({"episodic": entries, "semantic": []}).hits}
    beside = {one.id: one.score for one in fuse({"episodic": entries, "semantic": [hit("n", "note", 0.9)]}).hits}
    assert alone == {"a": 1.0, "b": pytest.approx(11 / 12)}
    assert {name: beside[name] for name in alone} == alone


def test_a_list_that_counts_less_has_lower_scores() -> None:
    fusion = fuse({"episodic": [hit("a")], "semantic": [hit("d", "decision", title="x")]}, weights={"semantic": 0.6})
    assert {one.id: one.score for one in fusion.hits} == {"a": 1.0, "d": pytest.approx(0.6)}


def test_of_two_hits_on_one_place_the_later_word_goes_first() -> None:
    entry = hit("ep_1", score=0.9, at=AT)
    decision = hit("de_1", "decision", 0.2, at=AT + timedelta(days=40), title="unrelated")
    assert ids(fuse({"episodic": [entry], "semantic": [decision]}).hits) == ["de_1", "ep_1"]


def test_two_lists_meet_by_rank_with_scores_that_do_not_rise() -> None:
    fusion = fuse(
        {
            "episodic": [hit("e1", score=0.2), hit("e2", score=0.1)],
            "semantic": [hit("n1", "note", 0.9), hit("n2", "note", 0.8)],
        }
    )
    assert ids(fusion.hits) == ["n1", "e1", "n2", "e2"]
    scores = [one.score for one in fusion.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_a_weight_lets_one_list_stand_back() -> None:
    lists = {"episodic": [hit(f"e{n}") for n in range(4)], "semantic": [hit("d", "decision", title="unrelated")]}
    assert ids(fuse(lists, weights={"semantic": 0.8}).hits)[3] == "d"


def test_an_entry_and_the_decision_that_cites_it_are_one_hit() -> None:
    episode = hit("ep_1", path="journal/2026-03-02.md", episode="ep_1")
    decision = hit("de_1", "decision", evidence=("ep_1",), elements=("el_1",))
    fusion = fuse({"episodic": [episode], "semantic": [decision, hit("n", "note")]})
    assert len(fusion.hits) == 2
    kept = next(one for one in fusion.hits if one.id in {"ep_1", "de_1"})
    assert {"ep_1", "de_1"} <= {kept.id, *kept.sources}
    assert kept.episode == "ep_1"
    assert kept.elements == ("el_1",)
    assert fusion.merges[0].reason == "the decision cites this entry"


def test_a_session_joins_only_the_entry_that_speaks_of_the_decision() -> None:
    decision = hit("de_1", "decision", title="Replace Celery with a queue table", session="s")
    about = hit("ep_1", session="s", text="We replace Celery with a plain queue table.")
    other = hit("ep_2", session="s", text="Fixed the footer.")
    late = hit("ep_3", session="s", text="Replace Celery with a queue table: done.", at=AT + timedelta(hours=5))
    fusion = fuse({"episodic": [about, other, late], "semantic": [decision]})
    assert len(fusion.hits) == 3
    assert {(one.kept, one.merged) for one in fusion.merges} in ({("ep_1", "de_1")}, {("de_1", "ep_1")})


def test_equal_texts_are_one_hit_with_sources() -> None:
    fusion = fuse({"episodic": [hit("a", text="Same  text"), hit("b", text="same text", path="journal/x.md")]})
    assert ids(fusion.hits) == ["a"]
    assert fusion.hits[0].sources == ("b", "journal/x.md")


def test_what_was_superseded_stands_behind_its_successor_through_a_chain() -> None:
    oldest = hit("de_1", "decision", 0.9, superseded_by="de_2")
    middle = hit("de_2", "decision", 0.8, superseded_by="de_3")
    newest = hit("de_3", "decision", 0.3)
    fusion = fuse({"semantic": [oldest, middle, hit("x", "note", 0.5), newest]})
    assert ids(fusion.hits) == ["x", "de_3", "de_2", "de_1"]
    assert set(fusion.moved) == {"de_1", "de_2"}
    scores = [one.score for one in fusion.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_superseded_hit_without_its_successor_stays_and_says_so() -> None:
    fusion = fuse({"semantic": [hit("de_1", "decision", superseded_by="de_9"), hit("x", "note")]})
    assert ids(fusion.hits) == ["de_1", "x"]
    assert fusion.hits[0].superseded_by == "de_9"


def test_a_ring_of_supersession_loses_nothing() -> None:
    ring = [hit("de_1", "decision", superseded_by="de_2"), hit("de_2", "decision", superseded_by="de_1")]
    assert sorted(ids(fuse({"semantic": ring}).hits)) == ["de_1", "de_2"]


def test_hits_inside_the_preferred_span_come_first_and_notes_keep_their_places() -> None:
    span = Window(AT, AT + timedelta(days=1))
    old = hit("old", score=0.9, at=AT - timedelta(days=9))
    fusion = fuse({"episodic": [old, hit("in", score=0.2)]}, prefer=span)
    assert ids(fusion.hits) == ["in", "old"]
    mixed = fuse({"episodic": [old, hit("in")], "semantic": [hit("n", "note", 0.9, at=None)]}, prefer=span)
    assert ids(mixed.hits).index("in") < ids(mixed.hits).index("old")
    assert ids(mixed.hits).index("n") <= 1


def test_a_timeline_is_in_order_and_of_one_score() -> None:
    late, early = hit("b", at=AT + timedelta(hours=2)), hit("a", at=AT)
    fusion = in_order([[late, early], [hit("d", "decision", at=AT + timedelta(hours=1))]])
    assert ids(fusion.hits) == ["a", "d", "b"]
    assert {one.score for one in fusion.hits} == {1.0}


def test_nothing_found_is_an_empty_answer() -> None:
    assert fuse({}).hits == fuse({"episodic": [], "semantic": []}).hits == in_order([]).hits == ()


def test_a_superseded_decision_stays_right_behind_its_successor_when_another_store_answers_too() -> None:
    new, old = hit("de_2", "decision", title="new"), hit("de_1", "decision", title="old", superseded_by="de_2")
    fusion = fuse({"episodic": [hit(f"e{n}") for n in range(3)], "semantic": [new, old, hit("n", "note")]})
    assert ids(fusion.hits).index("de_1") == ids(fusion.hits).index("de_2") + 1


def test_two_decisions_of_one_entry_do_not_become_one_hit() -> None:
    entry = hit("ep_1", episode="ep_1")
    new = hit("de_2", "decision", title="new", evidence=("ep_1",))
    old = hit("de_1", "decision", title="old", evidence=("ep_1",), superseded_by="de_2")
    fusion = fuse({"episodic": [entry], "semantic": [new, old]})
    assert next(one for one in fusion.hits if one.id == "de_1").superseded_by == "de_2"


def test_bookkeeping_stands_last() -> None:
    books = hit("de_1", "decision", title="A note was moved", is_bookkeeping=True)
    assert ids(fuse({"episodic": [hit("e1"), hit("e2")], "semantic": [books]}).hits) == ["e1", "e2", "de_1"]
