"""What the journal says on many days or in many projects is proposed as knowledge, with its entries as evidence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodic.store import EpisodicStore
from episodic.testing import SettableClock, make_store, new
from memoryd.jobs.recurrence import MOST_EVIDENCE, Recurrence
from semantic.curation.plan import DAYS, PROJECTS, Plan
from semantic.errors import UnknownPlan
from semantic.store import SemanticStore
from semantic.testing import open_store

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
RULE = "Migrations run before the deployment of the workers."


class Memory:
    """A journal whose recurring sentences are offered to a log."""

    def __init__(self, folder: Path) -> None:
        self.journal: EpisodicStore = make_store(folder, clock=SettableClock(NOW))
        self.journal.open()
        self.graph: SemanticStore = open_store(folder / "graph")
        self.graph.planning.offer(Recurrence(self.journal, UTC).plans)

    def say(self, text: str, *, days_ago: int = 0, project: str | None = None) -> str:
        at = NOW - timedelta(days=days_ago)
        return self.journal.append(new(text, at=at, project=project)).episode.id

    def proposed(self) -> list[Plan]:
        return [plan for plan in self.graph.planning.list() if plan.state == "proposed"]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def test_a_sentence_of_many_days_is_proposed_once_with_its_entries(memory: Memory) -> None:
    ids = [memory.say(f"Day {n} was long. {RULE}", days_ago=n) for n in range(DAYS - 1)]
    assert memory.proposed() == []
    ids.append(memory.say("- migrations  run before THE deployment of the workers\n\nDone.", days_ago=DAYS))
    (plan,) = memory.proposed()
    assert plan.kind == "promotion"
    (step,) = plan.steps
    assert step.why == f"The journal says so in {DAYS} days."
    assert set(step.evidence) == set(ids)
    assert step.project is None


def test_the_same_day_or_project_counts_once(memory: Memory) -> None:
    for _ in range(DAYS + 1):
        memory.say(RULE, project="shop-1")
    assert memory.proposed() == []
    for n in range(PROJECTS - 1):
        memory.say(RULE, project=f"other-{n}")
    assert [plan.steps[0].why for plan in memory.proposed()] == [f"The journal says so in {PROJECTS} projects."]


def test_what_says_nothing_is_not_proposed(memory: Memory) -> None:
    for n in range(DAYS + 1):
        memory.say("We did it.\n\nRan make check.\n\n## Asked", days_ago=n)
    assert memory.proposed() == []


def test_it_is_applied_undone_and_never_proposed_again(memory: Memory) -> None:
    for n in range(DAYS + MOST_EVIDENCE):
        memory.say(RULE, days_ago=n)
    (plan,) = memory.proposed()
    assert memory.graph.planning.get(plan.id) == plan
    applied = memory.graph.planning.apply(plan.id)
    assert applied.state == "applied"
    (element,) = memory.graph.projection().elements.values()
    assert (element.kind, element.name, element.gist) == ("fact", RULE.rstrip("."), RULE.rstrip("."))
    assert len(element.evidence) == MOST_EVIDENCE
    assert memory.proposed() == []
    memory.graph.planning.undo(plan.id)
    assert memory.proposed() == []
    with pytest.raises(UnknownPlan):
        memory.graph.planning.get("pl_none")


def test_what_is_known_already_is_not_proposed(memory: Memory) -> None:
    from semantic.writing.recording import NewDecision

    put = {"op": "put_element", "kind": "rule", "name": "Order of releases", "gist": RULE}
    memory.graph.decide(NewDecision("Migrations first", "They broke.", (put,)))
    for n in range(DAYS):
        memory.say(RULE, days_ago=n)
    assert memory.proposed() == []
