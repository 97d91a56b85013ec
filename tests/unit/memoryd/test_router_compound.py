"""A question of two asks: where it is cut, whom each half is put to, and what becomes of the two answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoryd.router.decide import decide
from memoryd.router.relevance import NOTHING
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found
from memoryd.text.window import Window
from tests.unit.memoryd.test_recall import NOW, Store, ask, hit

QUESTION = "What did we do on Monday and which database do we use?"


class Notes(Store):
    """Notes, which belong to no day."""

    def search(self, query: Any, embedder: Embedder | None) -> Found:
        found = super().search(query, embedder)
        return found if query.text else Found(())


MONDAY = Window(NOW.replace(day=13, hour=0), NOW.replace(day=14, hour=0))


def asks(question: str) -> list[tuple[str, str]]:
    return [(one.text, one.store) for one in decide(question, now=NOW).asks]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "What did we do on Monday and which Database do we use?",
            "What did we do on Monday",
            "which Database do we use?",
        ),
        (
            "Was haben wir am Montag gemacht und welche Datenbank nutzen wir?",
            "Was haben wir am Montag gemacht",
            "welche Datenbank nutzen wir?",
        ),
        (
            "Qu'avons-nous fait lundi et quelle base utilisons-nous ?",
            "Qu'avons-nous fait lundi",
            "quelle base utilisons-nous ?",
        ),
        ("¿Qué hicimos el lunes y qué base usamos?", "Qué hicimos el lunes", "qué base usamos?"),
        ("我们周一做了什么，我们用哪个数据库？", "我们周一做了什么", "我们用哪个数据库"),
        (
            "月曜日に何をしましたか、どのデータベースを使っていますか？",
            "月曜日に何をしましたか",
            "どのデータベースを使っていますか",
        ),
    ],
)
def test_each_half_goes_to_its_own_memory_as_it_was_written(question: str, first: str, second: str) -> None:
    assert asks(question) == [(first, "episodic"), (second, "semantic")]
    assert "each ask is looked for by itself" in decide(question, now=NOW).reasons


@pytest.mark.parametrize(
    "question",
    [
        "What is the deploy command, and who changed it last week?",
        "Was ist das Limit und wer hat es geändert?",
        "What is the limit and when was it changed?",
        "How do we deploy, and what went wrong the last time?",
    ],
)
def test_a_half_that_points_back_is_looked_for_with_all_the_words(question: str) -> None:
    found = asks(question)
    assert [store for _, store in found] == ["semantic", "episodic"]
    assert found[0][0] == question.partition(",")[0].partition(" und ")[0].partition(" and ")[0]
    assert found[1][0] == question


@pytest.mark.parametrize(
    "question",
    [
        "What did Ann say?",
        "Who found the bug and when did she mend it?",
        "What changed and why?",
        "redis and the queue",
        "My build is red, what should I check?",
        "Who broke it, who mended Redis, what did Ann say about Kafka, and when did we ship the app?",
    ],
)
def test_what_is_one_search_stays_whole(question: str) -> None:
    assert asks(question) == []


def test_two_asks_of_one_memory_share_the_span_that_one_names() -> None:
    route = decide("What did Ann do last week and what did Bob ship?", now=NOW)
    assert [one.text for one in route.asks] == ["What did Ann do last week", "what did Bob ship?"]
    assert route.asks[0].range is not None
    assert route.asks[1].range is not None
    assert route.asks[0].range.window == route.asks[1].range.window
    assert route.store == "episodic"
    assert route.reasons[0].startswith("two asks: ")


def test_the_answers_are_joined_by_rank() -> None:
    days = [hit(f"ep_{n}", at=MONDAY.since + timedelta(hours=n)) for n in range(8)]  # type: ignore[operator]
    journal = Store(*days)
    graph = Notes(*(hit(f"no_{n}", "note", text=f"The database is number {n}.") for n in range(8)))
    answer = ask(QUESTION, journal, graph, limit=6)
    assert answer.route.store == "both"
    assert (journal.queries[0].text, journal.queries[0].window) == ("", MONDAY)
    assert graph.queries[-1].text == "which database do we use?"
    assert not graph.queries[-1].window
    assert {one.id for one in answer.hits} == {"ep_0", "ep_1", "ep_2", "no_0", "no_1", "no_2"}
    assert answer.hits[0].score == 1.0
    account = answer.explanation.as_json()
    assert account["mode"] == "search"
    assert set(account["stores"]) == {"episodic", "semantic", "semantic 2"}
    assert any("looked for by itself" in cue for cue in account["cues"])


def test_what_both_halves_find_stands_in_front_once() -> None:
    both = hit("ep_x", text="Ann mended Redis and Kafka.")
    journal = Store(hit("ep_1"), both)
    answer = ask("What did Ann say about Redis and what did Bob say about Kafka?", journal, Store())
    assert [one.id for one in answer.hits].count("ep_x") == 1
    assert len(journal.queries) == 2


def test_a_half_without_an_answer_is_named() -> None:
    found = Store(hit("no_1", "note", text="The database is PostgreSQL."))
    answer = ask("What did Ann say about zeppelins and which database do we use?", Store(), found)
    assert [one.id for one in answer.hits] == ["no_1"]
    assert 'nothing that is stored seems to answer "What did Ann say about zeppelins"' in answer.route.reasons
    assert NOTHING not in answer.route.reasons
    nothing = ask("What did Ann say about zeppelins and which database do we use?", Store(), Store())
    assert NOTHING in nothing.route.reasons


def test_a_store_that_the_caller_chose_is_asked_the_whole_question() -> None:
    journal = Store(hit("ep_1"))
    ask(QUESTION, journal, Store(), store="episodic")
    assert len(journal.queries) == 1


def test_days_alone_are_read_in_order() -> None:
    journal = Store(hit("b", at=NOW - timedelta(hours=20)), hit("a", at=NOW - timedelta(hours=40)))
    answer = ask("What did I do yesterday and what did we do on Monday?", journal, Store())
    assert answer.explanation.mode == "timeline"
    assert [one.id for one in answer.hits] == ["a", "b"]
    assert [query.text for query in journal.queries] == ["", ""]
