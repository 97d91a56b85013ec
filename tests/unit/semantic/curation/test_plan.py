"""Plans: what is proposed, applied through the log, and taken back by it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from semantic.errors import PlanSettled, UnknownPlan
from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision


def put(
    store: SemanticStore, name: str, gist: str = "g", project: str | None = None, *, new: bool = False, **more: Any
) -> str:
    mutation = {"op": "put_element", "kind": "tool", "name": name, "gist": gist}
    decision = NewDecision(f"know {name} {gist}", "w", [mutation], project=project, new=new, **more)
    return store.decide(decision).elements[0]


def test_near_names_are_proposed_as_one_applied_undone_and_applied_again(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = sorted([put(store, "Kubernetes", evidence=["ep_01AAAAAAAAAA"]), put(store, "kubernetas", new=True)])
    put(store, "postgres15")
    put(store, "postgres16")
    (plan,) = store.planning.list()
    assert (plan.kind, plan.state, plan.steps[0].evidence) == ("consolidation", "proposed", ("ep_01AAAAAAAAAA",))
    before = store.log_seq()
    assert store.planning.get(plan.id) == plan
    assert store.log_seq() == before
    for count in (1, 2):
        assert store.planning.apply(plan.id).state == "applied"
        assert store.projection().shown(ids[1]) == ids[0]
        with pytest.raises(PlanSettled):
            store.planning.apply(plan.id)
        assert store.planning.undo(plan.id).state == "undone"
        assert {element.id for element in store.elements()} > set(ids)
        with pytest.raises(PlanSettled):
            store.planning.undo(plan.id)
        assert len([one for one in store.projection().decisions.values() if one.session == plan.id]) == 2 * count
    again = open_store(tmp_path)
    assert again.planning.list() == store.planning.list()
    with pytest.raises(UnknownPlan):
        store.planning.get("pl_" + "0" * 24)


def test_elements_that_a_link_tells_apart_are_no_proposal(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    one, other = put(store, "milvus-lite"), put(store, "Milvus Lite", new=True)
    assert len(store.planning.list()) == 1
    store.decide(NewDecision("two", "w", [{"op": "add_link", "from": one, "rel": "differs_from", "to": other}]))
    assert store.planning.list() == []


@pytest.mark.parametrize(("projects", "days", "proposed"), [(3, 1, 1), (2, 1, 0), (1, 5, 1), (1, 4, 0)])
def test_a_fact_that_recurs_is_proposed_for_all(tmp_path: Path, projects: int, days: int, proposed: int) -> None:
    clock = SteppingClock()
    store = open_store(tmp_path, clock=clock)
    for day in range(days):
        for number in range(projects):
            put(store, "Ruff", f"lint {day}", f"app{number}")
        clock.now += timedelta(days=1)
    found = store.planning.list()
    assert len(found) == proposed
    if not found:
        return
    plan = store.planning.apply(found[0].id)
    (known,) = [one for one in store.elements() if one.scope == "user"]
    assert (known.name, known.gist, known.props["scope"]) == ("Ruff", f"lint {days - 1}", "global")
    assert len(known.links) == projects
    store.planning.undo(plan.id)
    (known,) = [one for one in store.elements() if one.scope == "user"]
    assert known.props["withdrawn"] is True
    assert known.links == ()
    store.planning.apply(plan.id)
    (known,) = [one for one in store.elements() if one.scope == "user"]
    assert "withdrawn" not in known.props
    assert len(known.links) == projects


def test_a_series_of_names_is_no_thousand_proposals(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    names = [f"sensor of room {chr(97 + a)}{chr(97 + b)}" for a in range(16) for b in range(14)]
    puts = [{"op": "put_element", "kind": "tool", "name": name} for name in names]
    store.decide(NewDecision("all", "w", puts, new=True))
    assert store.planning.list() == []
