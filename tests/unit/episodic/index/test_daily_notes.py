"""Daily notes of vaults: part of the timeline, never written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from episodic.search.arms import EpisodicQuery
from episodic.store import DailyNotes, EpisodicStore
from episodic.testing import found, make_store, new


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "Daily").mkdir(parents=True)
    (folder / "Daily" / "2026-11-30.md").write_text("---\nmood: ok\n---\n## 08:00 Run\nran with the heron\n", "utf-8")
    (folder / "Daily" / "template.md").write_text("a heron template\n", "utf-8")
    (folder / "Note.md").write_text("a heron note\n", "utf-8")
    return folder


@pytest.fixture
def with_vault(tmp_path: Path, vault: Path) -> Iterator[EpisodicStore]:
    made = make_store(tmp_path, sources=[DailyNotes("work", vault, "Daily")])
    made.open()
    made.reconcile()
    yield made
    made.close()


def test_daily_notes_are_entries_of_their_day(with_vault: EpisodicStore, vault: Path) -> None:
    with_vault.append(new("a heron in the journal"))

    (hit,) = [hit for hit in with_vault.search(EpisodicQuery("heron"), None).hits if hit.path and ":" in hit.path]
    assert (hit.path, hit.lines, hit.title) == ("work:Daily/2026-11-30.md", (5, 5), "Run")
    assert hit.at == datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    assert [e.title for e in with_vault.read_day(date(2026, 11, 30))] == ["Run", "13:05"]
    assert with_vault.days()[0].episodes == 2
    memory = vault.parent / "memory"
    assert with_vault.watched() == [memory / "journal", memory / "transcripts", vault / "Daily"]


def test_a_daily_note_is_followed_and_removed(with_vault: EpisodicStore, vault: Path) -> None:
    note = vault / "Daily" / "2026-11-29.md"
    note.write_text("saw an egret\n", "utf-8")
    with_vault.refresh([note, vault / "Note.md"])
    assert found(with_vault, "egret") == ["saw an egret"]
    note.unlink()
    with_vault.refresh([note])
    assert found(with_vault, "egret") == []


def test_forgetting_a_daily_note_hides_it_and_leaves_the_file(with_vault: EpisodicStore, vault: Path) -> None:
    (episode,) = with_vault.list()
    before = (vault / "Daily" / "2026-11-30.md").read_bytes()

    assert with_vault.forget([episode.id]) == []
    assert found(with_vault, "heron") == []
    with_vault.reconcile()
    assert found(with_vault, "heron") == []
    assert (vault / "Daily" / "2026-11-30.md").read_bytes() == before


def test_a_vault_that_is_not_there_prunes_nothing_and_one_that_is_no_longer_named_does(
    tmp_path: Path, with_vault: EpisodicStore, vault: Path
) -> None:
    vault.rename(tmp_path / "aside")
    report = with_vault.reconcile()
    assert (report.removed, found(with_vault, "heron")) == (0, ["ran with the heron"])
    assert "not there" in report.problems[0].reason
    with_vault.close()

    store = make_store(tmp_path)
    store.open()
    assert store.reconcile().removed == 1
    assert found(store, "heron") == []
    store.close()
