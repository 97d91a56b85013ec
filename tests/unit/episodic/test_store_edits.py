"""What people and other programs do to the files."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import SettableClock, found, make_store, new


def test_a_hand_edit_is_taken_in_and_the_id_stays(store: EpisodicStore, journal: Path) -> None:
    episode = store.append(new()).episode
    day = journal / "2026-11-30.md"
    day.write_text(day.read_text("utf-8").replace("walrus sleeps", "narwhal wakes") + "\n## Own\nby hand\n", "utf-8")
    store.refresh([day])

    assert found(store, "walrus") == []
    assert store.get(episode.id).text == "the narwhal wakes"
    assert found(store, "hand") == ["by hand"]


def test_an_entry_that_a_save_dropped_is_written_again_once(store: EpisodicStore, journal: Path) -> None:
    store.append(new("first entry"))
    day = journal / "2026-11-30.md"
    old_copy = day.read_text("utf-8")
    lost = store.append(new("second entry")).episode
    day.write_text(old_copy.replace("first entry", "first entry, edited"), "utf-8")
    report = store.refresh([day])

    assert lost.id in report.problems[0].reason
    assert [e.text for e in store.read_day(date(2026, 11, 30))] == ["first entry, edited", "second entry"]
    assert found(store, "second") == ["second entry"]
    day.write_text(old_copy, "utf-8")
    assert store.refresh([day]).problems == ()
    assert found(store, "second") == []


def test_an_old_entry_that_was_deleted_by_hand_stays_deleted(tmp_path: Path) -> None:
    clock = SettableClock(datetime(2026, 11, 30, 18, 0, tzinfo=UTC))
    store = make_store(tmp_path, clock=clock)
    store.open()
    store.append(new("kept"))
    day = tmp_path / "memory" / "journal" / "2026-11-30.md"
    old_copy = day.read_text("utf-8")
    store.append(new("deleted later"))
    clock.advance(timedelta(hours=25))
    day.write_text(old_copy, "utf-8")
    store.reconcile()

    assert [e.text for e in store.list()] == ["kept"]
    store.close()


def test_an_entry_moved_to_another_file_is_not_doubled(store: EpisodicStore, journal: Path) -> None:
    store.append(new("travels"))
    day = journal / "2026-11-30.md"
    text = day.read_text("utf-8")
    (journal / "2026-11-29.md").write_text(text, "utf-8")
    store.refresh([journal / "2026-11-29.md"])
    day.write_text("# 2026-11-30\n\nempty now\n", "utf-8")
    store.refresh([day])

    assert found(store, "travels") == ["travels"]
    assert store.counts().episodes == 2


def test_a_sync_tools_copy_is_one_hit_with_both_places(store: EpisodicStore, journal: Path) -> None:
    episode = store.append(new()).episode
    copy = journal / "2026-11-30.sync-conflict-20261130-120000-ABC.md"
    copy.write_bytes((journal / "2026-11-30.md").read_bytes())
    store.reconcile()

    (hit,) = store.search(EpisodicQuery("walrus"), None).hits
    assert {hit.path, *hit.sources} == {"journal/2026-11-30.md", f"journal/{copy.name}"}
    assert [e.id for e in store.list()] == [episode.id]
    (journal / "2026-11-30.md").unlink()
    store.refresh([journal / "2026-11-30.md"])
    assert store.get(episode.id).path == f"journal/{copy.name}"


def test_refreshing_one_file_touches_no_other(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-01-01.md").write_text("alpha only here\n", "utf-8")
    (journal / "2026-01-02.md").write_text("beta only here\n", "utf-8")
    store.reconcile()
    (journal / "2026-01-01.md").write_text("alpha changed\n", "utf-8")
    store.refresh([journal / "2026-01-01.md"])

    assert found(store, "beta") == ["beta only here"]
    assert found(store, "alpha") == ["alpha changed"]


def test_a_second_scan_changes_nothing(store: EpisodicStore, journal: Path) -> None:
    for n in range(1, 5):
        (journal / f"2026-01-0{n}.md").write_text(f"## {n}\nentry {n}\n", "utf-8")
    first = store.reconcile()
    sequence = store.index_seq()
    second = store.reconcile()

    assert (first.files, first.changed) == (4, 4)
    assert (second.files, second.changed, second.removed) == (4, 0, 0)
    assert store.index_seq() == sequence


def test_a_deleted_file_leaves_no_ghost(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-01-01.md").write_text("quokka ledger\n", "utf-8")
    store.reconcile()
    before = store.counts().chunks
    (journal / "2026-01-02.md").write_text("quokka again\n", "utf-8")
    store.refresh([journal / "2026-01-02.md"])
    (journal / "2026-01-02.md").unlink()
    assert store.refresh([journal / "2026-01-02.md"]).removed == 1

    assert store.counts().chunks == before
    assert found(store, "quokka") == ["quokka ledger"]


def test_a_folder_is_removed_by_its_whole_name(store: EpisodicStore, journal: Path) -> None:
    for name in ("note", "notebook"):
        (journal / name).mkdir()
        (journal / name / "2026-01-01.md").write_text(f"in {name}\n", "utf-8")
    store.reconcile()
    shutil.rmtree(journal / "note")
    store.refresh([journal / "note"])

    assert found(store, "in") == ["in notebook"]
    (journal / "notebook").rename(journal / "moved")
    store.refresh([journal / "notebook", journal / "moved"])
    assert [hit.path for hit in store.search(EpisodicQuery("in"), None).hits] == ["journal/moved/2026-01-01.md"]


@pytest.mark.parametrize(
    "name", ['2026-01-01 we\\ird "q" name.md', "2026-01-01 o'clock.md", "2026-01-01 100%.md", "2026-01-01 日記.md"]
)
def test_any_name_is_indexed_changed_and_removed(store: EpisodicStore, journal: Path, name: str) -> None:
    path = journal / name
    path.write_text("pelican toll\n", "utf-8")
    store.refresh([path])
    assert [hit.path for hit in store.search(EpisodicQuery("pelican toll"), None).hits] == [f"journal/{name}"]
    path.write_text("pelican fee\n", "utf-8")
    store.refresh([path])
    assert found(store, "pelican") == ["pelican fee"]
    path.unlink()
    store.refresh([path])
    assert found(store, "pelican") == []


def test_near_equal_names_stay_apart(store: EpisodicStore, journal: Path) -> None:
    for name, text in [("my_file", "underscore marmot"), ("my-file", "dash heron"), ("my file", "space lynx")]:
        (journal / f"2026-01-01 {name}.md").write_text(f"{text}\n", "utf-8")
    store.reconcile()

    for name, text in [("my_file", "underscore marmot"), ("my-file", "dash heron"), ("my file", "space lynx")]:
        assert store.search(EpisodicQuery(text), None).hits[0].path == f"journal/2026-01-01 {name}.md"


def test_a_bad_file_is_reported_and_the_rest_is_read(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-01-01.md").write_bytes(b"bad \xff byte kiwi\n")
    (journal / "2026-01-02.md").write_bytes(b"nul \0 byte kiwi\n")
    (journal / "2026-01-03.md").write_bytes(b"fine kiwi\n")
    (journal / "2026-01-04.md").mkdir()
    (journal / "2026-01-05.md").symlink_to(journal / "nowhere")
    (journal / "plan.md").write_text("no day\n", "utf-8")
    report = store.reconcile()

    paths = {problem.path for problem in report.problems}
    assert {"journal/2026-01-01.md", "journal/2026-01-02.md", "journal/2026-01-05.md", "journal/plan.md"} <= paths
    assert len(found(store, "kiwi")) == 3
    again = store.reconcile()
    assert {problem.path for problem in again.problems} == paths


def test_nothing_is_pruned_when_the_root_is_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path)
    store.open()
    journal = tmp_path / "memory" / "journal"
    for n in range(1, 7):
        (journal / f"2026-01-0{n}.md").write_text(f"entry {n}\n", "utf-8")
    store.reconcile()

    def count() -> int:
        return store.counts().episodes

    aside = tmp_path / "aside"
    journal.rename(aside)
    assert store.reconcile().removed == 0
    assert count() == 6
    journal.mkdir()
    assert (store.reconcile().removed, store.reconcile().removed) == (0, 0)
    assert store.refresh([journal / "2026-01-01.md"]).removed in (0, 1)
    journal.rmdir()
    aside.rename(journal)
    store.reconcile()
    assert count() == 6

    (tmp_path / "memory" / ".primary").rename(tmp_path / "marker")
    (journal / "2026-01-01.md").unlink()
    assert store.reconcile().removed == 0
    (tmp_path / "marker").rename(tmp_path / "memory" / ".primary")
    assert store.reconcile().removed == 1
    for n in range(2, 6):
        (journal / f"2026-01-0{n}.md").unlink()
    report = store.reconcile()
    assert report.removed == 0
    assert "1 of 5 files" in report.problems[0].reason
    store.close()


def test_what_happened_while_down_is_caught_up(tmp_path: Path) -> None:
    journal = tmp_path / "memory" / "journal"
    store = make_store(tmp_path)
    store.open()
    for n in range(1, 5):
        (journal / f"2026-01-0{n}.md").write_text(f"entry number {n}\n", "utf-8")
    store.reconcile()
    store.close()
    (journal / "2026-01-01.md").write_text("changed\n", "utf-8")
    (journal / "2026-01-02.md").unlink()
    (journal / "2026-01-03.md").rename(journal / "2026-01-05.md")
    store = make_store(tmp_path)
    store.open()
    assert found(store, "entry") != []
    store.reconcile()

    assert sorted(found(store, "entry")) == ["entry number 3", "entry number 4"]
    assert found(store, "changed") == ["changed"]
    store.close()
