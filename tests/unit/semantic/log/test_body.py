from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from semantic.errors import BrokenLine
from semantic.log.body import read_body
from semantic.log.shards import Draft, Log
from semantic.testing import SteppingClock, open_store

DECISION: dict[str, Any] = {"title": "t", "why": "w", "mutations": [], "evidence": [], "supersedes": [], "about": []}
IDS = {
    "decision": "de_" + "0" * 24,
    "project": "n-00000000",
    "project_merge": "pm_" + "0" * 24,
    "forget": "fo_" + "0" * 24,
}
PROJECT: dict[str, Any] = {"name": "n", "remotes": [], "roots": [{"install": "a", "path": "/x"}]}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("decision", DECISION),
        ("decision", DECISION | {"valid_at": "2026-05-01T00:00:00.000Z", "colour": "ignored"}),
        ("project", PROJECT),
        ("project_merge", {"from": "a", "into": "b"}),
        ("forget", {"ids": ["el_1"]}),
    ],
)
def test_whole_bodies_are_read(kind: str, body: dict[str, Any]) -> None:
    assert read_body(kind, IDS[kind], body) == body


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("decision", {}),
        ("decision", DECISION | {"title": 3}),
        ("decision", DECISION | {"evidence": "ep_1"}),
        ("decision", DECISION | {"about": [1]}),
        ("decision", DECISION | {"valid_at": "2026-05-01"}),
        ("decision", DECISION | {"valid_at": None}),
        ("decision", DECISION | {"mutations": {}}),
        ("decision", DECISION | {"mutations": [{"op": "dream"}]}),
        ("project", PROJECT | {"roots": ["/x"]}),
        ("project", PROJECT | {"roots": [{"install": "a"}]}),
        ("project_merge", {"from": "a"}),
        ("forget", {"ids": None}),
    ],
)
def test_a_body_that_lacks_something_is_damage(kind: str, body: dict[str, Any]) -> None:
    with pytest.raises(BrokenLine):
        read_body(kind, IDS[kind], body)


@pytest.mark.parametrize("id_", ["de_<script>", "de_" + "A" * 24, "el_" + "0" * 20, "", "de_" + "0" * 24 + "\n"])
def test_an_id_that_is_not_of_its_kind_is_damage(id_: str) -> None:
    with pytest.raises(BrokenLine, match="its id is none of a decision"):
        read_body("decision", id_, DECISION)


@pytest.mark.parametrize(
    "odd", [{"supersedes": ["de_<script>"]}, {"about": ["<b>"]}, {"evidence": ["javascript"]}, {"evidence": [":x"]}]
)
def test_odd_ids_inside_a_body_are_damage(odd: dict[str, Any]) -> None:
    with pytest.raises(BrokenLine):
        read_body("decision", IDS["decision"], DECISION | odd)


def test_a_well_hashed_line_with_a_bad_body_is_named_and_the_rest_is_used(tmp_path: Path) -> None:
    log = Log(tmp_path, "bbbbbbbbbbbb", SteppingClock())
    log.open()
    bad = DECISION | {"mutations": [{"op": "split", "id": "nobody"}]}
    log.append(Draft("decision", "de_" + "0" * 24, bad, "person"))
    log.append(Draft("decision", "de_" + "1" * 24, DECISION, "person"))
    store = open_store(tmp_path)
    assert list(store.projection().decisions) == ["de_" + "1" * 24]
    (problem,) = store.problems()
    assert problem.startswith("log/user/bbbbbbbbbbbb.ndjson: seq 1: its mutation.id")
