"""When a graph is too old, and what the start of a session does about it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memoryd.jobs.stale import Stamp, renewing

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def test_a_graph_is_old_after_its_days(tmp_path: Path) -> None:
    clock = Clock()
    stamp = Stamp(tmp_path / "graph.json", clock, 7)
    assert not stamp.is_old
    stamp.set("abc")
    clock.now += timedelta(days=6, hours=23)
    assert not stamp.is_old
    clock.now += timedelta(hours=1)
    assert stamp.is_old
    # A clock that was put back makes no graph young for ever.
    clock.now = NOW - timedelta(days=1)
    assert stamp.is_old


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"made": 3}', '{"made": "soon"}', '{"made": "2026-01-01T00:00:00"}'])
def test_a_stamp_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "graph.json"
    file.write_text(text, "utf-8")
    assert Stamp(file, Clock(), 7).made is None


def test_a_session_has_an_old_graph_made_anew_and_dates_one_without_a_stamp(tmp_path: Path) -> None:
    clock, begun, held = Clock(), list[datetime](), [None, "abc"]
    stamp = Stamp(tmp_path / "graph.json", clock, 7)
    session_began = renewing(stamp, lambda: held[0], lambda: begun.append(clock.now))
    session_began()
    assert stamp.made is None, "nobody asked for a graph"
    held.pop(0)
    session_began()
    assert stamp.made == NOW
    assert json.loads((tmp_path / "graph.json").read_text("utf-8"))["digest"] == "abc"
    clock.now += timedelta(days=8)
    session_began()
    assert begun == [clock.now]


def test_a_stamp_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    stamp = Stamp(tmp_path / "file" / "graph.json", Clock(), 7)
    (tmp_path / "file").write_text("in the way", "utf-8")
    stamp.set("abc")
    assert stamp.made is None
