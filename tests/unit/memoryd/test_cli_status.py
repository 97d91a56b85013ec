"""``memoryd status``: lines for people."""

from __future__ import annotations

from typing import Any

from memoryd.cli.status import describe, describe_sessions


def test_what_each_session_was_given_is_listed_with_its_cost() -> None:
    shown = {
        "event": "SessionStart",
        "agent": None,
        "at": "2026-11-30T09:00:00+01:00",
        "units": 1200,
        "ids": ["a", "b"],
    }
    inside = {"event": "PreToolUse", "agent": "a7", "at": "2026-11-30T09:01:00+01:00", "units": 1, "ids": ["a"]}
    items: list[dict[str, Any]] = [
        {"session": "s1", "project": "shop-1f0a9c22", "units": 1201, "showings": [shown, inside]},
        {"session": "s2", "project": None, "units": 0, "showings": []},
    ]
    assert list(describe_sessions(items)) == [
        "s1, shop-1f0a9c22: 1,201 units in 2 texts",
        "  2026-11-30T09:00:00+01:00 SessionStart: 1,200 units, 2 things",
        "  2026-11-30T09:01:00+01:00 PreToolUse (sub-agent a7): 1 unit, 1 thing",
        "s2: 0 units in 0 texts",
    ]
    assert list(describe_sessions([])) == ["no session was given anything yet"]


def test_turns_that_no_stop_told_of_are_counted() -> None:
    body = {
        "episodic": {"chunks": 1, "engine": "exact", "model": "none"},
        "semantic": {"elements": 0},
        "capture": {"recorded": 5, "missed": 2, "outcomes": {"recorded": 5}},
        "pending": 0,
        "degraded": [],
    }
    assert "turns since the start: 5, 2 of them from session files" in list(describe(body))
