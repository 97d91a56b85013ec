"""Elements whose touched files changed or vanished since somebody decided about them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from semantic.confirmed import Confirmed
from semantic.store import SemanticStore
from semantic.testing import START, open_store
from semantic.writing.recording import NewDecision

NOW = datetime(2026, 12, 24, tzinfo=UTC)
INSTALL = "aaaaaaaaaaaa"
BEFORE = START.timestamp() - 1000
LATER = datetime(2026, 12, 20, 12, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    write(folder / "till.py", "one\n", BEFORE)
    return folder


def write(file: Path, text: str, at: float) -> None:
    file.write_text(text, "utf-8")
    os.utime(file, (at, at))


def touching(tmp_path: Path, root: Path, *touches: str) -> tuple[SemanticStore, str]:
    store = open_store(tmp_path / "m", INSTALL)
    return store, decide(store, root, "1", touches=list(touches))


def decide(store: SemanticStore, root: Path, title: str, **fields: Any) -> str:
    mutation = {"op": "put_element", "kind": "component", "name": "Till", "gist": title, **fields}
    return store.decide(NewDecision(title, "because", (mutation,), scope="project"), cwd=root).elements[0]


def since(store: SemanticStore, state: Path) -> datetime | None:
    found = Confirmed(state, INSTALL, store.projection, lambda: NOW).since(store.elements())
    return next(iter(found.values()), None)


def test_a_file_that_changed_or_went_makes_its_element_unconfirmed(tmp_path: Path, root: Path) -> None:
    store, id_ = touching(tmp_path, root, "till.py")
    state = tmp_path / "confirmed.sqlite"
    assert since(store, state) is None
    write(root / "till.py", "two\n", LATER.timestamp())
    assert since(store, state) == LATER
    # Written once more, it has been unconfirmed since the first time.
    write(root / "till.py", "three\n", LATER.timestamp() + 5)
    assert since(store, state) == LATER
    # What it was is what was confirmed.
    write(root / "till.py", "one\n", LATER.timestamp() + 9)
    assert since(store, state) is None
    (root / "till.py").unlink()
    assert since(store, state) == NOW
    assert since(store, state) == NOW
    # The next decision about it confirms it as it is.
    write(root / "till.py", "four\n", BEFORE)
    assert decide(store, root, "2") == id_
    assert since(store, state) is None


def test_a_new_time_alone_changes_nothing(tmp_path: Path, root: Path) -> None:
    store, _ = touching(tmp_path, root, "till.py")
    state = tmp_path / "confirmed.sqlite"
    assert since(store, state) is None
    os.utime(root / "till.py", (LATER.timestamp(), LATER.timestamp()))
    assert since(store, state) is None


def test_without_what_was_kept_the_time_of_writing_tells(tmp_path: Path, root: Path) -> None:
    store, _ = touching(tmp_path, root, "till.py")
    write(root / "till.py", "two\n", LATER.timestamp())
    assert since(store, tmp_path / "confirmed.sqlite") == LATER


def test_what_another_machine_decided_counts_from_the_first_look(tmp_path: Path, root: Path) -> None:
    other = open_store(tmp_path / "m", "bbbbbbbbbbbb")
    decide(other, root, "1", touches=["till.py"])
    other.close()
    store = open_store(tmp_path / "m", INSTALL)
    decide_root = NewDecision(
        "2", "because", ({"op": "put_element", "kind": "tool", "name": "Other"},), scope="project"
    )
    store.decide(decide_root, cwd=root)  # by it this machine's folder is known
    write(root / "till.py", "two\n", LATER.timestamp())
    assert since(store, tmp_path / "confirmed.sqlite") is None


@pytest.mark.parametrize("touched", ["*.py", "../secret.txt", "path:elsewhere:till.py", "sub"])
def test_globs_folders_and_what_lies_elsewhere_are_let_alone(tmp_path: Path, root: Path, touched: str) -> None:
    (root / "sub").mkdir()
    (root.parent / "secret.txt").write_text("x", "utf-8")
    store, _ = touching(tmp_path, root, touched)
    assert since(store, tmp_path / "confirmed.sqlite") is None


def test_a_project_may_be_named_and_the_path_be_whole(tmp_path: Path, root: Path) -> None:
    store, _ = touching(tmp_path, root, "path:shop:./till.py")
    write(root / "till.py", "two\n", LATER.timestamp())
    assert since(store, tmp_path / "confirmed.sqlite") == LATER


def test_a_file_of_state_that_is_no_database_is_worked_without(tmp_path: Path, root: Path) -> None:
    store, _ = touching(tmp_path, root, "till.py")
    state = tmp_path / "confirmed.sqlite"
    state.write_bytes(b"no database at all" * 100)
    write(root / "till.py", "two\n", LATER.timestamp())
    assert since(store, state) == LATER
