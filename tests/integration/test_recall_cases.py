"""Both memories and the router together, on inputs that broke other products."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodic.store import EpisodicStore
from episodic.testing import SettableClock, make_store, new
from memoryd.api.errors import BadParameter
from memoryd.api.instant import parse_window
from memoryd.router.recall import Recall
from memoryd.router.request import Answer, RecallRequest
from memoryd.text.hit import Found
from semantic.testing import open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
Journal = Callable[..., EpisodicStore]


class NothingKnown:
    """A semantic memory that is empty."""

    def search(self, query: object, embedder: object) -> Found:
        return Found(())


@pytest.fixture
def journal(tmp_path: Path) -> EpisodicStore:
    store = make_store(tmp_path, clock=SettableClock(NOW))
    store.open()
    return store


def ask(journal: EpisodicStore, query: str, semantic: object | None = None, **fields: object) -> Answer:
    recall = Recall(
        episodic=journal,
        semantic=semantic or NothingKnown(),  # type: ignore[arg-type]
        clock=lambda: NOW,
    )
    return recall.recall(RecallRequest(query, **fields))  # type: ignore[arg-type]


def test_a_day_is_read_in_order_without_a_word_in_common(journal: EpisodicStore, tmp_path: Path) -> None:
    """BH06, behaviour of time: the entries of the day, in order; an empty day says so."""
    day = tmp_path / "memory" / "journal" / "2026-07-16.md"
    day.parent.mkdir(parents=True, exist_ok=True)
    day.write_text("## Session 09:10\n- tuned the pump\n## Session 18:00\n- ate soup\n", "utf-8")
    journal.reconcile()
    answer = ask(journal, "what happened yesterday, morning to night?")
    assert [hit.text.strip() for hit in answer.hits] == ["- tuned the pump", "- ate soup"]
    assert ask(journal, "what happened the day before yesterday?").hits == ()
    journal.close()


def test_a_span_filters_and_a_senseless_one_is_refused(journal: EpisodicStore) -> None:
    """BH08."""
    journal.append(new("the migration of the mail server", at=NOW - timedelta(days=3)))
    journal.append(new("a migration of birds and the migration of the mail server", at=NOW - timedelta(days=40)))
    window = parse_window("2w", None, now=NOW, zone=UTC)
    assert window.since == NOW - timedelta(days=14)
    answer = ask(journal, "migration", window=window)
    assert [hit.text.strip() for hit in answer.hits] == ["the migration of the mail server"]
    with pytest.raises(BadParameter):
        parse_window("soonish", None, now=NOW, zone=UTC)
    journal.close()


def test_a_decision_recorded_again_is_one_decision(journal: EpisodicStore, tmp_path: Path) -> None:
    """BH38."""
    graph = open_store(tmp_path / "graph")
    put = {"op": "put_element", "kind": "tool", "name": "Qdrant", "gist": "vector store"}
    first = graph.decide(NewDecision("Use Qdrant", "It is small.", (put,)))
    again = graph.decide(NewDecision("Use Qdrant", "It is small.", (put,)))
    spaced = graph.decide(NewDecision("use  QDRANT", "It is  small.", (put,)))
    assert {first.id, again.id, spaced.id} == {first.id}
    answer = ask(journal, "what do we use Qdrant for?", graph, store="semantic", kinds=("decision",))
    assert [hit.id for hit in answer.hits] == [first.id]
    journal.close()


def test_what_was_corrected_stands_first_and_the_old_line_is_marked(journal: EpisodicStore, tmp_path: Path) -> None:
    """BH39: MySQL first, PostgreSQL not offered as current, in the journal neither."""
    graph = open_store(tmp_path / "graph")
    journal.append(
        new("The stack is FastAPI and PostgreSQL; which database we use is settled.", at=NOW - timedelta(90))
    )
    put = {"op": "put_element", "kind": "component", "name": "database"}
    graph.decide(NewDecision("The database we use is PostgreSQL", "Known.", ({**put, "gist": "PostgreSQL"},)))
    newer = graph.decide(NewDecision("The database we use is MySQL", "The host has it.", ({**put, "gist": "MySQL"},)))
    for store in ("both", "semantic", "auto"):
        answer = ask(journal, "which database do we use", graph, store=store)
        assert "MySQL" in f"{answer.hits[0].title} {answer.hits[0].text}", store
        for hit in answer.hits:
            if "PostgreSQL" in f"{hit.title} {hit.text}" and hit.kind != "element":
                assert hit.superseded_by == newer.id, store
    journal.close()
