"""The job: whose files lie at a path, an end between two items, and what a person is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.cli.frame import root
from memoryd.errors import ImportFailed, SourceUnknown
from memoryd.jobs.importing.job import import_job
from memoryd.jobs.importing.registry import NAMES, all_sources
from memoryd.jobs.registry import Job, Run, RunCancelledError
from tests.unit.memoryd.importing import NOW, Home, home, write
from tests.unit.memoryd.test_import_memsearch import DAY

__all__ = ["home"]

TRANSCRIPTS = Path(__file__).parents[2] / "data" / "transcripts"


class EndsAfter(Run):
    """A run that somebody ends after so many things were told."""

    def __init__(self, told: int) -> None:
        super().__init__()
        self.left = told

    def tell(self, text: str, done: int = 0, total: int = 0) -> None:
        if self.left == 0:
            self.cancel()
        self.left -= 1
        super().tell(text, done, total)


def test_an_end_between_two_items_leaves_what_was_taken_in_and_the_next_run_goes_on(home: Home) -> None:
    day = write(home.peers / ".memsearch" / "memory" / "2026-10-05.md", DAY)
    with pytest.raises(RunCancelledError):
        home.take(day, handle=EndsAfter(2))
    assert len(home.entries) == 1
    assert home.take(day)["turns"] == {"known": 1, "recorded": 2}
    assert home.episodic.reconcile().problems == ()


def test_session_files_are_known_by_a_look(home: Home) -> None:
    assert home.take(TRANSCRIPTS, is_dry=True)["source"] == "claude"


def test_what_is_of_no_program_is_said_with_the_way_out(home: Home) -> None:
    write(home.peers / "a.md", "just a note\n")
    with pytest.raises(SourceUnknown, match=r"name one \(memsearch, claude-mem, .*vault\.paths"):
        home.take(home.peers)
    with pytest.raises(ImportFailed, match="there is nothing at"):
        home.take(home.peers / "nothing")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "claude"])
def test_a_look_never_fails(home: Home, name: str) -> None:
    source = all_sources(home.clock().tzinfo, home.clock)[name]  # type: ignore[arg-type]  # the clock is aware
    odd = home.peers / "odd"
    odd.mkdir()
    names = ("chroma.sqlite3", "knowledge_graph.sqlite3", "claude-mem.db", "memory.db", "graph.json", "index.yml",
             "user.json", "x.ndjson", "2026-10-05.md", "config.json")  # fmt: skip
    for data in (b"", b"\xff\xfe\x00", b"{" * 5000, b"SQLite format 3\x00" + b"\xff" * 200):
        for file in names:
            (odd / file).write_bytes(data)
            assert source.recognises(odd / file) in {True, False}
        assert source.recognises(odd) in {True, False}
    assert source.recognises(home.peers / "nothing") is False


def test_the_order_of_looks_and_the_commands_are_the_same_programs(home: Home) -> None:
    group = root.get_command(None, "import")  # type: ignore[arg-type]  # the context is not looked at
    assert set(group.commands) == set(NAMES)  # type: ignore[union-attr]  # it is a group
    offered = all_sources(home.clock().tzinfo, home.clock)  # type: ignore[arg-type]  # the clock is aware
    assert [name for name in NAMES if name != "claude"] == [*offered]


def test_entries_of_tomorrow_are_refused_by_name(home: Home) -> None:
    day = f"{NOW.year + 1}-01-01"
    file = write(home.peers / f"{day}.md", "## Session 10:00\n\n### 10:00\n<!-- session:s turn:t -->\n- x\n")
    done = home.take(file)
    assert done["turns"] == {"refused": 1}
    assert done["problems"] == [f"{day} 10:00: its time, {day}, has not come yet"]


def test_the_job_waits_for_the_scan_and_needs_only_a_path(home: Home) -> None:
    scans = iter([False, True])
    job: Job = import_job(home.importing, is_scanned=lambda: next(scans))
    write(home.peers / "memory.json", json.dumps({"type": "entity", "name": "A", "entityType": "b"}))
    done = job.run({"path": str(home.peers / "memory.json"), "source": None, "dry_run": False}, Run())
    assert (done["source"], done["turns"]) == ("kg-memory", {"recorded": 1})
    assert [one.name for one in job.arguments if one.is_required] == ["path"]
