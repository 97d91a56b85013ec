"""A link that leads out of the memory is named, and nothing behind it is read, held or written."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from episodic.errors import JournalUnwritable
from episodic.index.roots import DailyNotes
from episodic.journal.dayfile import append
from episodic.journal.recent import RecentEntries
from episodic.store import EpisodicStore
from episodic.testing import found, make_store, new

DAY = "2026-11-30.md"
TEXT = "# hosts\n\n## 09:00 by hand\nThe walrus is a secret of the system.\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that lies in no folder of the memory."""
    path = tmp_path / "system.md"
    path.write_text(TEXT, "utf-8")
    return path


def test_a_day_that_leads_out_is_named_and_left_alone(store: EpisodicStore, journal: Path, outside: Path) -> None:
    (journal / DAY).symlink_to(outside)
    for report in (store.reconcile(), store.refresh([journal / DAY]), store.reconcile()):
        (problem,) = report.problems
        assert problem.path == f"journal/{DAY}"
        assert str(outside) in problem.reason
        assert "Put the file itself" in problem.reason
    assert found(store, "walrus") == []
    assert store.list() == []
    assert store.verify() == []


def test_an_entry_of_such_a_day_goes_to_the_other_file_of_the_day(
    store: EpisodicStore, journal: Path, outside: Path
) -> None:
    (journal / DAY).symlink_to(outside)
    written = store.append(new("an otter wakes", session="s", turn="t")).episode
    assert written.path.startswith("journal/2026-11-30.")
    assert written.path != f"journal/{DAY}"
    store.reconcile()
    assert not store.append(new("an otter wakes", session="s", turn="t")).created
    assert found(store, "otter") == ["an otter wakes"]
    assert store.forget([written.id]) == [written.id]
    assert outside.read_text("utf-8") == TEXT
    assert (journal / DAY).is_symlink()


def test_where_both_files_of_a_day_lead_out_the_link_is_named(
    store: EpisodicStore, journal: Path, outside: Path
) -> None:
    (journal / DAY).symlink_to(outside)
    other = journal.parent / store.append(new("an otter wakes")).episode.path
    other.unlink()
    other.symlink_to(outside.with_name("not there yet"))
    with pytest.raises(JournalUnwritable, match=rf"{other.name}.*not there yet.*Put the file itself"):
        store.append(new("a badger digs"))
    assert outside.read_text("utf-8") == TEXT
    assert not outside.with_name("not there yet").exists()


def test_a_day_that_was_read_and_then_led_out_is_not_held(store: EpisodicStore, journal: Path, outside: Path) -> None:
    gone = store.append(new("an otter wakes")).episode
    (journal / DAY).rename(outside)
    (journal / DAY).symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(JournalUnwritable, match="not memoryd's to remove"):
        store.forget([gone.id])
    assert store.reconcile().removed == 1
    assert store.list() == []
    assert outside.read_bytes() == before


def test_a_folder_that_leads_out_is_not_read(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "2026-11-28.md").write_text(TEXT, "utf-8")
    (journal / "old").symlink_to(tmp_path / "elsewhere")
    for report in (store.reconcile(), store.refresh([journal / "old"])):
        assert [one.path for one in report.problems] == ["journal/old/2026-11-28.md"]
    assert store.list() == []


def test_a_journal_that_a_person_keeps_elsewhere_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "journal").symlink_to(tmp_path / "kept")
    (tmp_path / "kept" / "2026-11-28.md").write_text(TEXT, "utf-8")
    (tmp_path / "kept" / "2026-11-27.md").symlink_to("2026-11-28.md")
    store = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    store.open()
    assert store.reconcile().problems == ()
    store.append(new("an otter wakes"))
    assert "otter" in (tmp_path / "kept" / DAY).read_text("utf-8")
    assert found(store, "walrus") == ["The walrus is a secret of the system."]
    store.close()


def test_excerpts_that_lead_out_are_neither_read_nor_written(
    store: EpisodicStore, tmp_path: Path, outside: Path
) -> None:
    fields = {"transcript": "transcripts/s/t.md", "excerpt": "a walrus at length"}
    session = tmp_path / "memory" / "transcripts" / "s"
    (tmp_path / "elsewhere").mkdir()
    session.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalUnwritable, match="nothing of the turn was stored"):
        store.append(new("an otter wakes", session="s", turn="t", **fields))
    assert list((tmp_path / "elsewhere").iterdir()) == []
    session.unlink()
    session.mkdir()
    written = store.append(new("an otter wakes", session="s", turn="t", **fields)).episode
    outside.write_bytes((session / "t.md").read_bytes())
    (session / "t.md").unlink()
    (session / "t.md").symlink_to(outside)
    assert [one.path for one in store.reconcile().problems] == ["transcripts/s/t.md"]
    assert [one.id for one in store.list()] == [written.id]
    assert found(store, "length") == []


def test_daily_notes_that_lead_out_of_their_vault_are_not_read(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / DAY).symlink_to(outside)
    store = make_store(tmp_path, sources=[DailyNotes("work", tmp_path / "vault")])
    store.open()
    assert [one.path for one in store.reconcile().problems] == [f"work:{DAY}"]
    assert store.list() == []
    store.close()


def test_a_claim_that_is_a_link_is_refused(store: EpisodicStore, tmp_path: Path, outside: Path) -> None:
    primary = tmp_path / "memory" / ".primary"
    primary.unlink()
    primary.symlink_to(outside)
    with pytest.raises(JournalUnwritable, match=r"\.primary is a link"):
        store.append(new("an otter wakes"))
    assert outside.read_text("utf-8") == TEXT


@pytest.mark.parametrize("name", ["recent.ndjson", "recent.tmp", "append.intent"])
def test_what_stands_beside_the_index_is_not_written_through_a_link(tmp_path: Path, outside: Path, name: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / name).symlink_to(outside)
    store = make_store(tmp_path)
    store.open()
    gone = store.append(new("an otter wakes")).episode
    store.forget([gone.id])
    store.append(new("a badger digs"))
    store.close()
    assert outside.read_text("utf-8") == TEXT


def test_recent_entries_are_not_added_through_a_link_that_came_later(tmp_path: Path, outside: Path) -> None:
    now = new().at
    recent = RecentEntries(tmp_path / "recent.ndjson", clock=lambda: now)
    recent.load()
    recent.add("ep_a", "journal/2026-11-30.md", "## a\n")
    (tmp_path / "recent.ndjson").unlink()
    (tmp_path / "recent.ndjson").symlink_to(outside)
    recent.add("ep_b", "journal/2026-11-30.md", "## b\n")
    assert outside.read_text("utf-8") == TEXT
    assert {one.id for one in recent.of("journal/2026-11-30.md")} == {"ep_a", "ep_b"}
    assert not (tmp_path / "recent.ndjson").is_symlink()


def test_a_link_that_takes_the_place_of_the_intent_is_replaced(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "intent").symlink_to(outside)
    append(tmp_path / "day.md", "## a\n", heading="# day\n", mark=b"## a", intent=tmp_path / "intent")
    assert outside.read_text("utf-8") == TEXT


@pytest.mark.parametrize("name", ["notes.md", "2026-13-40.md", "sub/notes.md"])
def test_a_file_that_is_no_day_is_named_by_what_a_watcher_saw(store: EpisodicStore, journal: Path, name: str) -> None:
    store.reconcile()
    (journal / "sub").mkdir()
    (journal / name).write_text("The walrus sleeps.\n", "utf-8")
    for told in (journal / name, journal / Path(name).parts[0]):
        (problem,) = store.refresh([told]).problems
        assert (problem.path, problem.happened) == (f"journal/{name}", False)
    (journal / name).unlink()
    report = store.refresh([journal / name])
    assert report.problems == ()
    assert f"journal/{name}" in report.looked_at
