"""The second copy of the last day's entries."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodic.journal.recent import RecentEntries
from episodic.testing import SettableClock


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))


def opened(tmp_path: Path, clock: SettableClock) -> RecentEntries:
    recent = RecentEntries(tmp_path / "recent.ndjson", clock=clock)
    recent.load()
    return recent


def test_entries_outlive_a_restart(tmp_path: Path, clock: SettableClock) -> None:
    opened(tmp_path, clock).add("ep_1", "journal/a.md", "## x\n数\n")

    (entry,) = opened(tmp_path, clock).of("journal/a.md")
    assert (entry.id, entry.section, entry.written_at) == ("ep_1", "## x\n数\n", clock.now)
    assert opened(tmp_path, clock).of("journal/b.md") == []
    assert stat.S_IMODE((tmp_path / "recent.ndjson").stat().st_mode) == 0o600


def test_old_entries_go(tmp_path: Path, clock: SettableClock) -> None:
    recent = opened(tmp_path, clock)
    recent.add("ep_1", "a", "one")
    clock.advance(timedelta(hours=23))
    recent.add("ep_2", "a", "two")
    clock.advance(timedelta(hours=2))

    assert [entry.id for entry in recent.of("a")] == ["ep_2"]
    recent.add("ep_3", "a", "three")
    assert b"one" not in (tmp_path / "recent.ndjson").read_bytes()


def test_a_restored_entry_is_not_restored_twice(tmp_path: Path, clock: SettableClock) -> None:
    recent = opened(tmp_path, clock)
    recent.add("ep_1", "a", "one")
    recent.mark_restored("ep_1")

    assert recent.of("a") == []
    assert opened(tmp_path, clock).of("a") == []


def test_removed_text_is_gone_from_the_file(tmp_path: Path, clock: SettableClock) -> None:
    recent = opened(tmp_path, clock)
    recent.add("ep_1", "a", "secret")
    recent.add("ep_2", "a", "kept")
    recent.remove(["ep_1", "ep_9"])

    assert b"secret" not in (tmp_path / "recent.ndjson").read_bytes()
    assert [entry.id for entry in opened(tmp_path, clock).of("a")] == ["ep_2"]


def test_a_torn_line_is_passed_over(tmp_path: Path, clock: SettableClock) -> None:
    opened(tmp_path, clock).add("ep_1", "a", "one")
    with (tmp_path / "recent.ndjson").open("ab") as file:
        file.write(b'{"id": "ep_2", "pa')

    assert [entry.id for entry in opened(tmp_path, clock).of("a")] == ["ep_1"]
