"""Forgetting."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

from episodic.errors import (
    ForgottenEpisode,
    UnknownEpisode,
)
from episodic.store import EpisodicStore
from episodic.testing import AT, found, make_store, new


def test_a_forgotten_entry_is_gone_from_everywhere(store: EpisodicStore, tmp_path: Path) -> None:
    kept = store.append(new("kept before")).episode
    gone = store.append(new("xyzzy secret", session="s", turn="t")).episode
    after = store.append(new("kept after")).episode
    excerpt = tmp_path / "memory" / "transcripts" / "s" / "t.md"
    excerpt.parent.mkdir(parents=True)
    excerpt.write_text("xyzzy secret", "utf-8")

    assert store.forget([gone.id, "ep_unknown"]) == [gone.id]

    assert found(store, "xyzzy") == []
    with pytest.raises(UnknownEpisode):
        store.get(gone.id)
    assert [e.id for e in store.list(newest_first=False)] == [kept.id, after.id] or len(store.list()) == 2
    store.close()
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"xyzzy" not in path.read_bytes(), path


def test_what_was_forgotten_is_not_taken_back(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-30.md"
    gone = store.append(new("xyzzy", session="s", turn="t")).episode
    backup = day.read_bytes()
    store.forget([gone.id])

    with pytest.raises(ForgottenEpisode):
        store.append(new("xyzzy", session="s", turn="t", at=AT + timedelta(hours=1)))
    day.write_bytes(backup)
    report = store.reconcile()
    assert b"xyzzy" not in day.read_bytes()
    assert any("taken out again" in problem.reason for problem in report.problems)
    assert store.list() == []


def test_ids_of_the_log_are_refused_before_and_after_opening(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    gone = store.append(new("xyzzy", session="s", turn="t")).episode
    store.append(new("kept"))
    store.close()
    shutil.rmtree(tmp_path / "state")

    store = make_store(tmp_path)
    store.set_refused([gone.id])
    store.open()
    store.reconcile()
    assert [e.text for e in store.list()] == ["kept"]
    assert "xyzzy" not in (tmp_path / "memory" / "journal" / "2026-11-30.md").read_text("utf-8")
    store.close()


def test_forgetting_a_hand_written_entry_leaves_its_twins_id(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-30.md"
    day.write_text("# 2026-11-30\n\n## Note\nfirst secret\n\n## Note\nsecond\n\n## Last\nthird\n", "utf-8")
    store.reconcile()
    first, second = (e for e in store.read_day(date(2026, 11, 30)) if e.title == "Note")

    assert store.forget([first.id]) == [first.id]
    assert day.read_text("utf-8") == "# 2026-11-30\n\n## Note\n## Note\nsecond\n\n## Last\nthird\n"
    assert store.get(second.id).text == "second"
    day.write_text(day.read_text("utf-8").replace("## Note\n##", "## Note\nback again\n##"), "utf-8")
    report = store.refresh([day])
    assert found(store, "back") == []
    assert "was forgotten" in report.problems[0].reason
    assert "back again" in day.read_text("utf-8")
