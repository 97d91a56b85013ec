"""The manifest is lost while it serves: entries are written all the same, it is named, and comes back by itself."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from episodic.errors import ManifestUnusable
from episodic.index.manifest import Manifest
from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, embed_all, found, make_store, new

SOON_S = 20.0


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def overwrite(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(100)
        opened.write(os.urandom(file.stat().st_size - 100))


def replace_by_older(file: Path) -> None:
    older = sqlite3.connect(file.with_name("older.sqlite"))
    older.execute("CREATE TABLE something (else_ TEXT)")
    older.commit()
    older.close()
    file.with_name("older.sqlite").replace(file)


def copy_over(file: Path) -> None:
    file.write_bytes(file.read_bytes())


def delete_all_of_it(file: Path) -> None:
    for path in file.parent.glob("manifest.sqlite*"):
        path.unlink()


def delete_the_log(file: Path) -> None:
    file.with_name("manifest.sqlite-wal").unlink()


def cut_off(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def put_a_folder_there(file: Path) -> None:
    file.unlink()
    file.mkdir()


LOSSES: list[Callable[[Path], object]] = [
    Path.unlink, delete_all_of_it, delete_the_log, overwrite, cut_off, empty, replace_by_older, copy_over,
    put_a_folder_there,
]  # fmt: skip


@pytest.mark.parametrize("lose", LOSSES, ids=lambda lose: lose.__name__)
def test_it_is_made_anew_while_it_serves(
    store: EpisodicStore, tmp_path: Path, journal: Path, lose: Callable[[Path], object]
) -> None:
    embedder = WordEmbedder()
    turn = {"session": "s", "turn": "t"}
    store.reconcile()
    first = store.append(new("the walrus sleeps", **turn)).episode
    gone = store.append(new("the secret of the lagoon")).episode
    store.forget([gone.id])
    (journal / "2026-11-29.md").write_text("# 2026-11-29\n\n## by hand\nA heron in the attic.\n", "utf-8")
    store.reconcile()
    embed_all(store, embedder)
    store._manifest.shrink_log()

    lose(tmp_path / "state" / "manifest.sqlite")

    again = store.append(new("the walrus sleeps", **turn))
    assert (again.created, again.episode.id) == (False, first.id)
    second = store.append(new("an otter wakes"))
    assert second.created
    assert b"an otter wakes" in (journal / "2026-11-30.md").read_bytes()
    store.list()
    store.counts()
    assert soon(lambda: not store.degraded())
    assert soon(lambda: not store.counts().pending)
    assert any("was damaged" in one.reason for one in store.reconcile().problems)
    assert store.get(first.id) == first
    assert (found(store, "walrus"), found(store, "otter")) == (["the walrus sleeps"], ["an otter wakes"])
    assert found(store, "lagoon") == []
    assert len(store.list()) == 3
    embed_all(store, embedder)
    assert store.verify() == []


def test_it_is_named_until_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path, rests_s=(0.0,))
    store.open()
    store.append(new("the walrus sleeps"))
    store.reconcile()
    scan = store._reconciler.scan
    allowed: list[bool] = []

    def held_up(**fields: object) -> object:
        if not allowed:
            raise ManifestUnusable("no room")
        return scan(**fields)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(store._reconciler, "scan", held_up)
    (tmp_path / "state" / "manifest.sqlite").unlink()
    assert found(store, "walrus") == []
    assert soon(lambda: any("no room" in reason for reason in store.degraded()))
    assert "state/manifest.sqlite" in store.degraded()[0]
    assert store.counts().pending > 0
    (problem,) = store.verify()
    assert problem.path == "manifest.sqlite"
    allowed.append(True)
    assert soon(lambda: not store.degraded())
    assert found(store, "walrus") == ["the walrus sleeps"]
    store.close()


def test_a_page_that_was_broken_while_it_was_closed(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    for number in range(200):
        store.append(new(f"the walrus {number} sleeps"))
    store.close()
    file = tmp_path / "state" / "manifest.sqlite"
    with file.open("r+b") as opened:
        opened.seek(20 * 4096)
        opened.write(b"\xff" * (file.stat().st_size - 20 * 4096))
    store = make_store(tmp_path)
    store.open()
    for number in range(200, 205):
        assert store.append(new(f"the walrus {number} sleeps", session="s", turn=str(number))).created
    try:
        assert soon(lambda: not store.degraded() and reconciled(store))
        assert len(store.list(limit=500)) == 205
        assert store.verify() == []
    finally:
        store.close()


def reconciled(store: EpisodicStore) -> bool:
    try:
        store.reconcile()
    except ManifestUnusable:
        return False
    return True


def test_only_one_broken_manifest_is_kept(store: EpisodicStore, tmp_path: Path) -> None:
    store.reconcile()
    for _ in range(3):
        overwrite(tmp_path / "state" / "manifest.sqlite")
        store.counts()
        assert soon(lambda: not store.degraded())
    assert [path.name for path in (tmp_path / "state").glob("*.broken*")] == ["manifest.sqlite.broken"]


def test_no_room_is_no_damage(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "manifest.sqlite")
    manifest.open("stamp")
    manifest.set_meta("kept", "yes")
    pages = manifest._writer.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[union-attr] # it is open
    manifest._writer.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[union-attr] # as above
    with pytest.raises(ManifestUnusable, match="full"):
        manifest.set_meta("more", "x" * 100_000)
    assert manifest.meta("kept") == "yes"
    assert not list(tmp_path.glob("*.broken*"))
    manifest.close()


def test_a_folder_of_state_that_is_gone_is_made_again(store: EpisodicStore, tmp_path: Path) -> None:
    store.reconcile()
    store.append(new("the walrus sleeps"))
    shutil.rmtree(tmp_path / "state")
    store.list()
    assert soon(lambda: not store.degraded())
    assert store.append(new("an otter wakes")).created
    assert len(store.list()) == 2


def test_an_entry_is_kept_and_shown_though_the_manifest_has_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path, rests_s=(0.01,))
    store.open()
    store.append(new("the walrus sleeps"))
    store.reconcile()
    turn = {"session": "s", "turn": "t"}
    with monkeypatch.context() as patched:

        @contextlib.contextmanager
        def refuse() -> Iterator[sqlite3.Connection]:
            raise ManifestUnusable("database or disk is full")
            yield

        patched.setattr(store._manifest, "writing", refuse)
        kept = store.append(new("an otter wakes", **turn))
        assert kept.created
        assert kept.episode.lines == (7, 9)
        assert not store.append(new("an otter wakes", **turn)).created
        assert store.get(kept.episode.id) == kept.episode
        assert any("disk is full" in reason for reason in store.degraded())
        assert store.counts().pending > 0
    assert soon(lambda: not store.degraded())
    assert found(store, "otter") == ["an otter wakes"]
    assert store.get(kept.episode.id) == kept.episode
    assert store.verify() == []
    store.close()
