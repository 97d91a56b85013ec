"""A stop does not wait for a scan: both stores let go between two files, and go on from there the next time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from episodic.engine.exact import ExactEngine
from episodic.store import EpisodicStore
from memoryd.text.stop import stoppable
from semantic.store import SemanticStore
from semantic.vault.contract import Contract

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FILES = 30


class EndedError(Exception):
    pass


def after(times: int) -> Callable[[], None]:
    left = iter(range(times))

    def check() -> None:
        if next(left, None) is None:
            raise EndedError

    return check


def test_the_journal_is_let_go_between_two_files(tmp_path: Path) -> None:
    journal = tmp_path / "memory" / "journal"
    journal.mkdir(parents=True)
    for day in range(1, FILES + 1):
        (journal / f"2026-11-{day:02}.md").write_text(f"# 2026-11-{day:02}\n\n## 10:00 a\n\nword{day}\n", "ascii")
    store = EpisodicStore(
        memory=tmp_path / "memory",
        state=tmp_path / "state",
        install="a" * 12,
        engine_factory=lambda: ExactEngine(tmp_path / "state" / "exact.db"),
        clock=lambda: NOW,
        zone=UTC,
        entropy=lambda count: b"x" * count,
        languages=("en",),
    )
    store.open()
    with stoppable(after(10)), pytest.raises(EndedError):
        store.reconcile()
    assert 0 < store.counts().episodes < FILES
    store.reconcile()
    assert store.counts().episodes == FILES
    store.close()


def test_the_vault_is_let_go_between_two_files(tmp_path: Path) -> None:
    vault = tmp_path / "memory" / "vault"
    vault.mkdir(parents=True)
    for number in range(FILES):
        (vault / f"note {number}.md").write_text(f"# Note {number}\n\nword{number}\n", "ascii")
    store = SemanticStore(
        memory=tmp_path / "memory",
        install="a" * 12,
        clock=lambda: NOW,
        entropy=lambda count: b"x" * count,
        zone=UTC,
        vaults={"vault": vault},
        contract=Contract(facets=("type",), required_keys=()),
    )
    store.open()
    with stoppable(after(10)), pytest.raises(EndedError):
        store.reconcile()
    assert store.counts().notes == 0
    store.reconcile()
    assert store.counts().notes == FILES
    store.close()
