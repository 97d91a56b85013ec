"""Which backups stay, and when the next is due."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryd.jobs.retention import backup_name, backups_in, drop_old, is_due

NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
DAY = timedelta(days=1)


def make(folder: Path, *ages: timedelta) -> list[Path]:
    """Make backups of these ages, oldest first."""
    made = []
    for age in sorted(ages, reverse=True):
        path = folder / backup_name(NOW - age)
        path.touch()
        at = (NOW - age).timestamp()
        os.utime(path, (at, at))
        made.append(path)
    return made


def test_one_is_due_where_there_is_none_or_the_last_is_old(tmp_path: Path) -> None:
    assert is_due(tmp_path / "missing", every=DAY, now=NOW)
    make(tmp_path, DAY * 3, DAY)
    assert is_due(tmp_path, every=DAY, now=NOW)
    assert not is_due(tmp_path, every=DAY * 2, now=NOW)
    # One of a clock that ran ahead is nothing to go by, either way.
    make(tmp_path, -DAY * 400)
    assert is_due(tmp_path, every=DAY, now=NOW)
    assert not is_due(tmp_path, every=DAY * 2, now=NOW)


def test_the_oldest_go_and_other_files_stay(tmp_path: Path) -> None:
    oldest, *others = make(tmp_path, DAY, DAY * 2, DAY * 3)
    other = tmp_path / "memoryd-of-may.tar.gz"
    other.touch()
    assert drop_old(tmp_path, keep=2) == [oldest]
    assert backups_in(tmp_path) == others
    assert other.exists()
    assert drop_old(tmp_path, keep=2) == []
