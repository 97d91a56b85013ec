"""Which entries are proposed as evidence, and what becomes of such a proposal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from episodic.store import EpisodicStore
from episodic.testing import SettableClock, WordEmbedder, make_store, new
from memoryd.jobs import witness
from memoryd.jobs.witness import Witnesses
from semantic.curation.plan import Plan
from semantic.errors import PlanSettled
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 7, 17, 9, 0, tzinfo=UTC)
SAYS = "The broker shall be RabbitMQ since the licence of Kafka costs too much"


class Memory:
    """A journal of other matters, and decisions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal: EpisodicStore = make_store(folder, clock=SettableClock(NOW))
        day = folder / "memory" / "journal" / f"{NOW - timedelta(days=1):%Y-%m-%d}.md"
        day.parent.mkdir(parents=True)
        walks = (
            f"## 10:{n}\n\nwalk {n} along river {n * 7} met friend {n * 13} talked garden {n * 17}\n"
            for n in range(10, 50)
        )
        day.write_text("\n".join(walks), "utf-8")
        self.journal.open()
        self.journal.reconcile()
        self.embedder = WordEmbedder(dimension=256)
        self.clock = SteppingClock(NOW)
        self.graph: SemanticStore = open_store(folder / "graph", clock=self.clock)
        self.witnesses = Witnesses(self.journal, lambda: self.embedder, lambda: NOW)
        self.graph.planning.offer(self.witnesses.plans)

    def say(self, text: str = SAYS, days_ago: float = 1.0, **fields: Any) -> str:
        return self.journal.append(new(text, at=NOW - timedelta(days=days_ago), **fields)).episode.id

    def decide(self, title: str = "The broker is RabbitMQ", **fields: Any) -> str:
        put = {"op": "put_element", "kind": "component", "name": f"broker {title}", "gist": "RabbitMQ"}
        why = "The licence of Kafka costs too much."
        return self.graph.decide(NewDecision(title, why, (put,), new=True, **fields)).id

    def embed(self) -> None:
        while rows := self.journal.wanting_vectors(self.embedder.fingerprint, 100):
            vectors = self.embedder.embed_passages([text for _, text in rows])
            named = {id_: vector for (id_, _), vector in zip(rows, vectors, strict=True)}
            self.journal.add_vectors(self.embedder.fingerprint, self.embedder.dimension, named)

    def plans(self) -> list[Plan]:
        self.embed()
        return self.graph.planning.list()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path)
    yield made
    made.journal.close()
    made.graph.close()


def test_an_entry_that_says_it_is_proposed_and_cited_by_one_more_line(memory: Memory) -> None:
    said, decided = memory.say(), memory.decide()
    (plan,) = memory.plans()
    assert (plan.kind, plan.state) == ("evidence", "proposed")
    (step,) = plan.steps
    assert (step.cited_by, step.evidence, step.mutations) == (decided, (said,), ())
    assert "% of the decision's telling words" in step.why
    before = memory.graph.log_seq()
    applied = memory.graph.planning.apply(plan.id)
    assert (applied.state, applied.steps[0].evidence, applied.steps[0].cited_by) == ("applied", (said,), decided)
    assert memory.graph.log_seq() == before + 1
    decision = memory.graph.decision(decided)
    assert decision.evidence == (said,)
    assert memory.graph.heads(decision.elements[0]) == (decision,)
    assert memory.graph.element(decision.elements[0]).evidence == (said,)
    again = open_store(memory.folder / "graph")
    assert again.decision(decided) == decision
    assert again.export() == memory.graph.export()
    assert [one.state for one in memory.plans()] == ["applied"]
    again.close()


def test_evidence_stays_and_says_how_to_be_rid_of_it(memory: Memory) -> None:
    said = memory.say()
    memory.decide()
    (plan,) = memory.plans()
    memory.graph.planning.apply(plan.id)
    with pytest.raises(PlanSettled, match=f"memoryd forget {said}"):
        memory.graph.planning.undo(plan.id)
    with pytest.raises(PlanSettled, match="stays"):
        memory.graph.planning.apply(plan.id)


def test_what_was_refused_is_not_proposed_again_and_changes_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "LEAST_LEAD", 2.5)  # two that say the same do not stand out as one does
    memory.say()
    decided = memory.decide()
    (plan,) = memory.plans()
    assert memory.graph.planning.refuse(plan.id).state == "refused"
    with pytest.raises(PlanSettled):
        memory.graph.planning.refuse(plan.id)
    assert [one.state for one in memory.plans()] == ["refused"]
    assert memory.graph.decision(decided).evidence == ()
    (refusal,) = [one for one in memory.graph.projection().decisions.values() if one.title.startswith("Refused")]
    assert refusal.is_bookkeeping
    other = memory.say("RabbitMQ is the broker since the licence of Kafka costs too much")
    (fresh,) = [one for one in memory.plans() if one.state == "proposed"]
    assert fresh.steps[0].evidence == (other,)


def test_what_was_refused_can_be_applied_all_the_same(memory: Memory) -> None:
    said, decided = memory.say(), memory.decide()
    (plan,) = memory.plans()
    memory.graph.planning.refuse(plan.id)
    assert memory.graph.planning.apply(plan.id).state == "applied"
    assert memory.graph.decision(decided).evidence == (said,)


@pytest.mark.parametrize(
    ("fields", "days_ago"),
    [({}, 40.0), ({}, -3.0), ({"session": "s1"}, 1.0)],
    ids=["long before", "after it held", "of its own session"],
)
def test_what_is_no_witness(memory: Memory, fields: dict[str, Any], days_ago: float) -> None:
    memory.say(days_ago=days_ago, **fields)
    memory.decide(session="s1")
    assert memory.plans() == []


def test_another_matter_and_another_project_are_no_witness(memory: Memory) -> None:
    memory.say("walk 41 along the river, met a friend who spoke of RabbitMQ")
    memory.say(project="other-00000000")
    memory.decide(project="app-00000000")
    assert memory.plans() == []


def test_what_said_the_value_before_is_no_witness(memory: Memory) -> None:
    old = memory.say("The retention of the access logs shall be 90 days, support asked for a quarter")
    put = {"op": "put_element", "kind": "rule", "name": "retention of access logs"}

    def keep(days: int, **fields: Any) -> None:
        title = f"The retention of access logs is {days} days"
        memory.graph.decide(NewDecision(title, "Asked for.", ({**put, "gist": f"{days} days"},), **fields))

    keep(14)
    assert memory.plans() == []
    memory.say("The retention of the access logs shall be 30 days, so the auditor asked")
    keep(90, evidence=(old,))
    keep(30)
    assert [old in one.steps[0].evidence for one in memory.plans()] == [False]


def test_an_entry_that_was_forgotten_is_proposed_no_more(memory: Memory) -> None:
    said = memory.say()
    memory.decide()
    assert len(memory.plans()) == 1
    memory.graph.forget([said])
    assert memory.graph.planning.list() == []


def test_without_a_model_nothing_is_proposed(memory: Memory) -> None:
    memory.say()
    memory.decide()
    memory.embed()
    memory.graph.planning.offer(Witnesses(memory.journal, lambda: None, lambda: NOW).plans)
    assert memory.graph.planning.list() == []


def test_so_many_are_proposed_at_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "MOST_PROPOSED", 1)
    memory.say()
    memory.decide()
    memory.say("The tests run under pytest in two processes, since one process takes an hour")
    put = {"op": "put_element", "kind": "tool", "name": "tests", "gist": "pytest in two processes"}
    memory.graph.decide(NewDecision("The tests run under pytest in two processes", "One takes an hour.", (put,)))
    (plan,) = memory.plans()
    memory.graph.planning.refuse(plan.id)
    assert sorted(one.state for one in memory.plans()) == ["proposed", "refused"]
