"""The bytes of the log, as they were first written: a change of format fails here."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from semantic.store import SemanticStore
from semantic.testing import SteppingClock, open_store
from semantic.writing.recording import NewDecision

GOLDEN = Path(__file__).parents[3] / "golden" / "log"
INSTALL = "aaaaaaaaaaaa"


def write(memory: Path) -> SemanticStore:
    """Record one event of each kind, and mutations of each kind, always the same."""
    store = open_store(memory, INSTALL, clock=SteppingClock())
    store.project_for(Path("/golden/日记 app"), mint=True, actor="agent:claude", session="s-1")
    put: dict[str, Any] = {"op": "put_element", "kind": "tool", "name": "Qdrant"}
    decisions = [
        NewDecision(
            "Use Qdrant",
            "It is fast — and “small”.\n\tOn one machine.",
            [
                put | {"gist": "vector store", "props": {"port": 6333, "managed": False, "old": None, "tags": ["a"]}},
                {"op": "put_element", "kind": "tool", "name": "Café 日記", "notes": ["n"], "touches": ["src/a.py"]},
                {
                    "op": "add_link",
                    "from": {"kind": "tool", "name": "qdrant"},
                    "rel": "serves",
                    "to": {"kind": "tool", "name": "café 日記"},
                },
            ],
            actor="agent:claude",
            session="s-1",
            evidence=["ep_00000000000000000000", "vault:a.md#Top"],
        ),
        NewDecision(
            "Name it so", "w", [put | {"aliases": ["QD"]}, {"op": "rename", "id": _thing("Qdrant"), "name": "Q"}]
        ),
        NewDecision(
            "Port moved",
            "w",
            [
                {"op": "set_prop", "id": _thing("QD"), "key": "port", "value": 6334},
                {"op": "drop", "id": _thing("QD"), "field": "aliases", "value": "QD"},
                {"op": "retire_link", "from": _thing("Q"), "rel": "serves", "to": _thing("Café 日記")},
            ],
            valid_at=datetime(2026, 11, 1, tzinfo=UTC),
            about=["ep_00000000000000000001"],
        ),
        NewDecision("One thing", "w", [{"op": "merge", "ids": [_thing("Q"), _thing("Café 日記")]}]),
    ]
    merged = [store.decide(decision) for decision in decisions][-1]
    store.decide(NewDecision("Two things", "w", [{"op": "split", "id": merged.elements[0]}], supersedes=[merged.id]))
    store.decide(NewDecision("In the project", "w", [put], project="日记 app"))
    store.decide(NewDecision("In another", "w", [put], project="other"))
    store.merge_projects("other", "日记 app")
    gone = store.decide(NewDecision("To be forgotten", "words that go", []))
    store.forget([gone.id])
    return store


def _thing(name: str) -> dict[str, str]:
    return {"kind": "tool", "name": name}


def files(memory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(memory)): path.read_bytes() for path in sorted(memory.rglob("*.ndjson"))}


def test_the_same_calls_write_the_golden_bytes(tmp_path: Path) -> None:
    store = write(tmp_path)
    assert files(tmp_path) == files(GOLDEN / "memory")
    assert store.export() == (GOLDEN / "export.json").read_bytes()


@pytest.mark.parametrize("install", [INSTALL, "bbbbbbbbbbbb"])
def test_the_golden_log_replays_to_the_golden_export(tmp_path: Path, install: str) -> None:
    shutil.copytree(GOLDEN / "memory", tmp_path / "memory")
    store = open_store(tmp_path / "memory", install)
    assert store.export() == (GOLDEN / "export.json").read_bytes()
    assert store.problems() == []
