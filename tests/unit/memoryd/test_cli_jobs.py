"""``memoryd jobs``: what runs in the background, shown, run now, and asked to end."""

from typing import Any

import pytest

from tests.unit.memoryd.test_cli import FakeClient, daemon, problem, run

__all__ = ["daemon"]

SCAN = {
    "name": "scan",
    "state": "failed",
    "last_run": "2026-11-30T14:05:12+00:00",
    "next_run": "2026-11-30T14:20:12+00:00",
    "last_error": "the disk is full\x1b[31m",
}
GRAPH: dict[str, Any] = {"name": "graph", "state": "running"}
WHOLE = GRAPH | {
    "summary": "Makes the graph anew.",
    "progress": {"done": 12, "total": 3000, "text": "reading notes"},
    "args": [
        {"name": "anew", "type": "boolean", "meaning": "Reads all again.", "required": False},
        {"name": "most", "type": "integer", "meaning": "So many.", "required": False},
        {"name": "plane", "type": "string", "meaning": "Which.", "required": True, "choices": ["note", "code"]},
    ],
}


def test_a_list_says_when_and_what_went_wrong(daemon: FakeClient) -> None:
    daemon.answer = {"items": [GRAPH, SCAN]}
    done = run("jobs", "list")
    lines = done.stdout.splitlines()
    assert lines[0] == "graph  running, never ran"
    assert lines[1].startswith("scan   failed, ran 2026-11-30 ")
    assert ", next 2026-11-30 " in lines[1]
    assert lines[2].startswith("       failed: the disk is full")
    assert "\x1b" not in done.stdout


def test_one_job_says_what_it_may_be_told_and_how_far_it_is(daemon: FakeClient) -> None:
    daemon.answer = WHOLE
    said = run("jobs", "show", "graph").stdout
    assert daemon.calls[0][:2] == ("GET", "/v1/jobs/graph")
    for line in (
        "graph: Makes the graph anew.", "  reading notes (12 of 3,000)", "  anew=boolean: Reads all again.",
        "  plane=string, needed: Which. (note, code)",
    ):  # fmt: skip
        assert line in said.splitlines()


def test_a_run_is_told_what_it_understands_and_waited_for(daemon: FakeClient) -> None:
    daemon.answer = WHOLE | {"state": "idle", "result": {"nodes": 3, "differs": False}}
    done = run("jobs", "run", "graph", "anew=yes", "most=20", "plane=note")
    assert done.exit_code == 0, done.output
    assert daemon.body == {"args": {"anew": True, "most": 20, "plane": "note"}}
    assert done.stdout == "graph is done\n  nodes: 3\n  differs: false\n"
    daemon.answer |= {"last_error": "the disk is full"}
    failed = run("jobs", "run", "graph")
    assert (failed.exit_code, failed.stderr) == (1, "memoryd: the disk is full\n")


@pytest.mark.parametrize(
    ("told", "said"),
    [("anew", "write it as KEY=VALUE"), ("anew=perhaps", "anew is yes or no"), ("most=x", "most is a whole number")],
)
def test_what_no_job_understands_is_a_slip_of_the_hand(daemon: FakeClient, told: str, said: str) -> None:
    daemon.answer = WHOLE
    done = run("jobs", "run", "graph", told)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not [call for call in daemon.calls if call[0] == "POST"]


@pytest.mark.parametrize(("state", "said"), [("running", "is asked to end"), ("idle", "does not run")])
def test_a_run_is_asked_to_end(daemon: FakeClient, state: str, said: str) -> None:
    daemon.answer = {"job": GRAPH | {"state": state}}
    assert run("jobs", "cancel", "graph").stdout == f"graph {said}\n"
    assert daemon.calls[0][:2] == ("POST", "/v1/jobs/graph/cancel")


def test_a_job_that_there_is_not_ends_with_four(daemon: FakeClient) -> None:
    daemon.error = problem(404, "not-found", detail="there is no such job; there are: graph, scan")
    done = run("jobs", "cancel", "scn")
    assert done.exit_code == 4
    assert "there are: graph, scan" in done.stderr
