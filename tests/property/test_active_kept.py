"""What is kept from one pass of the active set to the next says what a pass from nothing says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic.attention.active import ActiveSet, Pass
from semantic.attention.ground import Ground
from semantic.errors import SemanticError
from semantic.model import Element, Scope
from semantic.store import SemanticStore
from semantic.testing import START, open_store
from semantic.writing.recording import NewDecision

LIMIT = 60
NAMES = [f"{letter * 9} {number}" for number, letter in enumerate("abcdefgh")]
steps = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "put",
                "put",
                "gist",
                "link",
                "retire",
                "merge",
                "split",
                "forget",
                "read",
                "pin",
                "archive",
                "pass",
                "move",
            ]
        ),
        st.integers(0, 7),
        st.integers(0, 7),
    ),
    min_size=4,
    max_size=24,
)


class Hours:
    """A clock that goes on by some hours with each look, so that what is new grows old."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> Any:
        return self.now


def cost(element: Element) -> int:
    return len(element.gist)


def thing(number: int) -> dict[str, str]:
    return {"kind": "tool", "name": NAMES[number]}


def take(store: SemanticStore, op: str, one: int, other: int) -> None:
    mutations: dict[str, list[dict[str, Any]]] = {
        "put": [{"op": "put_element", **thing(one), "gist": "x" * (5 + other)}],
        "gist": [{"op": "put_element", **thing(one), "gist": "y" * (5 + other)}],
        "link": [{"op": "add_link", "from": thing(one), "rel": "uses", "to": thing(other)}],
        "retire": [{"op": "retire_link", "from": thing(one), "rel": "uses", "to": thing(other)}],
        "merge": [{"op": "merge", "ids": [thing(one), thing(other)]}],
        "split": [{"op": "split", "id": thing(one)}],
    }
    ids = [element.id for element in store.elements()]
    try:
        if op in mutations:
            project = "app" if one > 5 else None
            store.decide(NewDecision(f"{op} {one} {other}", "w", mutations[op], project=project))
        elif op == "move":
            store.merge_projects("app", "other")
        elif ids and op == "forget":
            store.forget([ids[one % len(ids)]])
        elif ids and op in {"read", "pin", "archive"}:
            store.attend(op, [ids[one % len(ids)]], actor="agent")
    except SemanticError:
        return  # not every order of steps makes sense


def afresh(store: SemanticStore, clock: Hours, project: str | None) -> Pass:
    picture = store.projection()
    scope = "user" if project is None else "project"
    living = [one for one in picture if one.scope == scope and one.project == project]
    ground = Ground.of(living, picture.links, picture.decisions, cost)
    return ActiveSet(ground, standings=store.attention(), now=clock(), limit=LIMIT).settle()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_a_kept_pass_is_as_one_from_nothing(taken: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = Hours()
        store = open_store(Path(folder), clock=clock)
        for number in range(4):
            take(store, "put", number, number)
        for op, one, other in taken:
            take(store, op, one, other)
            clock.now += (other * 12 + 1) * (START - START.replace(hour=START.hour - 1))
            store.flush_attention()
            for project in {None, *(element.project for element in store.elements())}:
                scope: Scope = "user" if project is None else "project"
                wanted = afresh(store, clock, project)
                found = store.settle_active(scope, project, cost=cost, limit=LIMIT)
                assert found == wanted
                again = afresh(store, clock, project)
                assert store.settle_active(scope, project, cost=cost, limit=LIMIT) == again
        store.close()
