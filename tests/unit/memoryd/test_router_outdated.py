"""Old lines that a decision replaced, repeats, and answers that are none."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryd.router.outdated import contradicted
from memoryd.router.recall import Recall
from memoryd.router.relevance import NOTHING, judge
from memoryd.router.request import RecallRequest
from memoryd.router.spread import spread
from memoryd.text.hit import ArmScore, Found, Hit

AT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
OLD = Hit(
    "de_1",
    "semantic",
    "decision",
    "The stack is FastAPI and PostgreSQL",
    "",
    0.4,
    at=AT,
    superseded_by="de_2",
    names=("stack",),
)
NEW = Hit(
    "de_2",
    "semantic",
    "decision",
    "The stack is FastAPI and MySQL",
    "The host has it.",
    0.5,
    at=AT + timedelta(90),
    names=("stack",),
)


def entry(name: str, text: str, days: int = 0, **fields: Any) -> Hit:
    made = Hit(name, "episodic", "episode", "", text, 0.5, at=AT + timedelta(days=days), episode=name)
    return replace(made, **fields)


class Store:
    """A store that gives what it was made with."""

    def __init__(self, *hits: Hit, **arms: Any) -> None:
        self.found = Found(hits, (), arms)

    def search(self, query: object, embedder: object) -> Found:
        return self.found


def ask(journal: Store, graph: Store, query: str = "which database do we use", **fields: Any) -> Any:
    recall = Recall(episodic=journal, semantic=graph, clock=lambda: AT + timedelta(days=200))
    return recall.recall(RecallRequest(query, explain=True, **fields))


def test_an_old_line_that_says_what_was_replaced_is_marked_and_stands_below() -> None:
    """BH39: MySQL first, PostgreSQL not offered as current."""
    answer = ask(Store(entry("ep_1", "We use PostgreSQL for the stack.")), Store(OLD, NEW), store="both")
    order = [hit.id for hit in answer.hits]
    assert order[0] == "de_2"
    assert {hit.id: hit.superseded_by for hit in answer.hits} == {"de_2": None, "de_1": "de_2", "ep_1": "de_2"}
    assert answer.explanation.outdated == ("ep_1",)


def test_what_tells_of_the_change_or_came_after_it_is_not_outdated() -> None:
    found, marked = contradicted(
        {
            "episodic": [
                entry("ep_1", "Moved the stack from PostgreSQL to MySQL today."),
                entry("ep_2", "PostgreSQL is still in the stack of the test image.", days=120),
                entry("ep_3", "Tuned the pump."),
                entry("ep_4", "For the stack PostgreSQL it is."),
            ],
            "semantic": [OLD, NEW],
        }
    )
    assert marked == ["ep_4"]
    assert [hit.superseded_by for hit in found["episodic"]] == [None, None, None, "de_2"]


CACHE = replace(OLD, title="Cache in Postgres", names=("cache", "Zwischenspeicher"), values=("Redis was too dear",))
VALKEY = replace(NEW, title="Cache in Valkey", text="It is quicker.", names=("cache", "Zwischenspeicher"))


@pytest.mark.parametrize(
    "line",
    [
        "Sessions are stored in Postgres.",
        "Chose Postgres over MySQL for billing.",
        "Postgres was updated to 16.",
        "The cache is warm. Invoices lie in Postgres.",
        "The cache is slow again.",
        "Moved the cache from Postgres to Valkey.",
        "We moved the cache off Postgres.",
        "Die Sitzungen liegen in Postgres.",
        "Für die Abrechnung nehmen wir Postgres.",
        "Den Zwischenspeicher von Postgres auf Valkey umgezogen.",
        "Der Cache läuft nicht mehr in Postgres.",
    ],
)
def test_what_one_thing_left_is_not_left_by_all(line: str) -> None:
    found = {"episodic": [entry("ep_1", line)], "semantic": [CACHE, VALKEY]}
    assert contradicted(found)[1] == []


@pytest.mark.parametrize(
    "line",
    [
        "We use Postgres for the cache.",
        "Sessions are fine. Our caches lie in Postgres!",
        "Wir nehmen Postgres für den Cache.",
        "Der Zwischenspeicher liegt in Postgres.",
    ],
)
def test_a_line_that_gives_the_thing_its_old_value_is_outdated(line: str) -> None:
    """BH39: by the thing's name or alias and by the value, in one sentence."""
    found = {"episodic": [entry("ep_1", line)], "semantic": [CACHE, VALKEY]}
    assert contradicted(found)[1] == ["ep_1"]


def test_entries_that_are_outdated_do_not_make_the_journal_the_better_memory() -> None:
    journal = Store(
        entry("ep_1", "We use Postgres for the cache of lookups."), entry("ep_2", "Lookups by the cache were slow.")
    )
    answer = ask(journal, Store(CACHE, VALKEY), "which cache do we use for lookups")
    assert answer.explanation.outdated == ("ep_1",)
    assert [hit.id for hit in answer.hits][:2] == ["de_2", "de_1"]


def test_a_value_may_stand_in_what_was_recorded_of_the_thing() -> None:
    old = replace(CACHE, title="Where the cache lies", values=("Postgres",))
    new = replace(VALKEY, title="Where the cache lies now", text="It is quicker.", values=("Valkey",))
    found = {"episodic": [entry("ep_1", "We use Postgres for the cache.")], "semantic": [old, new]}
    assert contradicted(found)[1] == ["ep_1"]


def test_only_pairs_that_were_both_found_are_looked_at() -> None:
    assert contradicted({"episodic": [entry("ep_1", "We use PostgreSQL.")], "semantic": [OLD]})[1] == []


def test_who_asks_what_happened_gets_the_old_entry_marked_and_where_it_stands() -> None:
    answer = ask(
        Store(entry("ep_1", "We chose PostgreSQL for the stack.")), Store(OLD, NEW), "When did we set up PostgreSQL?"
    )
    assert answer.route.store == "episodic"
    assert answer.hits[0].id == "ep_1"
    assert answer.hits[0].superseded_by == "de_2"


REPORT = "The nightly backup of the customer archive failed with a full disk on the storage host"


def test_repeats_stand_behind_where_room_is_short() -> None:
    hits = (entry("ep_1", REPORT), entry("ep_2", REPORT + " again"), entry("ep_3", "The pump was tuned."))
    plain = ask(Store(*hits), Store(), "When did the backup fail?")
    short = ask(Store(*hits), Store(), "When did the backup fail?", max_chars=10_000)
    assert [hit.id for hit in plain.hits] == ["ep_1", "ep_2", "ep_3"]
    assert [hit.id for hit in short.hits] == ["ep_1", "ep_3", "ep_2"]
    assert short.explanation.repeats == ("ep_2",)
    assert [hit.score for hit in short.hits] == sorted((hit.score for hit in short.hits), reverse=True)


def test_entries_of_one_form_with_other_numbers_are_no_repeats() -> None:
    lines = [entry(f"ep_{n}", f"Released version 2.{n} of the billing service to all customer regions") for n in (1, 2)]
    assert spread(lines) == (lines, [])


def rows(lead: float, count: int = 100) -> tuple[tuple[str, float], ...]:
    return tuple((f"ep_{n}", 0.9 - lead * n / (count - 1)) for n in range(count))


def test_a_question_on_what_nobody_spoke_of_is_answered_as_such() -> None:
    hits = (entry("ep_0", "Mia wants pasta every day."), entry("ep_1", "The house was painted."))
    answer = ask(Store(*hits, dense=rows(0.02)), Store(), "Who won the chess tournament in Bergen?")
    assert answer.route.reasons[-1] == NOTHING
    assert not answer.explanation.relevance.is_relevant
    assert answer.hits, "what is nearest is still shown"


def test_words_or_a_clear_lead_are_an_answer() -> None:
    question = "Who won the chess tournament in Bergen?"
    in_words = [entry("ep_0", "Nora won the chess tournament.")]
    by_sense = [entry("ep_0", "Nora took the title at the board.")]
    assert judge(question, in_words, [{"dense": rows(0.02)}]).is_relevant
    assert judge(question, by_sense, [{"dense": rows(0.1)}]).is_relevant
    assert not judge(question, by_sense, [{"dense": rows(0.02)}]).is_relevant


def test_a_few_entries_answer_by_a_word_or_by_what_stands_out() -> None:
    question, title = "Who won the chess tournament in Bergen?", [entry("ep_0", "Nora took the title.")]
    near = (("ep_0", 0.9), *(row for row in rows(0.01, 12)[1:]))
    flat = rows(0.02, 12)
    far = (("ep_0", 0.86), *((f"ep_{n}", 0.8) for n in range(1, 12)))
    assert not judge(question, title, [{"dense": flat}]).is_relevant
    assert not judge(question, title, [{"dense": near}]).is_relevant
    assert judge(question, title, [{"dense": far}]).is_relevant
    assert judge(question, [entry("ep_0", "Nora won at chess.")], [{"dense": flat}]).is_relevant


def test_a_handful_of_entries_has_no_background_to_judge_by() -> None:
    entries = [entry("ep_0", "Nora took the title.")]
    assert judge("Who won in Bergen?", entries, [{"dense": rows(0.02, 7)}]).is_relevant
    assert not judge("Who won in Bergen?", entries, [{"dense": rows(0.02, 7)}, {"dense": rows(0.02)}]).is_relevant


def test_without_vectors_only_words_tell() -> None:
    hits = [entry("ep_0", "Nora took the title at the board.")]
    assert not judge("Who won the chess tournament in Bergen?", hits, [{"lexical": (("ep_0", 1.0),)}]).is_relevant
    assert judge("the title", hits, [{"lexical": (("ep_0", 1.0),)}]).is_relevant


def test_what_a_question_names_is_relevant() -> None:
    named = [replace(NEW, arms={"names": ArmScore(1, 1.0)})]
    assert judge("quux frobnicate zorch blarg", named, [{"dense": rows(0.01)}]).is_relevant


def test_no_hits_are_no_answer() -> None:
    assert not judge("anything", [], []).is_relevant


def test_what_one_memory_does_not_hold_is_looked_for_in_the_other() -> None:
    journal = Store(entry("ep_1", "ERR-4021 was a full disk."), lexical=(("ep_1", 2.0),))
    known = Store(NEW, dense=(("de_2", 0.8),))
    answer = ask(journal, known, "What is ERR-4021 in the nightly job?")
    assert answer.route.store == "both"
    assert answer.route.reasons[-1] == "the semantic memory holds nothing on it, so both were asked"
    assert [hit.id for hit in answer.hits] == ["ep_1", "de_2"]
    # What it does hold, or what the caller chose, stays as it was.
    assert ask(journal, known, "What is the stack on MySQL?").route.store == "semantic"
    assert ask(journal, known, "What is ERR-4021?", store="semantic").route.store == "semantic"
