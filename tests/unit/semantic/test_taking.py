"""What can be told of those who took things in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from semantic.store import SemanticStore
from semantic.testing import counting_entropy
from semantic.vault.contract import Contract
from semantic.writing.recording import NewDecision


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SemanticStore]:
    made = SemanticStore(
        memory=tmp_path,
        install="a" * 12,
        clock=lambda: datetime(2026, 11, 30, 9, tzinfo=UTC),
        entropy=counting_entropy(),
        zone=UTC,
        vaults={},
        contract=Contract(),
    )
    made.open()
    yield made
    made.close()


def test_a_session_is_known_also_when_what_it_recorded_was_forgotten(store: SemanticStore) -> None:
    for number, actor in enumerate(("job:import", "job:import", "person")):
        put = {"op": "put_element", "kind": "bird", "name": f"Heron {number}"}
        store.decide(NewDecision(f"T{number}", "W", [put], scope="user", actor=actor, session=f"s{number}"))
    store.decide(NewDecision("T", "W", scope="user", actor="job:import"))
    assert store.taking.sessions_of("job:import") == {"s0", "s1"}
    store.forget([one.id for one in store.projection().decisions.values()])
    assert store.taking.sessions_of("job:import") == {"s0", "s1"}
