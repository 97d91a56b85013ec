"""Comparing and rebuilding: each difference is named, and a rebuild leaves none."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from episodic.engine.exact import ExactEngine
from episodic.engine.port import LEXICAL, SPARE_LEXICAL, Engine, LexicalRow, Scored
from episodic.errors import EngineError
from episodic.store import EpisodicStore
from episodic.testing import WordEmbedder, embed_all, found, make_store, new

HAND_WRITTEN = "# 2026-11-30\n\n## 09:00 Morning\n\nThe heron was here first.\n"


@pytest.fixture
def filled(store: EpisodicStore, journal: Path) -> EpisodicStore:
    """A store with entries of both kinds, indexed and embedded."""
    (journal / "2026-11-29.md").write_text(HAND_WRITTEN.replace("30", "29"), "utf-8")
    for n, text in enumerate(["the falcon sleeps", "the walrus sleeps", "the heron wakes"]):
        store.append(new(text, session="s", turn=str(n), project="p-00000000"))
    store.reconcile()
    embed_all(store, WordEmbedder())
    return store


def sql(home: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(home / "state" / "manifest.sqlite")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def engine_of(store: EpisodicStore) -> ExactEngine:
    engine = store._index._hold._engine
    assert isinstance(engine, ExactEngine)
    return engine


def reasons(store: EpisodicStore) -> list[str]:
    return [f"{one.path}: {one.reason}" for one in store.verify()]


def test_a_sound_index_has_no_difference(filled: EpisodicStore) -> None:
    assert filled.verify() == []


def drop_a_row(store: EpisodicStore, home: Path) -> None:
    engine_of(store).drop(sorted(engine_of(store).ids(LEXICAL))[:1])


def add_a_stranger(store: EpisodicStore, home: Path) -> None:
    engine_of(store).put_lexical([LexicalRow(id="ab" * 16, at_ms=0, weights={1: 1.0})])


def change_a_filter(store: EpisodicStore, home: Path) -> None:
    engine_of(store)._connection.execute("UPDATE pieces SET project = 'other' WHERE collection = ?", (LEXICAL,))


def change_a_text(store: EpisodicStore, home: Path) -> None:
    sql(home, "UPDATE documents SET text = 'altered' WHERE text LIKE '%walrus%'")


def change_an_entry(store: EpisodicStore, home: Path) -> None:
    sql(home, "UPDATE episodes SET title = 'altered', at_us = 0 WHERE turn = '1'")


def lose_an_entry(store: EpisodicStore, home: Path) -> None:
    sql(home, "DELETE FROM episodes WHERE turn = '1'")


def lose_a_piece(store: EpisodicStore, home: Path) -> None:
    sql(home, "DELETE FROM chunks WHERE ordinal = 0")


def lose_a_file(store: EpisodicStore, home: Path) -> None:
    sql(home, "DELETE FROM files WHERE path = 'journal/2026-11-29.md'")


def count_wrong(store: EpisodicStore, home: Path) -> None:
    sql(home, "UPDATE frequencies SET documents = documents + 5 WHERE term >= 0")


def write_a_file(store: EpisodicStore, home: Path) -> None:
    (home / "memory" / "journal" / "2026-11-28.md").write_text(HAND_WRITTEN.replace("30", "28"), "utf-8")


def edit_a_file(store: EpisodicStore, home: Path) -> None:
    file = home / "memory" / "journal" / "2026-11-29.md"
    file.write_text(file.read_text("utf-8").replace("first", "last"), "utf-8")


def remove_a_file(store: EpisodicStore, home: Path) -> None:
    (home / "memory" / "journal" / "2026-11-29.md").unlink()


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (drop_a_row, ["lex_v1: row", "vec_wordembedder: row", "is missing"]),
        (add_a_stranger, ["lex_v1: row " + "ab" * 16 + " belongs to no piece"]),
        (change_a_filter, ["has another project than its piece"]),
        (change_a_text, ["has another text in the manifest"]),
        (change_an_entry, ["has another title, at_us in the manifest"]),
        (lose_an_entry, ["is in the file and not in the manifest"]),
        (lose_a_piece, ["is in the file and not in the manifest"]),
        (lose_a_file, ["journal/2026-11-29.md: it is not in the manifest"]),
        (count_wrong, ["is counted in"]),
        (write_a_file, ["journal/2026-11-28.md: it is not in the manifest"]),
        (edit_a_file, ["journal/2026-11-29.md: entry"]),
        (remove_a_file, ["journal/2026-11-29.md: it is in the manifest, and no such file is there"]),
    ],
)
def test_a_difference_is_named_and_a_rebuild_leaves_none(
    filled: EpisodicStore, tmp_path: Path, damage: Callable[[EpisodicStore, Path], None], named: list[str]
) -> None:
    damage(filled, tmp_path)

    told = "\n".join(reasons(filled))
    for words in named:
        assert words in told

    filled.rebuild()
    assert reasons(filled) == []
    embed_all(filled, WordEmbedder())
    assert reasons(filled) == []
    assert found(filled, "falcon") == ["the falcon sleeps"]
    assert found(filled, "walrus") == ["the walrus sleeps"]


def test_what_only_waits_is_no_difference(filled: EpisodicStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise EngineError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(engine_of(filled), "put_lexical", refuse)
        filled.append(new("the osprey waits"))
        assert filled.verify() == []
        assert filled.counts().pending == 1


def test_words_are_found_while_the_index_is_rebuilt(filled: EpisodicStore) -> None:
    seen: list[tuple[str, list[str]]] = []

    def tell(text: str, done: int, total: int) -> None:
        if text == "fills the index":
            if not seen:
                filled.append(new("the osprey came meanwhile"))
            seen.append((filled._index.place, found(filled, "walrus")))

    filled.rebuild(tell)

    assert seen
    assert {hits[0] for _, hits in seen} == {"the walrus sleeps"}
    assert seen[0][0] == LEXICAL
    assert filled._index.place == SPARE_LEXICAL
    assert found(filled, "osprey") == ["the osprey came meanwhile"]
    assert filled.verify() == []
    assert filled.index_state().rows == {SPARE_LEXICAL: 5}


def test_a_search_that_a_rebuild_overtakes_is_asked_again(
    filled: EpisodicStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(filled)
    search, places = engine.search_lexical, []

    def overtaken(weights: Any, where: Any, limit: int, collection: str = LEXICAL) -> Scored:
        places.append(collection)
        if len(places) == 1:
            thread = threading.Thread(target=filled.rebuild)
            thread.start()
            thread.join(20)
        return search(weights, where, limit, collection)

    monkeypatch.setattr(engine, "search_lexical", overtaken)
    assert found(filled, "walrus") == ["the walrus sleeps"]
    assert places == [LEXICAL, SPARE_LEXICAL]


class EndedError(Exception):
    """The daemon goes down."""


def test_a_rebuild_that_is_ended_leaves_an_index_that_serves(filled: EpisodicStore, tmp_path: Path) -> None:
    def tell(text: str, done: int, total: int) -> None:
        if text == "fills the index" and done:
            raise EndedError

    with pytest.raises(EndedError):
        filled.rebuild(tell)

    assert (filled._index.place, found(filled, "walrus")) == (LEXICAL, ["the walrus sleeps"])
    assert engine_of(filled).count(SPARE_LEXICAL) > 0
    filled.close()
    again = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    again.open()
    assert engine_of(again).collections() == {LEXICAL, "vec_wordembedder"}
    assert (again.verify(), found(again, "walrus")) == ([], ["the walrus sleeps"])
    again.close()


def test_the_place_of_the_rows_is_remembered(filled: EpisodicStore, tmp_path: Path) -> None:
    filled.rebuild()
    filled.close()
    again = make_store(tmp_path, zone=ZoneInfo("Europe/Berlin"))
    again.open()

    assert (again._index.place, found(again, "walrus")) == (SPARE_LEXICAL, ["the walrus sleeps"])
    again.rebuild()
    assert (again._index.place, again.verify()) == (LEXICAL, [])
    again.close()


def test_a_database_that_refuses_is_thrown_away_and_filled(tmp_path: Path) -> None:
    class Torn(ExactEngine):
        is_torn = False

        def drop_collection(self, collection: str) -> None:
            if self.is_torn:
                raise EngineError("segment cannot be read")
            super().drop_collection(collection)

        def reset(self) -> None:
            super().reset()
            self.is_torn = False

    store = make_store(tmp_path, engine_factory=lambda: Torn(tmp_path / "state" / "exact.db"))
    store.open()
    store.append(new("the walrus sleeps"))
    engine = store._index._hold._engine
    assert isinstance(engine, Torn)
    engine.is_torn = True

    store.rebuild()

    assert (found(store, "walrus"), store.verify(), store.degraded()) == (["the walrus sleeps"], [], [])
    store.close()


def test_a_damaged_manifest_is_named_and_made_anew(filled: EpisodicStore, tmp_path: Path) -> None:
    forgotten = filled.append(new("the secret of the lagoon")).episode
    filled.forget([forgotten.id])
    file = tmp_path / "state" / "manifest.sqlite"
    filled._manifest.shrink_log()
    with file.open("r+b") as opened:
        opened.seek(3 * 4096)
        opened.write(b"\xff" * 4096 * 12)

    filled.reconcile()  # whoever comes first finds it
    deadline = time.monotonic() + 20
    while filled.degraded() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert any("made anew" in one.reason for one in filled.reconcile().problems)
    assert filled.verify() == []
    assert found(filled, "walrus") == ["the walrus sleeps"]
    assert found(filled, "lagoon") == []


def test_most_files_gone_are_kept_until_the_loss_is_accepted(
    filled: EpisodicStore, journal: Path, tmp_path: Path
) -> None:
    for day in range(10, 20):
        (journal / f"2026-11-{day}.md").write_text(HAND_WRITTEN.replace("30", str(day)), "utf-8")
    filled.reconcile()
    for day in range(10, 20):
        (journal / f"2026-11-{day}.md").unlink()

    report = filled.rebuild()
    assert "rebuild the index" in report.problems[0].reason
    assert filled.index_state().files == 12

    assert filled.rebuild(accept_loss=True).removed == 10
    assert (filled.index_state().files, filled.verify()) == (2, [])


def test_a_folder_that_is_away_is_no_loss_to_accept(filled: EpisodicStore, journal: Path) -> None:
    journal.rename(journal.with_name("elsewhere"))
    filled.rebuild(accept_loss=True)
    assert filled.index_state().episodes == 4


def test_entries_are_written_while_a_batch_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry does not wait for the index: it is on the disk, and follows."""
    monkeypatch.setattr("episodic.index.upkeep.QUERY_S", 0.2)
    entered, gate = threading.Event(), threading.Event()

    class Slow(ExactEngine):
        def put_dense(self, fingerprint: str, dimension: int, rows: Sequence[object]) -> None:
            entered.set()
            gate.wait(20)

    store = make_store(tmp_path, engine_factory=lambda: engine_like(Slow, tmp_path), rests_s=(0.01,))
    store.open()
    store.append(new("the falcon sleeps"))
    store.reconcile()
    thread = threading.Thread(target=embed_all, args=(store, WordEmbedder()))
    thread.start()
    assert entered.wait(10)

    episode = store.append(new("the walrus sleeps")).episode

    assert not gate.is_set()
    assert store.get(episode.id).text == "the walrus sleeps"
    assert store.counts().pending == 1
    gate.set()
    thread.join(20)
    store.reconcile()
    assert found(store, "walrus") == ["the walrus sleeps"]
    store.close()


def engine_like(kind: type[ExactEngine], home: Path) -> Engine:
    return kind(home / "state" / "exact.db")
