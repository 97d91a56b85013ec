"""Days that other programs wrote: memsearch's, and daily notes by the names that people give them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from episodic.store import DailyNotes, EpisodicStore
from episodic.testing import found, make_store, new

MEMSEARCH = """\
# 2026-11-30

## Session 09:12

### 09:12
<!-- session:3f2a turn:aaaa transcript:/home/u/.claude/projects/p/3f2a.jsonl -->
- User asked about the walrus.
- Assistant answered that it sleeps.

### 09:40
<!-- session:3f2a turn:bbbb transcript:/home/u/.claude/projects/p/3f2a.jsonl -->
- User asked about the badger.

#### A heading inside
It digs.
"""


def test_a_day_of_memsearch(store: EpisodicStore, journal: Path) -> None:
    day = journal / "2026-11-30.md"
    day.write_text(MEMSEARCH, "utf-8")
    report = store.reconcile()
    assert report.problems == ()
    entries = store.list(newest_first=False)
    assert [(f"{e.at:%H:%M}", e.session, e.turn) for e in entries] == [
        ("09:12", "3f2a", "aaaa"),
        ("09:40", "3f2a", "bbbb"),
    ]
    assert "session:3f2a" not in "".join(e.text for e in entries)
    assert "It digs." in entries[1].text
    ours = store.append(new("an otter wakes")).episode  # both programs write on
    day.write_text(
        day.read_text("utf-8") + "\n## Session 18:00\n\n### 18:00\n<!-- session:3f2a turn:cccc -->\n- A lynx.\n",
        "utf-8",
    )
    store.refresh([day])
    assert found(store, "lynx") == ["- A lynx."]
    assert store.get(ours.id).text == "an otter wakes"
    assert store.verify() == []


@pytest.mark.parametrize(
    "name",
    [
        "2026-11-30.md",
        "2026-11-30 a walk.md",
        "2026-11-30-monday.md",
        "2026-11-30.0123456789ab.md",
        "2026/11/2026-11-30.md",
    ],
)
def test_names_of_a_day(store: EpisodicStore, journal: Path, name: str) -> None:
    (journal / name).parent.mkdir(parents=True, exist_ok=True)
    (journal / name).write_text("## 08:00 Walk\nsaw a heron\n\nno time here\n", "utf-8")
    assert store.reconcile().problems == ()
    (entry,) = store.read_day(date(2026, 11, 30))
    assert (entry.path, f"{entry.at:%H:%M}") == (f"journal/{name}", "08:00")
    assert store.verify() == []


@pytest.mark.parametrize("name", ["2026_11_30.md", "notes.md", "2026-13-45.md", "20261130.md"])
def test_a_name_that_is_no_day_is_named_and_not_lost(store: EpisodicStore, journal: Path, name: str) -> None:
    (journal / name).write_text("saw a heron\n", "utf-8")
    (problem,) = store.reconcile().problems
    assert problem.path == f"journal/{name}"
    assert "YYYY-MM-DD" in problem.reason


def test_days_of_logseq_in_a_vault(tmp_path: Path) -> None:
    vault = tmp_path / "graph"
    (vault / "journals").mkdir(parents=True)
    (vault / "journals" / "2026_11_30.md").write_text("- saw a heron\n\t- in the attic\n", "utf-8")

    def day_of(path: str) -> date | None:
        name = path.rpartition("/")[2].removesuffix(".md")
        return date.fromisoformat(name.replace("_", "-"))

    store = make_store(tmp_path, sources=[DailyNotes("graph", vault, "journals", day_of)])
    store.open()
    store.reconcile()
    (entry,) = store.list()
    assert (entry.path, entry.at) == ("graph:journals/2026_11_30.md", datetime(2026, 11, 30, tzinfo=UTC))
    assert store.verify() == []
    store.close()
