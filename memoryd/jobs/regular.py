"""Jobs that begin by themselves, each at its own interval; counted from its last run, whenever that was.

A machine that slept or was off is late once, not often: APScheduler runs what was missed one time.
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
    for number, one in enumerate(regulars):
        if not one.every:
            continue
        last = jobs.get(one.name).last_run
        first = max(now + FIRST + number * APART, last + one.every if last is not None else now)
        schedule.every(
            one.every.total_seconds() / 60, one.name, partial(jobs.start_unless_running, one.name), first=first
        )
