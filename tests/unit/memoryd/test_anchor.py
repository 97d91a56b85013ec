"""Spans that an event bounds: which words name one, and what the journal says of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memoryd.router.anchor import anchored, read_anchor
from memoryd.router.decide import decide
from memoryd.router.recall import Recall
from memoryd.router.request import RecallRequest
from memoryd.text.embedder import Embedder
from memoryd.text.hit import Found, Hit
from memoryd.text.window import Window

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 7, 15, 10, 0, tzinfo=BERLIN)
SHIPPED = Hit(
    "ep_1", "episodic", "episode", "Shipped", "Release 2.0 went out today.", 0.9,
    at=datetime(2026, 7, 3, 18, 0, tzinfo=BERLIN),
)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "question", "bound", "phrase", "words"),
    [
        ("en", "What have we changed since the release?", "since", "release", "since the release"),
        ("en", "Since the launch of 2.0, what broke?", "since", "launch of 2.0", "Since the launch of 2.0"),
        ("en", "What did we do before our last migration?", "until", "migration", "before our last migration"),
        ("en", "what broke after the upgrade in the parser", "since", "upgrade", "after the upgrade"),
        ("en", "What changed since v2.1?", "since", "v2.1", "since v2.1"),
        ("en", "until the demo", "until", "demo", "until the demo"),
        ("de", "Was haben wir seit dem Release geändert?", "since", "Release", "seit dem Release"),
        ("de", "nach dem Datenbankumzug", "since", "Datenbankumzug", "nach dem Datenbankumzug"),
        ("de", "seit Version 2.1", "since", "Version 2.1", "seit Version 2.1"),
        ("fr", "depuis la sortie de la version 2", "since", "sortie de la version 2", None),
        ("fr", "avant la mise en production", "until", "mise en production", None),
        ("es", "desde el lanzamiento", "since", "lanzamiento", None),
        ("es", "después del despliegue", "since", "despliegue", None),
        ("zh", "自从上次发布以来改了什么", "since", "发布", "自从上次发布以来"),
        ("zh", "升级之前", "until", "升级", None),
        ("ja", "リリース以来何を変えましたか", "since", "リリース", "リリース以来"),
        ("ja", "前回の移行の後に", "since", "移行", "前回の移行の後"),
    ],
)
def test_events_that_bound_a_span(language: str, question: str, bound: str, phrase: str, words: str | None) -> None:
    anchor = read_anchor(question, language)
    assert anchor is not None
    assert (anchor.bound, anchor.phrase) == (bound, phrase)
    assert question[anchor.start : anchor.end] == (words or question)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "since we use Postgres, why is it slow?"),
        ("en", "since when do we use tabs"),
        ("en", "since then"),
        ("en", "what runs after the tests"),
        ("en", "put it before the header"),
        ("en", "since 5"),
        ("de", "Suche nach dem Fehler"),
        ("de", "seit wann nutzen wir das"),
        ("de", "seit langem"),
        ("fr", "lance-le depuis le terminal"),
        ("es", "desde la terminal"),
        ("zh", "在这之后"),
        ("ja", "それから"),
    ],
)
def test_what_names_no_event(language: str, question: str) -> None:
    assert read_anchor(question, language) is None


def test_the_day_of_the_best_entry_that_tells_of_it_starts_the_span() -> None:
    question = "What have we changed since the release?"
    asked: list[str] = []

    def look_up(phrase: str) -> list[Hit]:
        asked.append(phrase)
        near_miss = replace(SHIPPED, id="ep_0", text="We shipped the parcels.")
        to_come = replace(SHIPPED, id="ep_2", at=datetime(2026, 8, 1, tzinfo=BERLIN))
        return [near_miss, to_come, SHIPPED]

    route = anchored(decide(question, now=NOW), question, NOW, look_up)
    assert asked == ["release"]
    assert route.range is not None
    assert route.range.window == Window(datetime(2026, 7, 3, tzinfo=BERLIN), datetime(2026, 7, 16, tzinfo=BERLIN))
    assert (route.range.text, route.range.remainder) == ("since the release", "What have we changed ?")
    assert route.reasons[-1] == '"since the release" is counted from 2026-07-03, the day of "Shipped"'
    before = anchored(decide(question, now=NOW), "before the release", NOW, look_up)
    assert before.range is not None
    assert before.range.window == Window(None, datetime(2026, 7, 3, tzinfo=BERLIN))


def test_an_event_that_the_journal_does_not_know_bounds_nothing_and_is_said() -> None:
    question = "What have we changed since the outage?"
    route = anchored(decide(question, now=NOW), question, NOW, lambda _: [SHIPPED])
    assert route.range is None
    assert "the journal tells of none" in route.reasons[-1]


def test_a_date_in_the_words_needs_no_journal() -> None:
    question = "What changed since Monday, after the release?"

    def look_up(_: str) -> list[Hit]:
        raise AssertionError("nobody has to be asked")

    route = anchored(decide(question, now=NOW), question, NOW, look_up)
    assert route.range is not None
    assert route.range.text == "since Monday"


class Journal:
    """A journal that knows one entry and keeps its queries."""

    def __init__(self, *, fails: bool = False) -> None:
        self.queries: list[Any] = []
        self._fails = fails

    def search(self, query: Any, _: Embedder | None) -> Found:
        self.queries.append(query)
        if self._fails:
            raise OSError("the index is gone")
        return Found((SHIPPED,))


class NothingKnown:
    """A semantic memory without anything."""

    def search(self, _: Any, __: Embedder | None) -> Found:
        return Found(())


def ask(journal: Journal, question: str) -> Any:
    recall = Recall(episodic=journal, semantic=NothingKnown(), clock=lambda: NOW)
    return recall.recall(RecallRequest(question, explain=True))


def test_recall_looks_the_event_up_by_its_words_and_a_route_does_not() -> None:
    journal = Journal()
    answer = ask(journal, "What did we do since the release?")
    looked_up, asked = journal.queries
    assert (looked_up.text, looked_up.dense) == ("release", False)
    assert asked.text == ""
    assert asked.window == Window(datetime(2026, 7, 3, tzinfo=BERLIN), datetime(2026, 7, 16, tzinfo=BERLIN))
    assert any("Shipped" in reason for reason in answer.route.reasons)
    content = Journal()
    ask(content, "What did we change in the parser since the release?")
    assert (content.queries[1].text, content.queries[1].prefer) == ("What did we change in the parser ?", asked.window)
    routed = Journal()
    route = Recall(episodic=routed, semantic=NothingKnown(), clock=lambda: NOW).route("What changed since the release?")
    assert (route.range, routed.queries) == (None, [])


def test_a_journal_that_cannot_be_asked_bounds_nothing() -> None:
    answer = ask(Journal(fails=True), "What did we decide since the release?")
    assert any("could not be searched" in reason for reason in answer.degraded)
    assert answer.route.range is None
