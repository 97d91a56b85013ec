"""What holds now, asked beside a journal that has many words in common with the question and says what held once.

The question is the commonest there is: which tool do we use for something? One line of the journal names the old
tool in the question's own words, a dozen others have its words on other matters, and the decision that holds says it
in a gist. Whoever reads the first hits must not take the old tool for today's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodic.store import EpisodicStore
from episodic.testing import SettableClock, make_store, new
from memoryd.router.recall import Recall
from memoryd.router.request import RecallRequest
from memoryd.text.hit import Hit
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
OLD_LINE = "We use Redis as the cache for sessions; it is fast enough."
NOISE = (
    "The build cache of the runner grows; testing the cache action on two branches.",
    "Custom cache key for the install job, released as v1.9.0.",
    "Asked about caching dependencies and further folders in the pipeline.",
    "A relative path of the cache folder leads to trouble; use an absolute one.",
    "We use the cache of the package index in the lab now and then.",
    "Workshop on testing; people use snapshots a lot.",
)


Decided = tuple[tuple[str, tuple[dict[str, object], ...]], ...]


@dataclass(slots=True)
class Memory:
    """Both memories, open."""

    journal: EpisodicStore
    graph: SemanticStore

    def ask(self, query: str, limit: int = 5) -> tuple[Hit, ...]:
        recall = Recall(episodic=self.journal, semantic=self.graph, clock=lambda: NOW)
        return recall.recall(RecallRequest(query, limit=limit)).hits

    def decide(self, decided: Decided) -> str:
        """Record decisions and return the id of the last."""
        return [self.graph.decide(NewDecision(title, "The licence.", mutations)).id for title, mutations in decided][-1]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    journal = make_store(tmp_path, clock=SettableClock(NOW))
    journal.open()
    for number, line in enumerate(NOISE * 3):
        journal.append(new(f"{line} ({number})", at=NOW - timedelta(days=300 + number)))
    journal.append(new(OLD_LINE, at=NOW - timedelta(days=90)))
    yield Memory(journal, open_store(tmp_path / "graph"))
    journal.close()


def put(name: str, gist: str) -> dict[str, object]:
    return {"op": "put_element", "kind": "tool", "name": name, "gist": gist}


REPLACED_BY_ANOTHER = (
    ("Redis is the cache", (put("Redis", "in-memory cache for sessions"),)),
    (
        "Valkey replaces Redis as the cache",
        (put("Redis", "was the cache"), put("Valkey", "in-memory cache for sessions")),
    ),
)
SAID_ANEW = (
    ("The cache is Redis", (put("session cache", "Redis keeps the sessions in memory"),)),
    ("The cache is Valkey", (put("session cache", "Valkey keeps the sessions in memory"),)),
)


@pytest.mark.parametrize("decided", [REPLACED_BY_ANOTHER, SAID_ANEW], ids=["another element", "the same element"])
@pytest.mark.parametrize("query", ["which cache do we use?", "What do we use as the session cache?", "our cache"])
def test_what_holds_stands_first_and_the_old_line_is_marked(memory: Memory, query: str, decided: Decided) -> None:
    """BH39's kind: what is known answers first, although the journal has more of the question's words."""
    newest = memory.decide(decided)
    hits = memory.ask(query)
    assert "Valkey" in hits[0].title + hits[0].text
    old = [place for place, hit in enumerate(hits) if OLD_LINE in hit.text]
    assert all(hits[place].superseded_by == newest for place in old)
    now = next(place for place, hit in enumerate(hits) if "Valkey" in hit.title + hit.text)
    assert all(place > now for place in old)


@pytest.mark.parametrize("query", ["which cache do we use?", "what is our cache for sessions?"])
def test_what_was_recorded_on_purpose_is_not_drowned_by_a_journal_that_has_the_words(
    memory: Memory, query: str
) -> None:
    """A gist is a few words; a journal of years has all words of any question somewhere."""
    memory.decide((("Valkey is the cache", (put("Valkey", "in-memory cache for sessions"),)),))
    for days in range(6):
        memory.journal.append(new(f"People use the cache of the map tiles ({days}).", at=NOW - timedelta(days)))
    assert "Valkey" in "".join(hit.title + hit.text for hit in memory.ask(query)[:2])


@pytest.mark.parametrize("query", ["What did we use as cache?", "when did we talk about the cache for sessions?"])
def test_who_asks_what_happened_gets_the_old_line_and_is_told_that_it_is_history(memory: Memory, query: str) -> None:
    """The old line answers, and says by which decision it was overtaken."""
    newest = memory.decide(REPLACED_BY_ANOTHER)
    old = next(hit for hit in memory.ask(query) if OLD_LINE in hit.text)
    assert old.superseded_by == newest


def test_what_only_names_the_old_thing_is_not_history(memory: Memory) -> None:
    """Lines on other matters of the replaced thing, and lines that tell of the change, are left unmarked."""
    kept = (
        "The Redis workshop in Berlin was sold out.",
        "Valkey took over as cache; Redis is no longer the cache for sessions.",
    )
    for number, line in enumerate(kept):
        memory.journal.append(new(line, at=NOW - timedelta(days=100 + number)))
    memory.decide(REPLACED_BY_ANOTHER)
    hits = memory.ask("What did we say about Redis and the cache for sessions?", limit=30)
    assert [hit.superseded_by for hit in hits if hit.text.strip() in kept] == [None] * 2


def test_a_question_that_was_never_answered_is_no_answer(memory: Memory) -> None:
    """A turn that was interrupted has all the question's words, and nothing else."""
    asked = "Where does the nightly backup of the tiles go?"
    memory.journal.append(new(f"Asked: {asked}\n\nOutcome: interrupted", title=asked, at=NOW - timedelta(1)))
    memory.journal.append(new("The backup of the tiles goes to the second disk.", at=NOW - timedelta(70)))
    assert memory.ask(asked)[0].text.strip() == "The backup of the tiles goes to the second disk."


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_whether_anything_answers_does_not_hang_on_how_much_is_shown(memory: Memory, limit: int) -> None:
    recall = Recall(episodic=memory.journal, semantic=memory.graph, clock=lambda: NOW)
    for query in ("zorgblat frobnication", "the cache action of the runner"):
        whole = recall.recall(RecallRequest(query, limit=30)).route.reasons
        assert recall.recall(RecallRequest(query, limit=limit)).route.reasons == whole
