"""Jobs by name: one run at a time each, watched, cancelled at the end, told only what they understand."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryd.errors import InvalidArguments, JobRunning, JobsStopped, MemorydError, UnknownJob
from memoryd.jobs.argument import Argument, read_arguments
from memoryd.jobs.registry import CANCELLED, Job, Jobs, Run

SOON_S = 10.0
NOW = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)


class Work:
    """A job that waits for a gate and does as it is told."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.given: list[Mapping[str, Any]] = []
        self.error: Exception | None = None

    def __call__(self, arguments: Mapping[str, Any], run: Run) -> Any:
        self.given.append(arguments)
        run.tell("works", 1, 3)
        self.entered.set()
        while not self.gate.wait(0.01):
            run.check()
        if self.error is not None:
            raise self.error
        return {"done": len(self.given)}


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def jobs(work: Work) -> Iterator[Jobs]:
    made = Jobs(clock=lambda: NOW, next_run=lambda name: NOW + timedelta(hours=1) if name == "work" else None)
    argument = Argument(name="depth", kind=int, default=2, least=1, meaning="How deep.")
    made.register(Job(name="work", summary="Work.", run=work, arguments=(argument,)))
    made.register(Job(name="idle", summary="Nothing.", run=lambda _, __: None))
    yield made
    work.gate.set()
    made.stop()


def test_a_job_runs_in_the_background_and_tells_what_it_came_to(jobs: Jobs, work: Work) -> None:
    assert jobs.start("work", {"depth": 5}).state == "running"
    assert work.entered.wait(SOON_S)
    running = jobs.get("work")
    assert running.progress is not None
    assert (running.progress.text, running.progress.done, running.progress.total) == ("works", 1, 3)
    assert (running.last_run, running.next_run) == (None, NOW + timedelta(hours=1))
    assert jobs.is_running("work")

    work.gate.set()
    assert jobs.wait("work", SOON_S)
    ended = jobs.get("work")
    assert (ended.state, ended.last_run, ended.last_error) == ("idle", NOW, None)
    assert (ended.result, ended.progress, work.given) == ({"done": 1}, None, [{"depth": 5}])


def test_one_run_of_a_job_at_a_time_and_others_beside_it(jobs: Jobs, work: Work) -> None:
    jobs.start("work")
    with pytest.raises(JobRunning, match="/v1/jobs/work"):
        jobs.start("work")
    jobs.start_unless_running("work")
    jobs.start("idle")
    assert jobs.wait("idle", SOON_S)
    work.gate.set()
    assert jobs.wait("work", SOON_S)
    assert work.given == [{"depth": 2}]
    jobs.start("work")
    assert jobs.wait("work", SOON_S)
    assert len(work.given) == 2


@pytest.mark.parametrize(
    ("error", "told"),
    [(MemorydError("the disk is full"), "the disk is full"), (KeyError("x"), "KeyError: 'x'")],
)
def test_a_failure_is_kept_until_a_run_succeeds(jobs: Jobs, work: Work, error: Exception, told: str) -> None:
    work.error = error
    work.gate.set()
    jobs.start("work")
    assert jobs.wait("work", SOON_S)
    assert (jobs.get("work").state, jobs.get("work").last_error) == ("failed", told)

    work.error = None
    jobs.start("work")
    assert jobs.wait("work", SOON_S)
    assert (jobs.get("work").state, jobs.get("work").last_error) == ("idle", None)


def test_the_end_cancels_what_runs_and_begins_nothing(jobs: Jobs, work: Work) -> None:
    jobs.start("work")
    assert work.entered.wait(SOON_S)

    assert jobs.stop(SOON_S)

    assert (jobs.get("work").state, jobs.get("work").last_error) == ("idle", CANCELLED)
    with pytest.raises(JobsStopped):
        jobs.start("work")
    jobs.start_unless_running("work")
    assert len(work.given) == 1


def test_a_run_that_does_not_look_up_is_not_waited_for_for_ever(jobs: Jobs) -> None:
    gate = threading.Event()
    jobs.register(Job(name="deaf", summary="Deaf.", run=lambda _, __: gate.wait(SOON_S)))
    jobs.start("deaf")
    assert not jobs.stop(0.05)
    gate.set()
    assert jobs.wait("deaf", SOON_S)


def test_what_is_not_known_is_named_with_what_is(jobs: Jobs) -> None:
    for ask in (jobs.get, jobs.start):
        with pytest.raises(UnknownJob, match="idle, work"):
            ask("wrok")
    assert [one.name for one in jobs.list()] == ["idle", "work"]


def test_a_run_rests_only_until_it_is_cancelled(jobs: Jobs) -> None:
    entered = threading.Event()

    def rest(_: Mapping[str, Any], run: Run) -> None:
        entered.set()
        run.rest(600)

    jobs.register(Job(name="rest", summary="Rest.", run=rest))
    jobs.start("rest")
    assert entered.wait(SOON_S)
    assert jobs.stop(SOON_S)
    assert jobs.get("rest").last_error == CANCELLED


OFFERED = (
    Argument(name="action", choices=("list", "pull"), is_required=True),
    Argument(name="name"),
    Argument(name="force", kind=bool, default=False),
    Argument(name="limit", kind=int, default=10, least=1),
)


def test_arguments_have_their_defaults() -> None:
    assert read_arguments(OFFERED, {"action": "pull", "name": None}) == {
        "action": "pull",
        "name": None,
        "force": False,
        "limit": 10,
    }


@pytest.mark.parametrize(
    ("given", "name", "code", "words"),
    [
        ({}, "action", "missing", "one of: list, pull"),
        ({"action": "push"}, "action", "choice", "one of: list, pull"),
        ({"action": "pull", "nmae": "x"}, "nmae", "unknown", "action, force, limit, name"),
        ({"action": "pull", "name": 7}, "name", "type", "a text"),
        ({"action": "pull", "name": ""}, "name", "length", "characters"),
        ({"action": "pull", "name": "x" * 5_000}, "name", "length", "characters"),
        ({"action": "pull", "force": 1}, "force", "type", "true or false"),
        ({"action": "pull", "limit": True}, "limit", "type", "a whole number"),
        ({"action": "pull", "limit": 0}, "limit", "greater_than_equal", "1 or more"),
        ({"action": "pull", "limit": 1.5}, "limit", "type", "a whole number"),
        ({"action": ["pull"]}, "action", "type", "a text"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(given: dict[str, Any], name: str, code: str, words: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        read_arguments(OFFERED, given)
    (fault,) = refused.value.faults
    assert (fault.name, fault.code) == (name, code)
    assert words in fault.message
    assert f"args.{name}" in str(refused.value)


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(InvalidArguments) as refused:
        read_arguments(OFFERED, {"nmae": 1, "limit": 0})
    assert {fault.name for fault in refused.value.faults} == {"nmae", "limit", "action"}
