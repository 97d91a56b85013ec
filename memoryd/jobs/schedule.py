"""Recurring work, by APScheduler: one run at a time of each job, a missed run made up once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from apscheduler.schedulers.background import BackgroundScheduler


class Schedule:
    """Timers of the daemon. Between two runs nothing wakes up."""

    def __init__(self) -> None:
        self._scheduler = BackgroundScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )

    def every(self, minutes: float, name: str, run: Callable[[], None], *, first: datetime | None = None) -> None:
        """Run something again and again, the first time at ``first``, else after ``minutes``."""
        at = {} if first is None else {"next_run_time": first}
        self._scheduler.add_job(run, "interval", minutes=minutes, id=name, replace_existing=True, **at)

    def next_run(self, name: str) -> datetime | None:
        """Return when something runs next, in UTC; ``None`` where no timer is set for it, or none has begun yet."""
        timer = self._scheduler.get_job(name)
        # A timer that was set before the start has no such attribute at all.
        found = getattr(timer, "next_run_time", None)
        return found if isinstance(found, datetime) else None

    def start(self) -> None:
        """Begin."""
        self._scheduler.start()

    def stop(self) -> None:
        """End; a run under way is not waited for."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
