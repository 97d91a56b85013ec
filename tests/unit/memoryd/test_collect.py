"""Events in, turns out, by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryd.capture.collect import Collector
from memoryd.capture.payload import Payload, read_payload
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
