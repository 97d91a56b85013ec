"""Events in, turns out, by a thread of its own."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.capture import transcript
from memoryd.capture.collect import Collector
from memoryd.capture.payload import Payload, read_payload
from memoryd.capture.sessions import Known
from tests.session_file import START, prompt, said, write
from tests.unit.memoryd.capturing import Capturing


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Capturing]:
    made = Capturing(tmp_path / "home")
    yield made
    made.close()


def collector(capturing: Capturing, **options: Any) -> Collector:
    return Collector(sessions=capturing.sessions, recorder=capturing.recorder, clock=capturing.clock, **options)


def event(name: str, session: str = "s1", **fields: Any) -> Payload:
    return read_payload(name, {"session_id": session, "transcript_path": "/none", "cwd": "/code/shop", **fields})


def test_events_of_many_sessions_are_taken_in_order(capturing: Capturing) -> None:
    made = collector(capturing)
    made.start()
    for number in range(8):
        made.submit(event("UserPromptSubmit", f"s{number}", prompt=f"question {number}"))
    for number in range(8):
        made.submit(event("Stop", f"s{number}", last_assistant_message=f"answer {number}")).result(30)
    made.close(30)
    assert sorted(capturing.asked) == [f"Asked: question {number}" for number in range(8)]
    assert made.counts().outcomes["recorded"] == 8
    assert made.counts().missed == 0
    assert made.pending == 0


def test_events_that_capture_has_no_use_for_are_done_at_once(capturing: Capturing) -> None:
    made = collector(capturing)  # it was not started: nothing would take them
    for payload in (event("Notification"), event("OfALaterVersion"), read_payload("Stop", {})):
        assert made.submit(payload).done()
    assert not made.submit(event("Stop")).done()


def test_one_event_that_fails_does_not_end_the_others(capturing: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    made = collector(capturing)
    take = made._told.take

    def fail_once(payload: Payload) -> None:
        monkeypatch.setattr(made._told, "take", take)
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(made._told, "take", fail_once)
    made.start()
    made.submit(event("UserPromptSubmit", prompt="lost")).result(30)
    assert made.problem == "RuntimeError: nobody thought of this"
    made.submit(event("UserPromptSubmit", prompt="kept")).result(30)
    made.submit(event("Stop", last_assistant_message="yes")).result(30)
    made.close(30)
    assert capturing.asked == ["Asked: kept"]
    assert made.problem is None


def test_missed_turns_wait_for_the_scan_and_events_do_not_wait_for_them(capturing: Capturing, tmp_path: Path) -> None:
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, "missed"), said("a1", 1, "yes"), prompt("u2", 2, "open")])
    capturing.sessions.note("s1", transcript=str(file), cwd="/code/shop", at=START)
    scanned = threading.Event()
    made = collector(capturing, is_scanned=scanned.is_set)
    made.start()
    made.submit(event("UserPromptSubmit", "s2", prompt="now")).result(30)
    made.submit(event("Stop", "s2", last_assistant_message="at once")).result(30)
    assert capturing.asked == ["Asked: now"]
    scanned.set()
    done = made.submit(event("PreCompact", "s3"))
    done.result(30)
    while made.pending:
        made.submit(event("PreCompact", "s3")).result(30)
    made.close(30)
    assert sorted(capturing.asked) == ["Asked: missed", "Asked: now"]
    assert made.counts().missed == 1


def test_what_waits_is_taken_in_before_the_end(capturing: Capturing) -> None:
    made = collector(capturing)
    made.submit(event("UserPromptSubmit", prompt="early"))
    made.submit(event("Stop", last_assistant_message="yes"))
    made.start()
    made.close(30)
    assert capturing.asked == ["Asked: early"]


def test_what_is_no_file_never_holds_the_worker(capturing: Capturing, tmp_path: Path) -> None:
    """A pipe, a device, a folder, a socket or a file of the system in the place of a session's file."""
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(tmp_path / "s"))
    places = [pipe, Path("/dev/zero"), Path("/proc/self/status"), tmp_path, tmp_path / "s", Path("/nul\0l")]
    made = collector(capturing)
    made.start()
    for number, place in enumerate(places):
        told = {"session": f"s{number}", "transcript_path": str(place)}
        made.submit(event("SessionStart", **told, source="startup")).result(30)
        made.submit(event("UserPromptSubmit", **told, prompt=f"question {number}")).result(30)
        made.submit(
            event("PostToolUse", **told, tool_name="Bash", tool_use_id="t", tool_input={"command": "ls"})
        ).result(30)
        made.submit(event("Stop", **told, last_assistant_message=f"answer {number}")).result(30)
        made.submit(event("SessionEnd", **told, reason="other")).result(30)
    made.close(30)
    bound.close()
    assert sorted(capturing.asked) == [f"Asked: question {number}" for number in range(len(places))]
    assert made.problem is None


def test_a_file_of_holes_is_read_in_pieces_and_others_do_not_wait_for_it(
    capturing: Capturing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_LINE_BYTES", 256 * 1024)
    monkeypatch.setattr(transcript, "MAX_READ_BYTES", 512 * 1024)
    file = write(tmp_path / "s1.jsonl", [prompt("u1", 0, "before"), said("a1", 1, "yes", end=True)])
    with file.open("ab") as sparse:
        sparse.truncate(20 * 1024 * 1024)
        sparse.seek(0, os.SEEK_END)
        sparse.write(b"\n")
        for line in (prompt("u2", 5, "behind"), said("a2", 6, "no", end=True), prompt("u3", 7, "open")):
            sparse.write(json.dumps(line).encode() + b"\n")
    made = collector(capturing)
    made.start()
    made.submit(event("SessionStart", transcript_path=str(file), source="startup")).result(30)
    made.submit(event("UserPromptSubmit", "s2", prompt="now")).result(30)
    made.submit(event("Stop", "s2", last_assistant_message="at once")).result(30)
    deadline = time.monotonic() + 30
    while made.pending and time.monotonic() < deadline:
        time.sleep(0.02)
    made.close(30)
    assert capturing.asked[-1] != "Asked: open"
    assert sorted(capturing.asked) == ["Asked: before", "Asked: behind", "Asked: now"]


def test_a_worker_that_is_stuck_is_named(capturing: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    made = collector(capturing, timer=lambda: now[0])
    entered, leave = threading.Event(), threading.Event()

    def hang(_: Payload) -> list[Known]:
        entered.set()
        leave.wait(30)
        return []

    monkeypatch.setattr(made._told, "take", hang)
    made.start()
    done = made.submit(event("Stop"))
    assert entered.wait(30)
    assert made.problem is None
    now[0] = 45.0
    assert made.problem == "the event Stop of session s1 has not come to an end for 45 s, and 0 more wait"
    leave.set()
    done.result(30)
    made.close(30)
    assert made.problem is None


def test_no_name_that_is_stored_holds_a_secret(capturing: Capturing) -> None:
    """BH46: a key may stand in a session's name, a folder, a file or a command as well as in a prompt."""
    key = "ghp_" + "a1" * 18
    made = collector(capturing)
    made.start()
    told = {"session": f"s-{key}", "transcript_path": f"/t/{key}.jsonl", "cwd": f"/code/{key}", "prompt_id": key}
    for _ in range(2):
        made.submit(event("UserPromptSubmit", **told, prompt=f"use {key} please")).result(30)
        edit = {"file_path": f"/code/{key}/a.py"}
        made.submit(event("PostToolUse", **told, tool_name="Edit", tool_use_id=key, tool_input=edit)).result(30)
        made.submit(event("Stop", **told, last_assistant_message="It is used.")).result(30)
    made.close(30)
    assert len(capturing.asked) == 1
    assert (capturing.entries[0].session or "").startswith("redacted-")
    assert not [path for path in capturing.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
