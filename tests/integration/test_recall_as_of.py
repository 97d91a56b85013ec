"""Both memories as they stood at an instant: what came later is in no answer, and marks nothing as replaced."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from episodic.testing import SettableClock, make_store, new
from memoryd.router.recall import Recall
from memoryd.router.request import Answer, RecallRequest
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
SPRING, SUMMER = NOW - timedelta(days=90), NOW - timedelta(days=10)
BETWEEN = NOW - timedelta(days=50)
PUT = {"op": "put_element", "kind": "component", "name": "database"}
QUESTIONS = (
    "Which database do we use?",
    "What did we say about the database?",
    "What did we say about the database and which database do we use?",
    "database postgresql mysql",
)


class Memory:
    """A year in which one decision replaced another, and the journal told of both."""

    def __init__(self, folder: Path) -> None:
        self.journal = make_store(folder, clock=SettableClock(NOW))
        self.journal.open()
        clock = SteppingClock(SPRING)
        self.graph = open_store(folder / "graph", clock=clock)
        old, later = (
            self.journal.append(new(text, at=at)).episode.id
            for text, at in (
                ("We said the database is PostgreSQL, and set it up.", SPRING),
                ("We said the database is MySQL now, and moved the tables.", SUMMER),
            )
        )
        self.old_episode, self.new_episode = old, later
        first = NewDecision("The database is PostgreSQL", "Known.", ({**PUT, "gist": "PostgreSQL"},), evidence=(old,))
        self.first = self.graph.decide(first).id
        clock.now = SUMMER
        second = NewDecision(
            "The database is MySQL", "The host has it.", ({**PUT, "gist": "MySQL"},), evidence=(later,)
        )
        self.second = self.graph.decide(second).id
        self.recall = Recall(
            episodic=self.journal,
            semantic=self.graph,
            clock=lambda: NOW,
            superseded=lambda as_of: self.graph.projection(as_of).superseded_episodes,
        )

    def ask(self, query: str, **fields: Any) -> Answer:
        return self.recall.recall(RecallRequest(query, **fields))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path)
    yield made
    made.journal.close()
    made.graph.close()


@pytest.mark.parametrize("store", ["auto", "both", "episodic", "semantic"])
@pytest.mark.parametrize("query", QUESTIONS)
def test_what_came_later_is_not_there_and_replaces_nothing(memory: Memory, query: str, store: str) -> None:
    """Behaviour of as-of: episodes after the instant and later decisions are hidden in whichever store is asked."""
    then = memory.ask(query, store=store, as_of=BETWEEN)
    names = {name for hit in then.hits for name in (hit.id, hit.episode, *hit.sources, *hit.evidence)}
    assert names & {memory.first, memory.old_episode}
    assert not names & {memory.second, memory.new_episode}
    assert not any("MySQL" in f"{hit.title} {hit.text} {hit.summary}" for hit in then.hits)
    assert [hit.superseded_by for hit in then.hits] == [None] * len(then.hits)


@pytest.mark.parametrize("store", ["auto", "both"])
@pytest.mark.parametrize("query", QUESTIONS)
def test_today_the_old_word_is_marked_and_stands_behind(memory: Memory, query: str, store: str) -> None:
    now = memory.ask(query, store=store)
    by_name = {name: hit for hit in now.hits for name in (hit.id, *hit.sources)}
    assert by_name[memory.first].superseded_by == memory.second
    order = [hit.id for hit in now.hits]
    assert order.index(by_name[memory.second].id) < order.index(by_name[memory.first].id)


def test_an_instant_before_all_finds_nothing(memory: Memory) -> None:
    assert memory.ask(QUESTIONS[2], as_of=SPRING - timedelta(days=1)).hits == ()


def test_an_instant_is_half_open(memory: Memory) -> None:
    """What happened at the instant itself is not there yet."""
    assert memory.ask("database", store="episodic", as_of=SPRING).hits == ()
    assert memory.ask("database", store="episodic", as_of=SPRING + timedelta(seconds=30)).hits


def test_a_day_read_in_order_ends_at_the_instant(memory: Memory) -> None:
    day = SUMMER.date().isoformat()
    assert memory.ask(f"What did we do on {day}?").hits
    assert memory.ask(f"What did we do on {day}?", as_of=BETWEEN).hits == ()
