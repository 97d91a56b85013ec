"""What waits and what is wrong, gathered from all parts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from memoryd.health import NAMED_PROBLEMS, Health
from memoryd.text.report import Problem


def healthy(**parts: Any) -> Health:
    """Return a health in which nothing waits and nothing is wrong, but for the parts given."""
    known = {
        "episodic": SimpleNamespace(counts=lambda: SimpleNamespace(pending=0), degraded=list),
        "semantic": SimpleNamespace(pending=lambda: 0, problems=list),
        "jobs": SimpleNamespace(is_running=lambda _: False, list=list),
        "scan": SimpleNamespace(reading=None, failures={}, problems=()),
        "watcher": SimpleNamespace(problem=None),
        "models": SimpleNamespace(pending=lambda: 0, degraded=list),
        "capture": SimpleNamespace(pending=0, problem=None, notice=None),
        "sharing": SimpleNamespace(problems=()),
        "sync": SimpleNamespace(problem=None),
        "seen": SimpleNamespace(problem=None),
    }
    return Health(**cast(dict[str, Any], known | parts))


def test_nothing_waits_and_nothing_is_wrong() -> None:
    health = healthy()
    assert (health.pending(), health.degraded()) == (0, [])


def test_all_that_waits_is_counted_and_a_scan_is_one() -> None:
    health = healthy(
        episodic=SimpleNamespace(counts=lambda: SimpleNamespace(pending=5)),
        semantic=SimpleNamespace(pending=lambda: 7),
        models=SimpleNamespace(pending=lambda: 11),
        capture=SimpleNamespace(pending=13),
        jobs=SimpleNamespace(is_running=lambda name: name == "scan"),
    )
    assert health.pending() == 5 + 7 + 11 + 13 + 1


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"watcher": SimpleNamespace(problem="nobody watches")}, "nobody watches"),
        ({"models": SimpleNamespace(degraded=lambda: ["no model"])}, "no model"),
        (
            {"capture": SimpleNamespace(problem="the disk is full", notice=None)},
            "turns are not written: the disk is full",
        ),
        ({"sharing": SimpleNamespace(problems=(Problem("a.ndjson", "torn"),))}, "a.ndjson: torn"),
        ({"sync": SimpleNamespace(problem="no remote")}, "no remote"),
        ({"seen": SimpleNamespace(problem="forgets what was shown")}, "forgets what was shown"),
        ({"notices": ["state/ was deleted"]}, "state/ was deleted"),
        (
            {"scan": SimpleNamespace(reading="the notes are being read", failures={}, problems=())},
            "the notes are being read",
        ),
        (
            {"scan": SimpleNamespace(reading=None, failures={"episodic": "no folder"}, problems=())},
            "the episodic memory could not be scanned: no folder",
        ),
    ],
)
def test_each_part_is_heard(part: dict[str, Any], words: str) -> None:
    assert healthy(**part).degraded() == [words]


def test_an_answer_does_not_name_what_is_read_all_the_same() -> None:
    """A template in a vault is no YAML for years: status says so, and no answer is the less for it."""
    problems = (Problem("v:template.md", "front matter is not valid YAML", is_read=True), Problem("a.md", "no bytes"))
    health = healthy(scan=SimpleNamespace(reading=None, failures={}, problems=problems))
    assert health.degraded() == ["v:template.md: front matter is not valid YAML", "a.md: no bytes"]
    assert health.shortcomings() == ["a.md: no bytes"]


def test_a_job_that_begins_by_itself_and_failed_is_named_and_no_answer_is_the_less_for_it() -> None:
    def job(name: str, state: str, next_run: object) -> SimpleNamespace:
        return SimpleNamespace(name=name, state=state, next_run=next_run, last_error="no room")

    known = [
        job("backup", "failed", 1),
        job("restore", "failed", None),
        job("verify", "idle", 1),
        job("scan", "failed", 1),
    ]
    health = healthy(jobs=SimpleNamespace(is_running=lambda _: False, list=lambda: known))
    assert health.degraded() == ["the job backup failed: no room"]
    assert health.shortcomings() == []


def test_many_files_with_problems_do_not_drown_an_answer() -> None:
    problems = tuple(Problem(f"{number}.md", "bad bytes") for number in range(NAMED_PROBLEMS + 4))
    told = healthy(scan=SimpleNamespace(reading=None, failures={}, problems=problems)).degraded()
    assert told[:NAMED_PROBLEMS] == [f"{number}.md: bad bytes" for number in range(NAMED_PROBLEMS)]
    assert told[NAMED_PROBLEMS:] == ["4 more files could not be read whole; `memoryd doctor` lists them"]
