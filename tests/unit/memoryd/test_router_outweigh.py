"""What the memories hold has the last word on which of them answers."""

from __future__ import annotations

import pytest

from memoryd.router.outweigh import holds_enough, outweighed
from memoryd.router.relevance import Relevance
from tests.unit.memoryd.test_recall import Store, ask, hit

QUESTION = "What is the name of the falcon in the tower?"


def found(words: float, *, relevant: bool = True, named: bool = False) -> Relevance:
    return Relevance(words, 0.05, relevant, named)


@pytest.mark.parametrize(
    ("one", "enough"),
    [
        (found(1.0), True),
        (found(0.8), False),
        (found(0.5, named=True), True),
        (found(0.4, named=True), False),
        (found(1.0, relevant=False), False),
    ],
)
def test_who_holds_the_words_or_the_name_is_believed(one: Relevance, *, enough: bool) -> None:
    assert holds_enough(one) is enough


def test_another_is_heard_where_it_holds_more_words() -> None:
    clear = outweighed("semantic", [found(0.25)], [("episodic", found(0.75))])
    assert clear is not None
    assert clear.is_clear
    assert clear.reason == "the episodic memory holds more of the question's words (75%, 25%), so both were asked"
    close = outweighed("semantic", [found(0.5)], [("episodic", found(0.6))])
    assert close is not None
    assert not close.is_clear
    assert outweighed("semantic", [found(0.5)], [("episodic", found(0.5))]) is None
    assert outweighed("semantic", [found(0.2)], [("episodic", found(0.9, relevant=False))]) is None


def test_who_holds_nothing_is_clearly_the_weaker() -> None:
    nothing = outweighed("semantic", [found(0.5, relevant=False)], [("episodic", found(0.3))])
    assert nothing is not None
    assert nothing.is_clear
    assert "holds nothing" in nothing.reason


def test_a_note_that_shares_one_word_does_not_hide_the_entry_that_answers() -> None:
    journal = Store(hit("ep_1", text="The falcon in the tower has a name now: Greta."))
    graph = Store(*(hit(f"no_{n}", "note", text=f"A tower of cards, number {n}.") for n in range(5)))
    answer = ask(QUESTION, journal, graph)
    assert answer.route.store == "both"
    assert answer.route.reasons[-1].startswith("the episodic memory holds more")
    assert answer.hits[0].id == "ep_1"
    assert answer.explanation.weights["semantic"] < answer.explanation.weights["episodic"]
    assert len(graph.queries) == 1


def test_who_holds_the_words_is_asked_alone() -> None:
    journal = Store(hit("ep_1"))
    ask(QUESTION, journal, Store(hit("no_1", "note", text="The falcon of the tower: its name is Greta.")))
    assert journal.queries == []


def test_the_other_may_fail_and_is_named() -> None:
    answer = ask(QUESTION, Store(fails=True), Store(hit("no_1", "note", text="A tower of cards.")))
    assert [one.id for one in answer.hits] == ["no_1"]
    assert answer.route.store == "semantic"
    assert any("episodic memory could not be searched" in reason for reason in answer.degraded)


@pytest.mark.parametrize("fields", [{"store": "semantic"}, {"kinds": ("note",)}])
def test_what_the_caller_chose_stays(fields: dict[str, object]) -> None:
    journal = Store(hit("ep_1", text="The falcon in the tower has a name now: Greta."))
    ask(QUESTION, journal, Store(hit("no_1", "note", text="A tower of cards.")), **fields)
    assert journal.queries == []
