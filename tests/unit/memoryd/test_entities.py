"""The file of an MCP memory server: taken in once, and nothing that was decided since is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.capture.importing import ImportFailed
from memoryd.jobs.entities import import_entities, read_entities
from semantic.store import SemanticStore
from semantic.testing import counting_entropy
from semantic.vault.contract import Contract
from semantic.writing.recording import NewDecision

ANA = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Works on billing", "Lives in Graz"]}
BILLING = {"type": "entity", "name": "Billing", "entityType": "service", "observations": []}
WORKS = {"type": "relation", "from": "Ana", "to": "Billing", "relationType": "works_on"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SemanticStore]:
    now = [datetime(2026, 11, 30, 9, tzinfo=UTC)]

    def clock() -> datetime:
        now[0] += timedelta(milliseconds=5)
        return now[0]

    made = SemanticStore(
        memory=tmp_path / "memory",
        install="a" * 12,
        clock=clock,
        entropy=counting_entropy(),
        zone=UTC,
        vaults={},
        contract=Contract(),
    )
    made.open()
    yield made
    made.close()


def write(folder: Path, *lines: Any) -> Path:
    file = folder / "memory.json"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), "utf-8")
    return file


def test_entities_become_elements_and_relations_links(store: SemanticStore, tmp_path: Path) -> None:
    file = write(tmp_path, ANA, BILLING, WORKS)
    dry = import_entities(file, store, is_dry=True)
    assert (dry.body()["turns"], len(store.projection().decisions)) == ({"recorded": 3}, 0)
    assert import_entities(file, store).body()["turns"] == {"recorded": 3}
    found = {one.name: one for one in store.projection()}
    assert set(found) == {"Ana", "Billing"}
    assert (found["Ana"].kind, found["Ana"].gist) == ("person", "Works on billing; Lives in Graz")
    (link,) = found["Ana"].links
    assert (link.relation, link.target) == ("works_on", found["Billing"].id)
    assert {one.actor for one in store.projection().decisions.values()} == {"job:import"}


def test_a_second_run_records_nothing_and_undoes_nothing(store: SemanticStore, tmp_path: Path) -> None:
    file = write(tmp_path, ANA, BILLING, WORKS)
    import_entities(file, store)
    moved = {"op": "put_element", "kind": "person", "name": "Ana", "gist": "Lives in Linz"}
    store.decide(NewDecision("Ana moved", "She said so.", [moved], scope="user"))
    again = import_entities(file, store).body()
    assert (again["turns"], again["problems"]) == ({"known": 3}, [])
    assert {one.gist for one in store.projection() if one.name == "Ana"} == {"Lives in Linz"}
    more = {**ANA, "observations": [*ANA["observations"], "Plays chess"]}
    assert import_entities(write(tmp_path, more), store).body()["turns"] == {"recorded": 1}


def test_what_cannot_be_taken_in_is_named_and_the_rest_is_taken(store: SemanticStore, tmp_path: Path) -> None:
    near = {"type": "entity", "name": "billing!", "entityType": "service", "observations": ["A slip"]}
    lost = {**WORKS, "to": "Nobody"}
    odd = ["{", "7", '{"type": "entity"}', json.dumps({**ANA, "name": " "}), json.dumps({"type": "dream"})]
    report = import_entities(write(tmp_path, BILLING, near, ANA, lost, *odd), store).body()
    assert report["turns"] == {"recorded": 2}
    assert report["skipped"] == {
        "lines that are neither an entity nor a relation": 5,
        "relations with an end that is no entity": 1,
    }
    assert [one for one in report["problems"] if one.startswith("Taken in: billing! (service): ")]


def test_where_there_is_no_file_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="there is no file"):
        read_entities(tmp_path / "nothing.json")
