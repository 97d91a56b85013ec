"""Recall over two stores that remember what they were asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.render.meter import utf16_units
from memoryd.router.errors import InvalidQuestion
from memoryd.router.plan import MAX_LIMIT, SEARCH_CHARACTERS
from memoryd.router.recall import Recall
from memoryd.router.request import RecallRequest
from memoryd.text.embedder import Embedder
from memoryd.text.hit import ArmScore, Found, Hit, Kind
from memoryd.text.window import Window

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 7, 15, 10, 0, tzinfo=BERLIN)
YESTERDAY = Window(datetime(2026, 7, 14, tzinfo=BERLIN), datetime(2026, 7, 15, tzinfo=BERLIN))


def hit(name: str, kind: Kind = "episode", **fields: Any) -> Hit:
    store = "episodic" if kind in {"episode", "section"} else "semantic"
    made = Hit(name, "episodic", kind, f"title {name}", f"text of {name}", 0.5, at=NOW - timedelta(days=1))
    return replace(made, **{"store": store, **fields})


class Store:
    """A store that gives the hits it was made with and keeps its queries."""

    def __init__(self, *hits: Hit, degraded: tuple[str, ...] = (), fails: bool = False) -> None:
        self.found = Found(hits, degraded, {"lexical": tuple((one.id, one.score) for one in hits)})
        self.fails = fails
        self.queries: list[Any] = []
        self.embedders: list[Embedder | None] = []

    def search(self, query: Any, embedder: Embedder | None) -> Found:
        self.queries.append(query)
        self.embedders.append(embedder)
        if self.fails:
            raise OSError("the index is gone")
        if embedder is not None and query.text:
            embedder.embed_query(query.text)
        return self.found


class CountingEmbedder:
    """An embedder that counts its work."""

    fingerprint = "0123456789ab"
    dimension = 2

    def __init__(self) -> None:
        self.questions: list[str] = []

    def embed_passages(self, texts: Any) -> npt.NDArray[np.float32]:
        return np.zeros((len(texts), 2), dtype=np.float32)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        self.questions.append(text)
        return np.array([1.0, 0.0], dtype=np.float32)


def recall(episodic: Store, semantic: Store) -> Recall:
    return Recall(episodic=episodic, semantic=semantic, clock=lambda: NOW)


def ask(query: str, episodic: Store | None = None, semantic: Store | None = None, **fields: Any) -> Any:
    return recall(episodic or Store(), semantic or Store()).recall(RecallRequest(query, explain=True, **fields))


def test_a_question_on_events_asks_the_journal_and_for_decisions() -> None:
    journal, graph = Store(hit("ep_1")), Store(hit("de_1", "decision"))
    answer = ask("What did we decide about the cache?", journal, graph)
    assert answer.route.store == "episodic"
    assert tuple(graph.queries[0].kinds) == ("decision",)
    assert {one.id for one in answer.hits} == {"ep_1", "de_1"}
    assert {one.store for one in answer.hits} == {"episodic"}


def test_decisions_stand_back_unless_the_question_asks_for_them() -> None:
    journal = [hit(f"ep_{n}") for n in range(4)]
    plain = ask("What did the customer say?", Store(*journal), Store(hit("de_1", "decision")))
    asked = ask("What did the customer decide?", Store(*journal), Store(hit("de_1", "decision")))
    assert [one.id for one in plain.hits].index("de_1") > [one.id for one in asked.hits].index("de_1")


def test_a_question_on_knowledge_leaves_the_journal_alone() -> None:
    journal, graph = Store(hit("ep_1")), Store(hit("no_1", "note", text="The naming convention is snake case."))
    answer = ask("What is our naming convention?", journal, graph)
    assert answer.route.store == "semantic"
    assert journal.queries == []
    assert [one.id for one in answer.hits] == ["no_1"]


def test_the_caller_may_choose_the_store() -> None:
    journal, graph = Store(hit("ep_1")), Store(hit("no_1", "note"))
    answer = ask("What is our naming convention?", journal, graph, store="both")
    assert answer.route.store == "both"
    assert answer.route.confidence == 1.0
    assert {one.id for one in answer.hits} == {"ep_1", "no_1"}


def test_the_words_of_time_are_not_searched_for_and_their_span_only_comes_first() -> None:
    journal = Store()
    ask("What did we decide about caching yesterday?", journal)
    query = journal.queries[0]
    assert query.text == "What did we decide about caching ?"
    assert query.prefer == YESTERDAY
    assert not query.window


def test_a_date_stays_in_the_words_that_are_searched_for() -> None:
    journal = Store()
    ask("What did we deploy to staging on 2026-07-14?", journal)
    assert "2026-07-14" in journal.queries[0].text


def test_a_span_alone_filters_and_is_read_in_order() -> None:
    late, early = hit("b", at=NOW - timedelta(hours=20)), hit("a", at=NOW - timedelta(hours=30))
    journal, graph = Store(late, early), Store(hit("de_1", "decision", at=NOW - timedelta(hours=25)))
    answer = ask("What did I do yesterday, morning to night?", journal, graph)
    query = journal.queries[0]
    assert (query.text, query.window, query.limit) == ("", YESTERDAY, MAX_LIMIT)
    assert [one.id for one in answer.hits] == ["a", "de_1", "b"]
    assert answer.explanation.mode == "timeline"


def test_the_callers_bounds_always_filter() -> None:
    journal = Store()
    bounds = Window(NOW - timedelta(days=1, hours=2), NOW)
    ask("What did I do yesterday?", journal, window=bounds)
    assert journal.queries[0].window == bounds.narrowed(YESTERDAY)
    ask("What did we decide about caching yesterday?", journal, window=bounds)
    assert journal.queries[1].window == bounds


def test_an_empty_question_needs_a_window() -> None:
    for query in ("", "  "):
        with pytest.raises(InvalidQuestion, match="since or until"):
            ask(query)
    journal = Store(hit("ep_1"))
    answer = ask("*", journal, window=YESTERDAY)
    assert journal.queries[0].text == ""
    assert [one.id for one in answer.hits] == ["ep_1"]
    with pytest.raises(InvalidQuestion):
        recall(Store(), Store()).route(" ")


def test_signs_are_looked_for_as_they_stand() -> None:
    journal = Store(hit("ep_1"))
    answer = ask("🎉", journal)
    assert journal.queries[0].text == "🎉"
    assert answer.route.store == "both"
    assert answer.hits


def test_tags_leave_only_what_has_tags_and_say_so() -> None:
    journal, graph = Store(hit("ep_1")), Store(hit("no_1", "note"))
    answer = ask("When did we tag the release?", journal, graph, tags=("tool/git",))
    assert journal.queries == []
    assert graph.queries[0].tags == ("tool/git",)
    assert "note" in graph.queries[0].kinds
    assert answer.route.store == "semantic"
    assert any("no tags" in note for note in answer.explanation.notes)


def test_kinds_are_asked_of_those_who_have_them() -> None:
    journal, graph = Store(), Store(hit("no_1", "note"))
    answer = ask("What did we do about caching?", journal, graph, kinds=("note",))
    assert journal.queries == []
    assert tuple(graph.queries[0].kinds) == ("note",)
    assert [one.id for one in answer.hits] == ["no_1"]


def test_as_of_looks_at_both_memories_then() -> None:
    journal, graph = Store(), Store()
    then = NOW - timedelta(days=30)
    ask("What is the cache and when did we change it?", journal, graph, as_of=then)
    assert journal.queries[0].window == Window(None, then)
    assert graph.queries[0].as_of == then


def test_a_scope_and_a_session_hold_for_every_hit() -> None:
    journal = Store(hit("ep_1", project="p-1"), hit("ep_2"))
    assert [one.id for one in ask("What did we do about it?", journal, scope="project").hits] == ["ep_1"]
    assert [one.id for one in ask("What did we do about it?", journal, scope="user").hits] == ["ep_2"]
    graph = Store(hit("de_1", "decision", session="s"), hit("de_2", "decision", session="t"))
    answer = ask("What did we decide?", Store(), graph, session="s")
    assert [one.id for one in answer.hits] == ["de_1"]
    journal = Store(hit("ep_1", session="s"))
    known = ask("What is our naming convention?", journal, session="s")
    assert known.route.store == "episodic"
    assert journal.queries[0].session == "s"


def test_the_limit_and_the_budget_are_kept_and_told() -> None:
    journal = Store(*(hit(f"ep_{n}", text=f"Sentence {n} is here. And another one.") for n in range(8)))
    answer = ask("What did we do about it?", journal, limit=5, max_chars=110)
    assert sum(utf16_units(one.title) + utf16_units(one.text) for one in answer.hits) <= 110
    account = answer.explanation.as_json()
    assert len(answer.hits) + len(account["dropped"]) == 5
    assert len(account["over_limit"]) == 3
    lost = f"{len(account['dropped'])} more hit{'s' if len(account['dropped']) > 1 else ''}"
    assert any("max_chars" in reason and lost in reason for reason in answer.degraded)
    assert not any("max_chars" in one for one in ask("What did we do about it?", journal, limit=5).degraded)
    assert account["stores"]["episodic"]["arms"]["lexical"][0] == {"id": "ep_0", "rank": 1, "score": 0.5}


def test_one_question_is_embedded_once() -> None:
    embedder = CountingEmbedder()
    recall(Store(), Store()).recall(RecallRequest("What is the cache?", store="both"), embedder)
    assert len(embedder.questions) == 1


def test_a_store_that_fails_costs_only_its_half() -> None:
    answer = ask("What is X and when did we change it?", Store(fails=True), Store(hit("no_1", "note")))
    assert [one.id for one in answer.hits] == ["no_1"]
    assert answer.degraded == ("episodic memory could not be searched: OSError: the index is gone",)
    with pytest.raises(OSError, match="gone"):
        ask("What is X and when did we change it?", Store(fails=True), Store(fails=True))


def test_what_was_done_without_is_said_once() -> None:
    answer = ask("What is X and when did we change it?", Store(degraded=("no model",)), Store(degraded=("no model",)))
    assert answer.degraded == ("no model",)
    assert answer.hits == ()


def test_a_pasted_text_is_cut_for_the_search() -> None:
    journal = Store()
    answer = ask("What did we do about " + "x " * 9000, journal)
    assert len(journal.queries[0].text) == SEARCH_CHARACTERS
    assert any("first 4000 characters" in note for note in answer.explanation.notes)


def test_a_merged_hit_tells_its_arms() -> None:
    episode = hit("ep_1", arms={"lexical": ArmScore(1, 3.0)})
    decision = hit("de_1", "decision", evidence=("ep_1",), arms={"names": ArmScore(2, 1.0)})
    answer = ask("What did we decide about it?", Store(episode), Store(decision))
    assert len(answer.hits) == 1
    assert set(answer.hits[0].arms) == {"lexical", "names"}
    assert answer.explanation.as_json()["merged"][0]["reason"] == "the decision cites this entry"
