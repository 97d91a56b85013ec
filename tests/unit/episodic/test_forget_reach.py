"""What was forgotten stands nowhere any more, or the call says where it still does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from episodic.errors import JournalUnwritable
from episodic.journal.dayfile import remove_leftovers, rewrite
from episodic.store import EpisodicStore
from episodic.testing import found, make_store, new

SECRET = b"xyzzy"


def holders(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and SECRET in path.read_bytes()]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "memory" / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def linked(store: EpisodicStore, journal: Path, elsewhere: Path) -> EpisodicStore:
    """A store whose day is a link to a file that lies beside the journal."""
    (elsewhere / "day.md").write_text("# 2026-11-30\n", "utf-8")
    (journal / "2026-11-30.md").symlink_to(elsewhere / "day.md")
    return store


def test_a_day_that_is_a_link_is_followed(linked: EpisodicStore, journal: Path, elsewhere: Path) -> None:
    kept = linked.append(new("the walrus sleeps")).episode
    gone = linked.append(new("xyzzy secret")).episode
    assert holders(elsewhere)
    assert linked.forget([gone.id]) == [gone.id]
    assert holders(elsewhere, journal) == []
    assert (journal / "2026-11-30.md").is_symlink()
    assert b"walrus" in (elsewhere / "day.md").read_bytes()
    assert [entry.id for entry in linked.list()] == [kept.id]
    linked.append(new("an otter wakes"))
    assert b"otter" in (elsewhere / "day.md").read_bytes()


def test_a_link_into_a_folder_that_cannot_be_written_is_refused(
    linked: EpisodicStore, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = linked.append(new("xyzzy secret")).episode

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("memoryd.text.durable.create_file", refuse)
    with pytest.raises(JournalUnwritable, match=r"a link to .*day\.md, could not be rewritten: Permission denied"):
        linked.forget([gone.id])
    assert holders(elsewhere)


def test_a_day_with_a_second_name_is_refused(store: EpisodicStore, journal: Path, elsewhere: Path) -> None:
    gone = store.append(new("xyzzy secret")).episode
    other = elsewhere / "backup.md"
    os.link(journal / "2026-11-30.md", other)
    with pytest.raises(JournalUnwritable, match="has 2 names"):
        store.forget([gone.id])
    assert SECRET in (journal / "2026-11-30.md").read_bytes()
    other.unlink()
    assert store.forget([gone.id]) == [gone.id]
    assert holders(journal) == []


def test_two_names_of_one_file_are_one(store: EpisodicStore, journal: Path) -> None:
    gone = store.append(new("xyzzy secret")).episode
    (journal / "2026-11-30 link.md").symlink_to("2026-11-30.md")
    store.reconcile()
    assert store.forget([gone.id]) == [gone.id]
    assert holders(journal) == []
    assert found(store, "xyzzy") == []


def excerpted(store: EpisodicStore) -> str:
    fields = {"session": "s", "turn": "t", "transcript": "transcripts/s/t.md", "excerpt": "xyzzy at length"}
    return store.append(new("xyzzy secret", **fields)).episode.id


def test_an_excerpt_goes_with_its_entry(store: EpisodicStore, tmp_path: Path) -> None:
    gone = excerpted(store)
    store.reconcile()
    assert SECRET in (tmp_path / "memory" / "transcripts" / "s" / "t.md").read_bytes()
    assert store.forget([gone]) == [gone]
    store.close()
    assert holders(tmp_path) == []


@pytest.mark.parametrize("is_known", [False, True])
def test_an_excerpt_that_lies_elsewhere_is_named(
    store: EpisodicStore, tmp_path: Path, elsewhere: Path, *, is_known: bool
) -> None:
    gone = excerpted(store)
    excerpt = tmp_path / "memory" / "transcripts" / "s" / "t.md"
    excerpt.rename(elsewhere / "t.md")
    excerpt.symlink_to(elsewhere / "t.md")
    if is_known:
        store.reconcile()
    with pytest.raises(JournalUnwritable, match=r"is a link to .*t\.md, which is not memoryd's to remove"):
        store.forget([gone])
    (elsewhere / "t.md").unlink()
    assert store.forget([gone]) == [gone]
    assert holders(tmp_path / "memory", elsewhere) == []


def test_what_was_set_aside_or_left_half_done_goes_too(store: EpisodicStore, tmp_path: Path, journal: Path) -> None:
    gone = store.append(new("xyzzy secret")).episode
    state = tmp_path / "state"
    for name in ("manifest.sqlite.broken", "episodic.db.broken-1", "recent.tmp"):
        (state / name).write_bytes(SECRET)
    (state / "episodic.db.broken-2").mkdir()
    (state / "episodic.db.broken-2" / "segment").write_bytes(SECRET)
    (journal / ".2026-11-30.md.memoryd-tmp").write_bytes(SECRET)
    assert store.forget([gone.id]) == [gone.id]
    store.close()
    assert holders(tmp_path) == []


def test_recent_entries_that_were_put_back_by_hand_go_too(store: EpisodicStore, tmp_path: Path) -> None:
    gone = store.append(new("xyzzy secret")).episode
    recent = tmp_path / "state" / "recent.ndjson"
    held = recent.read_bytes()
    store.close()
    recent.unlink()
    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    recent.write_bytes(held)
    assert store.forget([gone.id]) == [gone.id]
    store.close()
    assert holders(tmp_path) == []


def test_a_copy_beside_the_journal_that_stays_is_named(
    store: EpisodicStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = store.append(new("xyzzy secret")).episode
    broken = tmp_path / "state" / "manifest.sqlite.broken"
    broken.write_bytes(SECRET)
    unlink = Path.unlink

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if path == broken:
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(JournalUnwritable, match=r"manifest\.sqlite\.broken Permission denied"):
        store.forget([gone.id])


def test_what_came_back_behind_a_link_is_taken_out_again(linked: EpisodicStore, journal: Path, elsewhere: Path) -> None:
    gone = linked.append(new("xyzzy secret")).episode
    backup = (elsewhere / "day.md").read_bytes()
    linked.forget([gone.id])
    (elsewhere / "day.md").write_bytes(backup)
    linked.reconcile()
    assert holders(elsewhere, journal) == []


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "2026-11-30.md")
    with pytest.raises(JournalUnwritable, match="no regular file"):
        rewrite(tmp_path / "2026-11-30.md", lambda data: data + b"x")


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    with pytest.raises(JournalUnwritable):
        rewrite(tmp_path / "a.md", lambda data: data)


def test_leftovers_of_a_kill_go_with_the_next_start(store: EpisodicStore, tmp_path: Path, journal: Path) -> None:
    store.close()
    (journal / ".2026-11-30.md.memoryd-tmp").write_bytes(SECRET)
    store = make_store(tmp_path)
    store.open()
    store.close()
    assert holders(tmp_path) == []
    remove_leftovers(tmp_path / "nothing here")


def test_what_another_install_forgot_leaves_no_trace_here(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    store.append(new("the walrus sleeps"))
    gone = store.append(new("xyzzy secret")).episode
    store.set_refused([gone.id])
    store.reconcile()
    store.close()
    assert holders(tmp_path) == []
    assert b"walrus" in (journal / "2026-11-30.md").read_bytes()


def test_a_day_that_a_tool_cleaned_first_leaves_no_trace_either(
    store: EpisodicStore, journal: Path, tmp_path: Path
) -> None:
    gone = store.append(new("xyzzy secret")).episode
    store.set_refused([gone.id])
    (journal / "2026-11-30.md").write_text("# 2026-11-30\n", "utf-8")
    store.reconcile()
    store.close()
    assert holders(tmp_path) == []
    again = make_store(tmp_path)
    again.open()
    assert not again.reconcile().problems
    again.close()
