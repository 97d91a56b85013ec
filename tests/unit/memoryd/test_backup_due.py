"""When a backup is made unasked: when the last one is old, and when the last try came to nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryd.errors import BackupFailed
from memoryd.jobs.backup import Plan, schedule_backups
from memoryd.jobs.registry import Job, Jobs
from memoryd.jobs.retention import backup_name
from memoryd.jobs.schedule import Schedule

SOON_S = 10.0
DAY = timedelta(days=1)


class Timers(Schedule):
    """Keeps what it is told to run, for the test to run it."""

    def __init__(self) -> None:
        super().__init__()
        self.set: dict[str, Callable[[], None]] = {}

    def every(self, minutes: float, name: str, run: Callable[[], None], *, first: datetime | None = None) -> None:
        self.set[name] = run


def test_it_is_looked_again_soon_after_a_failure_and_a_day_after_a_backup(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    made: list[str] = []
    failure: list[str] = ["no room"]

    def run(_: Any, __: Any) -> None:
        if failure:
            raise BackupFailed(failure[0])
        name = backup_name(now)
        (tmp_path / name).touch()
        made.append(name)

    jobs = Jobs(clock=lambda: now)
    jobs.register(Job(name="backup", summary="Backup.", run=run))
    timers = Timers()
    schedule_backups(timers, jobs, Plan(tmp_path, DAY, 7), clock=lambda: now)

    def look() -> str:
        timers.set["backup"]()
        assert jobs.wait("backup", SOON_S)
        return jobs.get("backup").state

    assert look() == "failed"
    assert look() == "failed"
    failure.clear()
    assert (look(), len(made)) == ("idle", 1)
    now += DAY / 2
    assert (look(), len(made)) == ("idle", 1)
    now += DAY
    assert (look(), len(made)) == ("idle", 2)


def test_without_a_folder_nothing_is_looked_for() -> None:
    timers = Timers()
    schedule_backups(timers, Jobs(clock=lambda: datetime.now(UTC)), Plan(None, DAY, 7), clock=lambda: datetime.now(UTC))
    assert timers.set == {}
