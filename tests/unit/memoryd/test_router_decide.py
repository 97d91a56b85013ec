"""Which store a question goes to, and why."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memoryd.router.decide import READ_CHARACTERS, decide
from memoryd.router.names import Names

NOW = datetime(2026, 7, 15, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
QUESTIONS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh", "ja"])
def test_questions_of_each_language_reach_their_store(language: str) -> None:
    rows = [row for row in QUESTIONS if row["language"] == language]
    routes = [(row["store"], decide(row["question"], now=NOW).store) for row in rows]
    assert len(rows) >= 40
    assert sum(want == got for want, got in routes) / len(rows) >= 0.95
    assert sum(got in {want, "both"} for want, got in routes) / len(rows) >= 0.98
    assert sum(got == "both" for _, got in routes) / len(rows) <= 0.3


def test_the_own_questions_are_of_all_kinds() -> None:
    assert min(Counter((row["language"], row["store"]) for row in QUESTIONS).values()) >= 8


@pytest.mark.parametrize(
    ("question", "store"),
    [
        ("What is the retention period and when was it last changed?", "both"),
        ("What is the retention period and where is it set?", "semantic"),
        ("Who broke the build and when did we notice?", "episodic"),
        ("What changed and why?", "both"),
        ("What is the cache limit and why?", "semantic"),
        ("Why do we use queues?", "semantic"),
        ("Why did we drop queues?", "both"),
        ("Why did the deploy fail on Monday?", "episodic"),
        ("What did Jon and Gina both like?", "episodic"),
        ("When should one rebase?", "semantic"),
        ("When did we rebase?", "episodic"),
        ("When is Nora going to the conference?", "both"),
        ("Can you list the order in which I raised my concerns?", "episodic"),
        ("In which month's release did we drop it?", "episodic"),
    ],
)
def test_forms_of_questions(question: str, store: str) -> None:
    assert decide(question, now=NOW).store == store


@pytest.mark.parametrize(
    "text", ["redis ttl", "ERR_CONN_RESET 104", "auth middleware session cookie", "", "???", "worker.py:88"]
)
def test_key_words_alone_go_to_both_with_little_confidence(text: str) -> None:
    route = decide(text, now=NOW)
    assert route.store == "both"
    assert route.confidence < 0.5
    assert "key words" in route.reasons[-1]


def test_reasons_name_the_words_they_come_from() -> None:
    route = decide("What did we decide about caching last week?", now=NOW)
    assert route.store == "episodic"
    assert 'past tense ("did")' in route.reasons
    assert 'a span of time ("last week")' in route.reasons
    assert route.range is not None
    assert route.range.text == "last week"
    assert route.language == "en"


def test_a_compound_question_says_how_it_was_cut() -> None:
    route = decide("What is the deploy command, and who changed it last week?", now=NOW)
    assert route.reasons[0].startswith("two asks: ")
    assert route.confidence >= 0.6


def test_months_that_are_verbs_do_not_turn_the_question() -> None:
    assert decide("What may a reviewer change?", now=NOW).range is None
    assert decide("In May, what did we ship?", now=NOW).store == "episodic"


def test_known_names_are_weak_evidence() -> None:
    names = Names.of(graph=["Billing Service"], journal=["Ana"])
    found = [(known.name, known.known_to) for known in names.found_in("has Ana seen the billing  SERVICE?")]
    assert found == [("billing service", "graph"), ("ana", "journal")]
    assert Names.of(graph=["配置中心"]).found_in("怎么用配置中心？")[0].name == "配置中心"
    named = decide("billing service", names=names, now=NOW)
    assert named.store == "both"
    assert any("the graph knows" in reason for reason in named.reasons)
    assert decide("Did we break the billing service?", names=names, now=NOW).store == "episodic"


def test_a_pasted_text_is_read_only_at_its_start() -> None:
    question = "How do I run the tests?" + " filler" * 40
    paste = question + " What did we do yesterday?" * 40_000
    assert decide(paste, now=NOW) == decide(paste[:READ_CHARACTERS], now=NOW)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is the limit?", "en"),
        ("Wo liegt die Grenze?", "de"),
        ("la semaine dernière", "fr"),
        ("la semana pasada", "es"),
        ("限制是多少", "zh"),
        ("制限はいくつですか", "ja"),
        ("先週", "ja"),
        ("what does 雲 mean in our naming of services?", "en"),
        ("xyzzy", None),
        ("12345", None),
    ],
)
def test_the_language_is_told_by_script_and_small_words(question: str, language: str | None) -> None:
    assert decide(question, now=NOW).language == language
