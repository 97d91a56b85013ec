"""The store over a real Milvus Lite: its child process, its file, and what happens when either breaks."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from episodic.engine.lite import MAX_SOCKET_BYTES, LiteServer
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import LEXICAL, Filter, LexicalRow
from episodic.errors import EngineUnavailable
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, embed_all, found, make_store, new

DEADLINE_S = 30.0


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[], EpisodicStore]]:
    """Return a function that makes a store over Milvus Lite; all are closed with the test."""
    made: list[EpisodicStore] = []

    def run() -> EpisodicStore:
        database = tmp_path / "state" / "episodic.db"
        store = make_store(tmp_path, engine_factory=lambda: MilvusEngine.local(database, runtime=tmp_path / "rt"))
        made.append(store)
        return store

    yield run
    for store in made:
        store.close()


def children(of: int | None = None) -> list[int]:
    """Return the ids of milvus children of a process (ours, where none is named)."""
    wanted = os.getpid() if of is None else of
    found_ids = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            name = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)[0]
        except OSError:
            continue
        if name == "milvus" and fields[0] != "Z" and int(fields[1]) == wanted:
            found_ids.append(int(folder.name))
    return found_ids


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the process table of Linux")


def test_what_is_written_is_found_by_both_arms_and_after_a_restart(make: Callable[[], EpisodicStore]) -> None:
    embedder = WordEmbedder()
    store = make()
    store.open()
    for n, text in enumerate(["the falcon key is nine", "the heron key is ten", "数据库迁移失败"]):
        store.append(new(text, session="s", turn=str(n), project="p-00000000"))
    embed_all(store, embedder)
    before = store.search(EpisodicQuery("falcon key"), embedder)
    assert (before.hits[0].text, before.hits[0].score, before.degraded) == ("the falcon key is nine", 1.0, ())
    assert found(store, "数据库", project="p-00000000") == ["数据库迁移失败"]
    store.close()

    store = make()
    store.open()
    assert store.search(EpisodicQuery("falcon key"), embedder) == before
    assert store.reconcile().problems == ()
    assert (store.counts().pending, embed_all(store, embedder)) == (0, 0)


def test_an_edited_and_a_forgotten_entry_are_gone_from_the_index(
    make: Callable[[], EpisodicStore], tmp_path: Path
) -> None:
    store = make()
    store.open()
    kept = store.append(new("falcon one")).episode
    gone = store.append(new("falcon two")).episode
    embed_all(store, WordEmbedder())
    day = tmp_path / "memory" / kept.path
    day.write_text(day.read_text("utf-8").replace("falcon one", "heron one"), "utf-8")
    store.refresh([day])
    store.forget([gone.id])
    embed_all(store, WordEmbedder())

    assert found(store, "falcon") == []
    assert [hit.text for hit in store.search(EpisodicQuery("falcon"), WordEmbedder()).hits] == ["heron one"]
    store.close()
    engine = MilvusEngine.local(tmp_path / "state" / "episodic.db", runtime=tmp_path / "rt")
    assert len(engine.ids(LEXICAL)) == len(engine.ids("vec_wordembedder")) == 1
    engine.close()


@linux_only
def test_closing_leaves_no_process_no_lock_and_no_socket(make: Callable[[], EpisodicStore], tmp_path: Path) -> None:
    before = children()
    store = make()
    store.open()
    store.append(new())
    assert len(children()) == len(before) + 1
    socket = next((tmp_path / "rt" / "engine").glob("*.sock"))
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state" / "episodic.db").stat().st_mode) == 0o600
    store.close()

    assert children() == before
    assert [path.suffix for path in (tmp_path / "rt" / "engine").iterdir()] == [".log"]
    assert not (tmp_path / "state" / ".episodic.db.lock").exists()


@linux_only
def test_a_killed_child_is_brought_back_and_nothing_is_lost(make: Callable[[], EpisodicStore]) -> None:
    before = set(children())
    store = make()
    store.open()
    store.append(new("falcon one"))
    for text in ("falcon two", "falcon three"):
        (child,) = set(children()) - before
        os.kill(child, signal.SIGKILL)
        store.append(new(text))
    (child,) = set(children()) - before
    os.kill(child, signal.SIGKILL)

    assert sorted(found(store, "falcon")) == ["falcon one", "falcon three", "falcon two"]
    assert store.degraded() == []


@linux_only
def test_an_engine_that_cannot_come_back_is_named_and_entries_stay_safe(
    make: Callable[[], EpisodicStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(children())
    store = make()
    store.open()
    store.append(new("falcon one"))
    (child,) = set(children()) - before

    def failing(self: LiteServer) -> None:
        raise EngineUnavailable("no such thing")

    with monkeypatch.context() as patch:
        patch.setattr(LiteServer, "start", failing)
        os.kill(child, signal.SIGKILL)
        episode = store.append(new("falcon two")).episode
        assert store.get(episode.id).text == "falcon two"
        assert "no such thing" in store.degraded()[0]
        assert "no such thing" in store.search(EpisodicQuery("falcon"), None).degraded[-1]
        assert store.counts().pending >= 1


STARTER = """
import sys, time
from pathlib import Path
from episodic.engine.milvus import MilvusEngine
from episodic.testing import make_store, new
home = Path(sys.argv[1])
store = make_store(home, engine_factory=lambda: MilvusEngine.local(home / "state" / "episodic.db", runtime=home / "rt"))
store.open()
store.append(new("falcon one"))
print("ready", flush=True)
time.sleep(600)
"""


@linux_only
def test_a_killed_parent_leaves_no_orphan_and_the_next_start_is_clean(
    make: Callable[[], EpisodicStore], tmp_path: Path
) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "ready\n"
    (child,) = children(parent.pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()

    store = make()
    store.open()
    assert found(store, "falcon") == ["falcon one"]
    assert store.reconcile().problems == ()
    assert wait_until(lambda: not Path(f"/proc/{child}").exists())


def folder_of_lite_3(database: Path) -> None:
    database.mkdir()
    (database / "manifest.json").write_text("{}")


def foreign_file(database: Path) -> None:
    database.write_bytes(b"PK\x03\x04 surely not a database" * 100)


def torn_database(database: Path) -> None:
    with database.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 8000)


@pytest.mark.parametrize("damage", [folder_of_lite_3, foreign_file, torn_database])
def test_a_database_that_cannot_be_used_is_set_aside_and_filled_anew(
    make: Callable[[], EpisodicStore], tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    store = make()
    store.open()
    store.append(new("falcon one"))
    embed_all(store, WordEmbedder())
    store.close()
    database = tmp_path / "state" / "episodic.db"
    if damage is not torn_database:
        database.unlink()
    damage(database)

    store = make()
    store.open()
    report = store.reconcile()
    assert "episodic.db.broken-1" in next(p.reason for p in report.problems if p.path == "index")
    assert (tmp_path / "state" / "episodic.db.broken-1").exists()
    assert found(store, "falcon") == ["falcon one"]
    assert embed_all(store, WordEmbedder()) == 1


def test_a_database_that_another_process_holds_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "ready\n"
    monkeypatch.setattr("episodic.engine.lite.LOCK_TIMEOUT_S", 0.2)
    engine = MilvusEngine.local(tmp_path / "state" / "episodic.db", runtime=tmp_path / "rt2")
    try:
        assert "held by another process" in engine.notes[0]
        assert engine.ids(LEXICAL) == set()
    finally:
        engine.close()
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_runtime_folder_that_is_too_long_is_one_clear_error(tmp_path: Path) -> None:
    long = tmp_path / ("x" * MAX_SOCKET_BYTES)

    with pytest.raises(EngineUnavailable, match="shorter runtime folder"):
        MilvusEngine.local(tmp_path / "episodic.db", runtime=long)
    assert not (tmp_path / "episodic.db.broken-1").exists()


def test_two_databases_in_one_process_do_not_meet(tmp_path: Path) -> None:
    one = MilvusEngine.local(tmp_path / "one.db", runtime=tmp_path / "rt")
    two = MilvusEngine.local(tmp_path / "two.db", runtime=tmp_path / "rt")
    try:
        one.put_lexical([LexicalRow(id="a" * 32, at_ms=0, weights={1: 1.0})])
        assert two.search_lexical({1: 1.0}, Filter(), 5) == []
        one.close()
        two.put_lexical([LexicalRow(id="b" * 32, at_ms=0, weights={1: 1.0})])
        assert two.ids(LEXICAL) == {"b" * 32}
    finally:
        one.close()
        two.close()


def test_real_days_are_taken_in(make: Callable[[], EpisodicStore], tmp_path: Path, test_data: Path) -> None:
    journal = tmp_path / "memory" / "journal"
    journal.mkdir(parents=True)
    files = sorted((test_data / "journals" / "bahmutov-by-day").glob("*.md"))
    for file in files:
        (journal / file.name).write_bytes(file.read_bytes())
    store = make()
    store.open()
    report = store.reconcile()

    assert (report.files, report.changed, report.problems) == (len(files), len(files), ())
    assert store.counts().episodes >= len(files)
    hit = store.search(EpisodicQuery("Ghost password reset workflow"), None).hits[0]
    assert hit.path == "journal/2019-03-11.md"
