"""Hooks of an agent against a real daemon: turns in, a journal that reads like a diary out."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from memoryd.capture.payload import EVENTS
from tests.e2e.conftest import WITHOUT_MODEL
from tests.session_file import fork, prompt, result, said, used, write

Start = Callable[..., OwnDaemon]
ASKED = "Why does the cart lose its discount?"
ANSWERED = "A reload replaces the session; the discount now lies with the cart row."
TURN = [
    prompt("u1", 0, ASKED),
    used("a1", 1, "t1", "Bash", {"command": "pytest -q"}),
    result("r1", 2, "t1", "1 failed: test_thermocline", failed=True),
    said("a2", 3, ANSWERED, end=True),
]
FAST = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}
SUMMARISER = """
import json, os, sys, urllib.request
text = sys.stdin.read()
# An agent that is started as a summariser runs its own hooks; those look at the mark first.
if not os.environ.get("MEMORYD_CHILD"):
    raise SystemExit("the summariser was not marked")
print("The cart lost its discount because a reload replaces the session.")
"""


def hook(daemon: OwnDaemon, event: str, transcript: Path | str = "/nowhere.jsonl", **fields: Any) -> Any:
    body = {"session_id": "s1", "transcript_path": str(transcript), "cwd": "/code/shop", "hook_event_name": event}
    return daemon.post(f"/v1/hooks/{event}", body | fields)


def entries(daemon: OwnDaemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.get("/v1/episodes", limit=500)["items"]
    return found[::-1]


def wait_for(condition: Callable[[], Any], timeout_s: float = 30.0) -> Any:
    deadline = time.monotonic() + timeout_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)
    return found


def test_a_session_becomes_a_diary_and_is_found(start: Start, tmp_path: Path) -> None:
    daemon = start()
    file = write(tmp_path / "p" / "s1.jsonl", TURN)
    for event, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": ASKED}),
        ("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "pytest -q"}}),
        ("Stop", {"last_assistant_message": ANSWERED, "stop_hook_active": False}),
        ("SessionEnd", {"reason": "other"}),
    ):
        assert hook(daemon, event, file, **fields) == {}
    daemon.wait_until_indexed(30)
    (entry,) = entries(daemon)
    assert entry["text"].startswith(f"Asked: {ASKED}\n\nAnswered: {ANSWERED}\n\nCommands: `pytest -q` (failed)")
    assert entry["session"] == "s1"
    found = daemon.post("/v1/recall", {"query": "thermocline", "store": "episodic"})["hits"]
    assert [(hit["episode"], hit["path"]) for hit in found] == [(entry["id"], "transcripts/s1/u1.md")]
    whole = daemon.get(f"/v1/episodes/{entry['id']}", expand="transcript")["expanded"]
    assert "1 failed: test_thermocline" in whole
    assert "<!--" not in whole


def test_every_event_and_any_field_is_answered(start: Start) -> None:
    daemon = start(settings=FAST)
    for event in (*EVENTS, "OfALaterVersion", "user-prompt-submit"):
        assert hook(daemon, event, of_a_later_version={"deep": [1, None]}) == {}
    assert daemon.post("/v1/hooks/Stop", {}) == {}
    assert daemon.post("/v1/hooks/Stop", {"session_id": 7, "prompt": ["x"], "tool_input": "no"}) == {}
    with pytest.raises(ProblemError) as refused:
        daemon.client.call("POST", "/v1/hooks/Stop", body=[1])
    assert refused.value.status == 422


def test_a_kill_in_the_middle_loses_no_turn(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST)
    file = write(tmp_path / "p" / "s1.jsonl", TURN[:1])
    hook(daemon, "SessionStart", file, source="startup")
    hook(daemon, "UserPromptSubmit", file, prompt=ASKED)
    hook(daemon, "Stop", "/elsewhere.jsonl", session_id="s0", last_assistant_message="An answer to something long ago.")
    daemon.kill()
    write(file, [*TURN, prompt("u2", 10, "And in the invoice?"), said("a3", 11, "There too.", end=True)])
    again = start(settings=FAST)
    wait_for(lambda: len(entries(again)) == 2)
    hook(again, "Stop", file, last_assistant_message="There too.")
    wait_for(lambda: len(entries(again)) == 3)
    turns = [entry["text"].split("\n")[0] for entry in entries(again)]
    told = ["Answered: An answer to something long ago.", f"Asked: {ASKED}", "Asked: And in the invoice?"]
    assert sorted(turns) == sorted(told)


def test_state_can_be_deleted_and_nothing_is_told_twice(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST)
    file = write(tmp_path / "p" / "s1.jsonl", TURN)
    hook(daemon, "Stop", file, last_assistant_message=ANSWERED)
    before = entries(daemon)
    daemon.stop()
    for path in (daemon.home / "state").glob("*.sqlite*"):
        path.unlink()
    again = start(settings=FAST)
    hook(again, "SessionStart", file, source="resume")
    hook(again, "Stop", file, last_assistant_message=ANSWERED)
    again.wait_until_indexed(30)
    assert entries(again) == before


def test_a_summarisers_own_session_leaves_no_trace(start: Start, tmp_path: Path) -> None:
    """BH05: one section a captured turn, and nothing of the child that summed it up, in no folder of a project."""
    script = tmp_path / "summarise.py"
    script.write_text(SUMMARISER, "utf-8")
    project = tmp_path / "p" / "sub"
    (project / ".git").mkdir(parents=True)
    daemon = start(settings=FAST | {"MEMORYD_CAPTURE__SUMMARY_COMMAND": json.dumps([sys.executable, str(script)])})
    for number in range(3):
        lines = [prompt(f"u{number}", number, ASKED), said(f"a{number}", number, ANSWERED, end=True)]
        file = write(tmp_path / "t" / f"s{number}.jsonl", [line | {"sessionId": f"s{number}"} for line in lines])
        hook(daemon, "SessionStart", file, session_id=f"s{number}", cwd=str(project.parent), source="startup")
        hook(daemon, "Stop", file, session_id=f"s{number}", cwd=str(project.parent), last_assistant_message=ANSWERED)
        # A child whose hooks do not look at the mark is known by the prompt that memory gave it.
        child = {"session_id": f"child{number}", "cwd": str(project)}
        hook(daemon, "SessionStart", **child, source="startup")
        asked = "[memoryd: a summary is wanted; this is no conversation to remember]\nSum up."
        hook(daemon, "UserPromptSubmit", **child, prompt=asked)
        hook(daemon, "Stop", **child, last_assistant_message="A summary.")
        hook(daemon, "SessionEnd", **child, reason="other")
    daemon.wait_until_indexed(30)
    found = entries(daemon)
    assert [entry["session"] for entry in found] == ["s0", "s1", "s2"]
    for entry in found:
        path = f"/v1/episodes/{entry['id']}"
        wait_for(lambda path=path: "### Summary\nThe cart lost" in daemon.get(path, expand="transcript")["expanded"])  # type: ignore[misc] # bound early
    assert [path.name for path in project.iterdir()] == [".git"]
    assert list((project / ".git").iterdir()) == []


def test_import_by_the_command_line(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST)
    folder = tmp_path / "projects" / "-work-shop"
    write(folder / "s1.jsonl", [*TURN, prompt("u2", 10, "Thanks")])
    write(folder / "s2.jsonl", [*fork(TURN, "s2"), prompt("u3", 700, "Or else?") | {"sessionId": "s2"}])
    write(folder / "s1" / "subagents" / "agent-1.jsonl", [prompt("x1", 1, "Find", isSidechain=True)])

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "memoryd.cli", "import", "claude", str(tmp_path / "projects"), *arguments],
            env={"MEMORYD_HOME": str(daemon.home), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    assert run("--dry-run").startswith("dry run, nothing is written: 2 files read: 2 not over yet, 2 recorded")
    assert entries(daemon) == []
    assert run().startswith("2 files read: 1 copies in a fork, 2 not over yet, 1 recorded")
    assert json.loads(run("--json"))["result"]["turns"]["known"] == 1
    assert len(entries(daemon)) == 1


def test_what_was_forgotten_does_not_come_back_by_a_fork(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST)
    file = write(tmp_path / "p" / "s1.jsonl", TURN)
    hook(daemon, "Stop", file, last_assistant_message=ANSWERED)
    (entry,) = entries(daemon)
    forgotten = daemon.post("/v1/forget", {"ids": [entry["id"]]})
    assert forgotten["ids"] == [entry["id"]]
    daemon.stop()
    for path in (daemon.home / "state").glob("*.sqlite*"):
        path.unlink()
    again = start(settings=FAST)
    for number, tells in enumerate((True, False)):
        copy = write(tmp_path / "p" / f"f{number}.jsonl", fork(TURN, f"f{number}", tells=tells))
        hook(again, "Stop", copy, session_id=f"f{number}", last_assistant_message=ANSWERED)
    hook(again, "Stop", file, last_assistant_message=ANSWERED)
    again.wait_until_indexed(30)
    assert entries(again) == []
    assert not any(ANSWERED.encode() in path.read_bytes() for path in daemon.home.rglob("*") if path.is_file())


def test_capture_can_be_switched_off(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST | {"MEMORYD_CAPTURE__ENABLED": "false"})
    assert hook(daemon, "Stop", write(tmp_path / "s1.jsonl", TURN), last_assistant_message=ANSWERED) == {}
    assert entries(daemon) == []


def test_no_secret_is_stored_whatever_field_it_comes_in(start: Start, tmp_path: Path) -> None:
    """BH46: and what was hidden in a name still tells a call that is made twice."""
    daemon = start(settings=FAST)
    key = "ghp_" + "a1" * 18
    body = {
        "text": f"The key {key} fails; mysql -u root -p{key} too.",
        "title": f"Key {key}",
        "session": f"s {key}",
        "turn": key,
        "files": [f"src/{key}.py"],
        "cwd": f"/code/{key}",
    }
    first = daemon.client.call("POST", "/v1/episodes", body=body, headers={"Memoryd-Actor": f"agent:{key}"})
    again = daemon.client.call("POST", "/v1/episodes", body=body)
    assert (first.status, again.status, again.body["id"]) == (201, 200, first.body["id"])
    daemon.post("/v1/episodes", {"text": "Named.", "project": f"p {key}"})
    assert [one["id"] for one in daemon.get("/v1/episodes", session=f"s {key}")["items"]] == [first.body["id"]]
    told = {"session_id": key, "cwd": f"/code/{key}", "transcript_path": f"/t/{key}", "prompt_id": key}
    daemon.post("/v1/hooks/UserPromptSubmit", told | {"prompt": f"use {key}"})
    daemon.post("/v1/hooks/Stop", told | {"last_assistant_message": f"used {key}"})
    daemon.post("/v1/sync", {"session": key})
    daemon.wait_until_indexed(30)
    daemon.stop()
    assert not [path for path in daemon.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
