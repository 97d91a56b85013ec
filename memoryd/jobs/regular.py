"""Jobs that begin by themselves, each at its own interval; counted from its last run, whenever that was.

A machine that slept or was off is late once, not often: APScheduler runs what was missed one time. A job that failed is
tried again within half an hour, not only when its interval is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from memoryd.jobs.registry import Jobs
from memoryd.jobs.schedule import Schedule

FIRST = timedelta(minutes=10)
"""After a start the scan and whoever waits come first."""
APART = timedelta(minutes=2)
"""What is overdue at a start does not begin all at once."""
RETRY = timedelta(minutes=30)
"""How often to see whether one of them failed."""


@dataclass(frozen=True, slots=True)
class Regular:
    """A job that begins by itself, without arguments. ``every`` of zero is never."""

    name: str
    every: timedelta


def schedule_regular(
    schedule: Schedule, jobs: Jobs, regulars: Iterable[Regular], *, clock: Callable[[], datetime]
) -> None:
    """Set the timers of jobs that are registered already."""
    now = clock()
    timed = [one for one in regulars if one.every]
    for number, one in enumerate(timed):
        last = jobs.get(one.name).last_run
        if last is not None and last > now:
            last = None  # noted by a clock that was wrong; counted from it, the job might not run for years
        first = max(now + FIRST + number * APART, last + one.every if last is not None else now)
        schedule.every(
            one.every.total_seconds() / 60, one.name, partial(jobs.start_unless_running, one.name), first=first
        )
    if timed:
        names = [one.name for one in timed]
        schedule.every(RETRY.total_seconds() / 60, "retry", partial(start_failed, jobs, names))


def start_failed(jobs: Jobs, names: Iterable[str]) -> None:
    """Begin those of the jobs whose last run failed."""
    for name in names:
        if jobs.get(name).state == "failed":
            jobs.start_unless_running(name)
