"""Appending to the store: durable, once a turn, found at once."""

from __future__ import annotations

import shutil
import stat
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from episodic.engine.exact import ExactEngine
from episodic.engine.port import LEXICAL, Engine, LexicalRow
from episodic.episode import NewEpisode
from episodic.errors import (
    EngineError,
    EngineUnavailable,
    InvalidEpisode,
    JournalUnwritable,
    StoreClosed,
    TurnConflict,
)
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, found, make_store, new


def test_an_entry_is_on_disk_found_and_read_back(store: EpisodicStore, journal: Path) -> None:
    appended = store.append(new(title="Zoo", project="zoo-9c1e22ab", session="s", turn="t", files=("a.py",)))

    assert appended.created
    assert store.get(appended.episode.id) == appended.episode
    assert appended.episode.path == "journal/2026-11-30.md"
    assert appended.episode.lines == (3, 5)
    text = (journal / "2026-11-30.md").read_text("utf-8")
    assert text.startswith("# 2026-11-30\n\n## 14:05 Zoo\n<!-- memoryd: id=ep_")
    (hit,) = store.search(EpisodicQuery("walrus"), None).hits
    assert (hit.id, hit.kind, hit.episode, hit.text) == (appended.episode.id, "episode", hit.id, "the walrus sleeps")
    assert (hit.path, hit.lines, hit.at, hit.project) == ("journal/2026-11-30.md", (5, 5), AT, "zoo-9c1e22ab")


def test_folders_and_files_are_private(store: EpisodicStore, tmp_path: Path) -> None:
    store.append(new())

    for path in [tmp_path / "memory", *tmp_path.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_a_turn_is_written_once(store: EpisodicStore, journal: Path) -> None:
    first = store.append(new(session="s", turn="t"))
    again = store.append(new(session="s", turn="t", at=AT + timedelta(hours=2)))

    assert (again.created, again.episode.id) == (False, first.episode.id)
    assert (journal / "2026-11-30.md").read_text("utf-8").count("walrus") == 1
    with pytest.raises(TurnConflict) as conflict:
        store.append(new("another text", session="s", turn="t"))
    assert conflict.value.existing == first.episode.id
    assert store.append(new(session="s", turn="t2")).created
    assert store.append(new(session="s2", turn="t")).created


def test_a_key_is_written_once_and_stands_hashed(store: EpisodicStore, journal: Path) -> None:
    first = store.append(new(key="my key"))

    assert not store.append(new(key="my key")).created
    with pytest.raises(TurnConflict):
        store.append(new("other", key="my key"))
    assert f" key={first.episode.key} " in (journal / "2026-11-30.md").read_text("utf-8")
    assert "my key" not in (journal / "2026-11-30.md").read_text("utf-8")


def test_without_turn_and_key_every_call_writes(store: EpisodicStore) -> None:
    ids = {store.append(new(session="s")).episode.id for _ in range(3)}

    assert len(ids) == 3


@pytest.mark.parametrize("scan", [True, False])
def test_a_turn_is_known_after_state_is_deleted(tmp_path: Path, *, scan: bool) -> None:
    store = make_store(tmp_path)
    store.open()
    first = store.append(new(session="s 1", turn="t/1")).episode
    keyed = store.append(new("keyed", key="k")).episode
    store.close()
    shutil.rmtree(tmp_path / "state")

    store = make_store(tmp_path)
    store.open()
    if scan:
        store.reconcile()
    later = AT + timedelta(days=2)
    assert store.append(new(session="s 1", turn="t/1", at=later)).episode == first
    assert store.append(new("keyed", key="k", at=later)).episode == keyed
    store.close()


def test_spacing_at_the_ends_and_line_ends_do_not_make_a_conflict(store: EpisodicStore) -> None:
    store.append(new("a\r\nb\r\n", session="s", turn="t"))

    assert not store.append(new("\na\nb\n\n", session="s", turn="t")).created


@pytest.mark.parametrize("bad", [new(" \n"), new(at=datetime(2026, 11, 30)), new("\ud800"), new(session="\udfff")])
def test_what_cannot_be_written_is_refused(store: EpisodicStore, journal: Path, bad: NewEpisode) -> None:
    with pytest.raises(InvalidEpisode):
        store.append(bad)
    assert list(journal.iterdir()) == []


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        (timezone(timedelta(hours=1)), datetime(9999, 12, 31, 23, 30, tzinfo=UTC)),
        (UTC, datetime(1, 1, 1, tzinfo=UTC)),
        (UTC, datetime(9999, 1, 1, tzinfo=UTC)),
        (timezone(timedelta(hours=-5)), datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_an_instant_on_no_local_day_is_refused(tmp_path: Path, zone: timezone, at: datetime) -> None:
    store = make_store(tmp_path, zone=zone)
    store.open()
    with pytest.raises(InvalidEpisode):
        store.append(new(at=at))
    store.close()


def test_a_second_install_writes_its_own_file_and_both_are_one_day(tmp_path: Path) -> None:
    first, second = make_store(tmp_path), make_store(tmp_path / "b", install="bbbbbbbbbbbb")
    first.open()
    first.append(new("from the first"))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "memory").symlink_to(tmp_path / "memory")
    second.open()
    written = second.append(new("from the second", at=AT - timedelta(hours=1))).episode
    first.reconcile()

    assert written.path == "journal/2026-11-30.bbbbbbbbbbbb.md"
    assert [e.text for e in first.read_day(date(2026, 11, 30))] == ["from the second", "from the first"]
    assert first.days()[0].episodes == 2
    first.close()
    second.close()


def test_a_folder_where_the_day_should_be_is_one_clear_error(store: EpisodicStore, journal: Path) -> None:
    (journal / "2026-11-30.md").mkdir()

    with pytest.raises(JournalUnwritable, match="2026-11-30"):
        store.append(new())
    assert any("folder" in problem.reason for problem in store.reconcile().problems)


def test_an_entry_is_written_and_pending_while_the_engine_is_away(tmp_path: Path) -> None:
    broken = True

    def factory() -> Engine:
        if broken:
            raise EngineUnavailable("gone fishing")
        return ExactEngine(tmp_path / "state" / "exact.db")

    store = make_store(tmp_path, engine_factory=factory, rests_s=(0.01,))
    store.open()
    store.append(new())

    assert store.search(EpisodicQuery("walrus"), None).degraded[-1].endswith("gone fishing")
    assert "gone fishing" in store.degraded()[0]
    assert store.reconcile().problems == ()
    assert store.counts().pending == 1
    broken = False
    # Nobody asks for it: the entry is found because the engine was brought back and given what it missed.
    deadline = time.monotonic() + 10
    while not found(store, "walrus") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found(store, "walrus") == ["the walrus sleeps"]
    store.reconcile()
    assert (store.counts().pending, store.degraded()) == (0, [])
    store.close()


def test_an_engine_that_refuses_to_write_is_named(tmp_path: Path) -> None:
    class Full(ExactEngine):
        def put_lexical(self, rows: Sequence[LexicalRow], collection: str = LEXICAL) -> None:
            raise EngineError("the disk is full")

    store = make_store(tmp_path, engine_factory=Full)
    store.open()
    episode = store.append(new()).episode

    assert store.get(episode.id).text == "the walrus sleeps"
    assert store.counts().pending >= 1
    assert "the disk is full" in store.degraded()[0]
    store.reconcile()
    assert "the disk is full" in store.degraded()[0]
    store.close()


def test_what_is_counted_as_indexed_is_what_the_engine_holds(tmp_path: Path) -> None:
    """BH12: an index that cannot be written is named, and no count claims what is not there."""
    is_full = True

    class Full(ExactEngine):
        def put_lexical(self, rows: Sequence[LexicalRow], collection: str = LEXICAL) -> None:
            if is_full:
                raise EngineError("the disk is full")
            super().put_lexical(rows, collection)

    path = tmp_path / "state" / "exact.db"
    store = make_store(tmp_path, engine_factory=lambda: Full(path))
    store.open()
    store.reconcile()
    store.append(new("the walrus sleeps"))
    store.append(new("the otter wakes"))

    counts = store.counts()
    assert (counts.chunks, counts.pending) == (2, 2)
    assert ExactEngine(path).count(LEXICAL) == 0
    assert "the disk is full" in store.degraded()[0]
    is_full = False
    store.reconcile()
    counts = store.counts()
    assert (counts.chunks, counts.pending, ExactEngine(path).count(LEXICAL)) == (2, 0, 2)
    store.close()


def test_a_store_that_is_not_open_says_so(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.set_refused(["ep_1"])
    with pytest.raises(StoreClosed):
        store.get("ep_1")
    store.open()
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        store.append(new())
