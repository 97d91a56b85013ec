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
        "jobs": SimpleNamespace(is_running=lambda _: False),
        "scan": SimpleNamespace(reading=None, failures={}, problems=()),
        "watcher": SimpleNamespace(problem=None),
        "models": SimpleNamespace(pending=lambda: 0, degraded=list),
        "capture": SimpleNamespace(pending=0, problem=None),
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
        ({"capture": SimpleNamespace(problem="the disk is full")}, "turns are not written: the disk is full"),
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


def test_many_files_with_problems_do_not_drown_an_answer() -> None:
    problems = tuple(Problem(f"{number}.md", "bad bytes") for number in range(NAMED_PROBLEMS + 4))
    told = healthy(scan=SimpleNamespace(reading=None, failures={}, problems=problems)).degraded()
    assert told[:NAMED_PROBLEMS] == [f"{number}.md: bad bytes" for number in range(NAMED_PROBLEMS)]
    assert told[NAMED_PROBLEMS:] == ["4 more files could not be read whole; `memoryd doctor` lists them"]
