"""What begins by itself: when it runs next, over restarts too, and what a run that was cut short leaves."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import UnknownJob
from memoryd.jobs.memo import LastRun, RunMemo
from memoryd.jobs.registry import CANCELLED, ENDED_EARLY, Job, Jobs, Run
from memoryd.jobs.regular import APART, FIRST, RETRY, Regular, schedule_regular, start_failed
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.upkeep import retention_job, verify_job
from memoryd.text.report import Problem, Report

SOON_S = 10.0
NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


def forever(_: Mapping[str, Any], run: Run) -> None:
    while True:
        run.rest(0.01)


@pytest.fixture
def schedule() -> Iterator[Schedule]:
    made = Schedule()
    yield made
    made.stop()


def made(memo: RunMemo, schedule: Schedule, *names: str) -> Jobs:
    jobs = Jobs(clock=lambda: NOW, next_run=schedule.next_run, memo=memo)
    for name in names:
        jobs.register(Job(name=name, summary="Work.", run=lambda _, __: "done"))
    return jobs


def test_the_next_run_counts_from_the_last_one_whenever_that_was(tmp_path: Path, schedule: Schedule) -> None:
    """A machine that was off is late once; what was done lately is not done again because of a restart."""
    file = tmp_path / "jobs.json"
    earlier = RunMemo(file)
    earlier.put("late", LastRun(NOW - 9 * DAY, "it was broken"))
    earlier.put("lately", LastRun(NOW - DAY / 2, None))
    jobs = made(RunMemo(file), schedule, "new", "late", "lately", "never")
    regulars = [Regular(name, DAY) for name in ("new", "late", "lately")]
    schedule_regular(schedule, jobs, [*regulars, Regular("never", timedelta(0))], clock=lambda: NOW)
    schedule.start()
    found = {one.name: one.next_run for one in jobs.list()}
    assert found == {"new": NOW + FIRST, "late": NOW + FIRST + APART, "lately": NOW + DAY / 2, "never": None}
    late = jobs.get("late")
    assert (late.state, late.last_run, late.last_error) == ("failed", NOW - 9 * DAY, "it was broken")
    jobs.start("late")
    assert jobs.wait("late", SOON_S)
    assert RunMemo(file).get("late") == LastRun(NOW, None)


def test_a_last_run_of_a_time_to_come_holds_no_job_back(schedule: Schedule) -> None:
    """The clock was wrong, and was put right: counted from that run, the next would be years away."""
    memo = RunMemo()
    memo.put("early", LastRun(NOW + 900 * DAY, None))
    jobs = made(memo, schedule, "early")
    schedule_regular(schedule, jobs, [Regular("early", DAY)], clock=lambda: NOW)
    schedule.start()
    assert jobs.get("early").next_run == NOW + FIRST


def test_a_job_that_failed_is_tried_again_before_its_interval_is_over(schedule: Schedule) -> None:
    memo = RunMemo()
    memo.put("broken", LastRun(NOW, "no room"))
    memo.put("whole", LastRun(NOW, None))
    jobs = made(memo, schedule, "broken", "whole")
    schedule_regular(schedule, jobs, [Regular(name, DAY) for name in ("broken", "whole")], clock=lambda: NOW)
    schedule.start()
    assert schedule.next_run("retry") <= datetime.now(UTC) + RETRY  # type: ignore[operator] # it is set
    start_failed(jobs, ["broken", "whole"])
    assert jobs.wait("broken", SOON_S)
    assert (jobs.get("broken").state, jobs.get("broken").result) == ("idle", "done")
    assert jobs.get("whole").result is None, "what went well is not done again"


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"at": "yesterday", "error": null}}', "\x00"])
def test_a_memo_that_is_no_memo_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "jobs.json"
    file.write_text(text)
    assert RunMemo(file).get("a") is None
    RunMemo(tmp_path / "gone" / "jobs.json").put("a", LastRun(NOW, None))


def test_a_run_is_ended_when_somebody_asks_and_counts_as_a_run(tmp_path: Path, schedule: Schedule) -> None:
    memo = RunMemo(tmp_path / "jobs.json")
    jobs = made(memo, schedule, "idle")
    jobs.register(Job(name="long", summary="Work.", run=forever))
    assert jobs.cancel_run("idle").last_run is None
    with pytest.raises(UnknownJob):
        jobs.cancel_run("nothing")
    jobs.start("long")
    jobs.cancel_run("long")
    assert jobs.wait("long", SOON_S)
    ended = jobs.get("long")
    assert (ended.state, ended.last_error) == ("idle", ENDED_EARLY)
    assert memo.get("long") == LastRun(NOW, ENDED_EARLY)


def test_a_run_that_the_daemons_end_cut_short_is_made_up_for(tmp_path: Path, schedule: Schedule) -> None:
    memo = RunMemo(tmp_path / "jobs.json")
    jobs = made(memo, schedule)
    jobs.register(Job(name="long", summary="Work.", run=forever))
    jobs.start("long")
    assert jobs.stop(SOON_S)
    assert jobs.get("long").last_error == CANCELLED
    assert memo.get("long") is None


class Index:
    """A store whose index says what it is told to."""

    def __init__(self, *problems: Problem) -> None:
        self._problems = [*problems]

    def verify(self, tell: Any) -> list[Problem]:
        tell("compares", 0, 0)
        return self._problems

    def rebuild(self, tell: Any, *, accept_loss: bool = False) -> Report:
        raise AssertionError((tell, accept_loss))


def test_an_index_that_differs_is_the_runs_failure(schedule: Schedule) -> None:
    jobs = made(RunMemo(), schedule)
    is_quiet = threading.Event()
    wrong = Index(Problem("journal/a.md", "a section is missing"))
    jobs.register(verify_job({"a": Index(), "b": wrong}, is_quiet=is_quiet.is_set))
    jobs.start("verify")
    assert jobs.is_running("verify"), "what is half done differs, so it waits"
    is_quiet.set()
    assert jobs.wait("verify", SOON_S)
    ended = jobs.get("verify")
    assert ended.state == "failed"
    assert "journal/a.md: a section is missing" in (ended.last_error or "")
    assert "`memoryd index rebuild`" in (ended.last_error or "")


@pytest.mark.parametrize(("days", "left"), [(0, ["new.md", "old.md", "old.txt"]), (30, ["new.md", "old.txt"])])
def test_only_accounts_of_turns_that_are_old_go_and_only_if_that_is_wanted(
    tmp_path: Path, schedule: Schedule, days: int, left: list[str]
) -> None:
    folder = tmp_path / "transcripts" / "s-1"
    folder.mkdir(parents=True)
    (tmp_path / "journal").mkdir()
    for path in (folder / "new.md", folder / "old.md", folder / "old.txt", tmp_path / "journal" / "2001-01-01.md"):
        path.write_text("x")
        at = NOW.timestamp() if path.name == "new.md" else (NOW - 99 * DAY).timestamp()
        os.utime(path, (at, at))
    jobs = made(RunMemo(), schedule)
    jobs.register(retention_job(tmp_path, backups=None, keep_backups=7, keep_excerpts_days=days, clock=lambda: NOW))
    jobs.start("retention")
    assert jobs.wait("retention", SOON_S)
    assert jobs.get("retention").result == {"backups": [], "excerpts": 3 - len(left)}
    assert sorted(path.name for path in folder.iterdir()) == left
    assert (tmp_path / "journal" / "2001-01-01.md").exists()
