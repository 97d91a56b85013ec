"""Timers: they say when they run, and run."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from memoryd.jobs.schedule import Schedule


def test_a_timer_says_when_it_runs_next() -> None:
    schedule = Schedule()
    schedule.every(15, "scan", lambda: None)
    assert schedule.next_run("scan") is None
    schedule.start()
    try:
        at = schedule.next_run("scan")
        assert at is not None
        left = at - datetime.now(UTC)
        assert timedelta(minutes=14) < left <= timedelta(minutes=15)
        assert schedule.next_run("nothing") is None
    finally:
        schedule.stop()


def test_a_timer_runs_again_and_again() -> None:
    schedule = Schedule()
    ran = threading.Semaphore(0)

    def tick() -> None:
        ran.release()

    schedule.every(0.001, "tick", tick)
    schedule.start()
    try:
        assert ran.acquire(timeout=10)
        assert ran.acquire(timeout=10)
    finally:
        schedule.stop()
