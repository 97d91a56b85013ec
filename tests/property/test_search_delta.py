"""Taking in what one decision changed leaves the search as a comparison of everything would. Behaviour 27."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic.errors import SemanticError
from semantic.search.query import SemanticQuery
from semantic.store import SemanticStore
from semantic.testing import open_store
from semantic.writing.recording import NewDecision

NAMES = ["alpha", "beta", "gamma", "delta"]
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "link", "merge", "split", "rename", "forget"]), st.integers(0, 3), st.integers(0, 3)
    ),
    max_size=8,
)


def thing(number: int) -> dict[str, str]:
    return {"kind": "tool", "name": NAMES[number]}


def take(store: SemanticStore, step: int, op: str, one: int, other: int) -> None:
    mutations: dict[str, list[dict[str, Any]]] = {
        "put": [{"op": "put_element", **thing(one), "gist": f"gist{step}"}],
        "link": [{"op": "add_link", "from": thing(one), "rel": "uses", "to": thing(other)}],
        "merge": [{"op": "merge", "ids": [thing(one), thing(other)]}],
        "split": [{"op": "split", "id": thing(one)}],
        "rename": [{"op": "rename", "id": thing(one), "name": f"renamed {step}"}],
    }
    try:
        if op == "forget":
            store.forget([store.elements()[one % len(store.elements())].id])
        else:
            store.decide(NewDecision(f"step {step}", "w", mutations[op], new=op == "put"))
    except (SemanticError, ZeroDivisionError):
        return  # not every order of steps makes sense


def found(store: SemanticStore) -> list[list[tuple[str, str, str]]]:
    while store.pending():
        store.reconcile()
    words = [*NAMES, *(f"gist{number}" for number in range(9)), "renamed", "step"]
    hits = [store.search(SemanticQuery(word, limit=50), None).hits for word in words]
    return [sorted((hit.id, hit.title, hit.text) for hit in one) for one in hits]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_the_search_is_as_after_a_new_start(taken: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        store.decide(NewDecision("begin", "w", [{"op": "put_element", **thing(n), "gist": "g"} for n in range(4)]))
        for number, (op, one, other) in enumerate(taken):
            take(store, number, op, one, other)
        again = open_store(Path(folder))
        assert found(store) == found(again)
        store.close()
        again.close()
