"""Passes over stores that keep what they were told."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd.jobs.registry import RunCancelledError
from memoryd.jobs.scan import MANY_PATHS, MOST_HAPPENED, Scan
from memoryd.text.report import Problem, Report
from memoryd.text.stop import stop_point

A, B = Path("/v/a.md"), Path("/v/b.md")


def utc_now() -> datetime:
    return datetime(2026, 11, 30, 14, 5, tzinfo=UTC)


class Store:
    """A store that gives the reports it was made with, or fails, and keeps its calls."""

    def __init__(self, *reports: Report | Exception) -> None:
        self.reports = list(reports)
        self.calls: list[object] = []

    def reconcile(self) -> Report:
        self.calls.append("all")
        return self._next()

    def refresh(self, paths: Iterable[Path]) -> Report:
        self.calls.append(set(paths))
        return self._next()

    def _next(self) -> Report:
        report = self.reports.pop(0) if self.reports else Report()
        if isinstance(report, Exception):
            raise report
        return report


def test_every_store_hears_of_a_change_though_another_one_fails_and_that_one_hears_again() -> None:
    failing, other, told = Store(OSError("no space")), Store(), []
    scan = Scan({"episodic": failing, "semantic": other}, clock=utc_now, after=lambda: told.append(1))
    scan.follow({A})
    assert other.calls == [{A}]
    assert scan.failures == {"episodic": "OSError: no space (last read whole: not yet since the start)"}
    scan.follow({B})
    assert failing.calls == [{A}, {A, B}]
    assert other.calls == [{A}, {B}]
    assert scan.failures == {}
    assert len(told) == 2


def test_a_failing_store_says_when_it_was_last_read_whole() -> None:
    """Behaviour 14: health names the failure with the last good time."""
    scan = Scan({"episodic": Store(Report(), OSError("away"), Report())}, clock=utc_now)
    scan.run()
    scan.run()
    assert scan.failures == {"episodic": "OSError: away (last read whole: 2026-11-30 14:05)"}
    scan.run()
    assert scan.failures == {}


def test_a_whole_pass_settles_what_was_missed() -> None:
    store = Store(OSError("no space"))
    scan = Scan({"episodic": store}, clock=utc_now)
    scan.follow({A})
    scan.run()
    scan.follow({B})
    assert store.calls == [{A}, "all", {B}]


def test_after_very_many_paths_everything_is_looked_at() -> None:
    store = Store()
    paths = {Path(f"/v/{number}.md") for number in range(MANY_PATHS)}
    Scan({"episodic": store}, clock=utc_now).follow(paths)
    assert store.calls == [paths, "all"]


def test_problems_stay_until_their_file_is_looked_at_again() -> None:
    bad = Report(problems=(Problem("v:x/a.md", "bad"), Problem("v:xy.md", "bad"), Problem("journal", "away")))
    store = Store(
        bad,
        Report(looked_at=("v:y.md", "v:x/b.md", "v:xy")),
        Report(problems=(Problem("v:x/a.md", "worse"),), looked_at=("v:x/a.md",)),
        Report(looked_at=("v:x", "v:x/")),
        Report(looked_at=("v:",)),
        Report(looked_at=("journal", "journal/")),
    )
    scan = Scan({"semantic": store}, clock=utc_now)
    scan.run()

    def shown() -> dict[str, str]:
        return {problem.path: problem.reason for problem in scan.problems}

    assert shown() == {"v:x/a.md": "bad", "v:xy.md": "bad", "journal": "away"}
    scan.follow({A})
    assert shown() == {"v:x/a.md": "bad", "v:xy.md": "bad", "journal": "away"}
    scan.follow({A})
    assert shown() == {"v:x/a.md": "worse", "v:xy.md": "bad", "journal": "away"}
    scan.follow({A})
    assert shown() == {"v:xy.md": "bad", "journal": "away"}
    scan.follow({A})
    assert shown() == {"journal": "away"}
    scan.follow({A})
    assert shown() == {}


def test_a_vault_that_is_away_for_both_stores_is_told_once() -> None:
    days = Report(problems=(Problem("vault work", "the folder is not there"), Problem("vault old", "not there")))
    notes = Report(problems=(Problem("work:", "its 2 notes are kept"), Problem("work:a.md", "bad")))
    scan = Scan({"episodic": Store(days), "semantic": Store(notes)}, clock=utc_now)
    scan.run()
    assert [one.path for one in scan.problems] == ["vault old", "work:", "work:a.md"]


def test_what_was_done_once_is_told_after_later_looks_too_and_only_so_much_of_it() -> None:
    def done(number: int) -> Problem:
        return Problem(f"journal/2026-11-{number:02}.md", "an entry was written again", happened=True)

    store = Store(
        *(Report(problems=(done(number),)) for number in range(MOST_HAPPENED + 2)),
        Report(looked_at=("journal", "journal/")),
        Report(),
    )
    scan = Scan({"episodic": store}, clock=utc_now)
    for _ in range(MOST_HAPPENED + 3):
        scan.follow({A})
    assert len(scan.problems) == MOST_HAPPENED + 2
    scan.run()
    assert list(scan.problems) == [done(number) for number in range(2, MOST_HAPPENED + 2)]


def test_once_it_is_stopped_nothing_is_looked_at() -> None:
    store = Store()
    scan = Scan({"episodic": store}, clock=utc_now)
    scan.stop()
    scan.catch_up()
    with pytest.raises(RunCancelledError):
        scan.run()
    scan.follow({A})
    assert store.calls == []


def test_a_pass_under_way_ends_at_the_next_file_and_is_no_failure() -> None:
    class Long(Store):
        def reconcile(self) -> Report:
            for number in range(1_000_000):
                stop_point()
                self.calls.append(number)
                if number == 3:
                    scan.stop()
            return Report()

    long, other = Long(), Store()
    scan = Scan({"episodic": long, "semantic": other}, clock=utc_now)
    with pytest.raises(RunCancelledError):
        scan.run()
    assert (long.calls, other.calls, dict(scan.failures)) == ([0, 1, 2, 3], [], {})
    assert not scan.is_complete


def test_a_run_that_is_cancelled_ends_at_the_next_file() -> None:
    class Long(Store):
        def reconcile(self) -> Report:
            while True:
                stop_point()

    left = iter(range(5))

    def check() -> None:
        if next(left, None) is None:
            raise RunCancelledError

    with pytest.raises(RunCancelledError):
        Scan({"episodic": Long()}, clock=utc_now).run(check)


def test_until_everything_was_looked_at_once_answers_are_told_so() -> None:
    scan = Scan({"episodic": Store(), "semantic": Store(OSError("away"))}, clock=utc_now)
    assert scan.reading is not None
    scan.follow({A})
    assert scan.reading is not None
    scan.run()
    # A store that failed is named as failed, not as being read.
    assert scan.reading is None
