"""Losing what is derived, and what a kill leaves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from episodic.engine.exact import ExactEngine
from episodic.engine.port import LexicalRow
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, WordEmbedder, embed_all, found, make_store, new


def break_manifest(state: Path) -> None:
    (state / "manifest.sqlite").write_bytes(b"this is no database, it is a long piece of text" * 50)


def lose_engine(state: Path) -> None:
    for path in state.glob("exact.db*"):
        path.unlink()


def break_engine(state: Path) -> None:
    lose_engine(state)
    (state / "exact.db").write_bytes(b"this is no database either, and it is long" * 50)


@pytest.mark.parametrize("damage", [shutil.rmtree, break_manifest, lose_engine, break_engine])
def test_the_index_can_be_lost_at_any_time(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    embedder = WordEmbedder()
    store = make_store(tmp_path)
    store.open()
    for n, text in enumerate(["the falcon key", "the heron key", "a list of owls", "falcon and owl"]):
        store.append(new(text, at=AT + timedelta(minutes=n), session="s", turn=str(n)))
    embed_all(store, embedder)
    before = [store.search(EpisodicQuery(q), embedder).hits for q in ("falcon", "owl", "key heron")]
    store.close()
    damage(tmp_path / "state")

    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    embed_all(store, embedder)
    assert [store.search(EpisodicQuery(q), embedder).hits for q in ("falcon", "owl", "key heron")] == before
    assert store.counts().pending == 0
    store.close()


def test_other_languages_rebuild_the_words(tmp_path: Path) -> None:
    store = make_store(tmp_path, languages=("en",))
    store.open()
    store.append(new("die Häuser der Stadt"))
    embed_all(store, WordEmbedder())
    store.close()
    store = make_store(tmp_path, languages=("de",))
    store.open()
    assert any("rules" in problem.reason for problem in store.reconcile().problems)

    assert found(store, "Haus") == ["die Häuser der Stadt"]
    store.close()


def test_rows_that_an_engine_lost_or_kept_are_mended_at_the_start(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.append(new("lost by the engine"))
    store.append(new("kept by both"))
    embed_all(store, WordEmbedder())
    lost = store.search(EpisodicQuery("lost"), None).hits[0]
    store.close()
    engine = ExactEngine(tmp_path / "state" / "exact.db")
    engine.drop(sorted(engine.ids("lex_v1") & engine.ids("vec_wordembedder"))[:1])
    engine.put_lexical([LexicalRow(id="f" * 32, at_ms=0, weights={1: 1.0})])
    engine.close()

    store = make_store(tmp_path)
    store.open()
    store.reconcile()
    assert lost.text in found(store, "lost")
    assert len(store.wanting_vectors("wordembedder", 9)) == 1
    store.close()
    engine = ExactEngine(tmp_path / "state" / "exact.db")
    assert "f" * 32 not in engine.ids("lex_v1")
    assert len(engine.ids("lex_v1")) == 2
    engine.close()


def test_an_append_that_was_not_indexed_is_found_after_a_kill(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.append(new("indexed", session="s", turn="1"))
    shutil.copytree(tmp_path / "state", tmp_path / "before")
    second = store.append(new("written, then killed", session="s", turn="2")).episode
    intent = (tmp_path / "state" / "append.intent").read_bytes()
    store.close()
    shutil.rmtree(tmp_path / "state")
    (tmp_path / "before").rename(tmp_path / "state")
    (tmp_path / "state" / "append.intent").write_bytes(intent)

    store = make_store(tmp_path)
    store.open()
    again = store.append(new("written, then killed", session="s", turn="2"))
    assert (again.created, again.episode.id) == (False, second.id)
    store.close()


def test_a_torn_entry_is_cut_off_at_the_start_and_can_be_sent_again(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.open()
    store.append(new("whole", session="s", turn="1"))
    day = tmp_path / "memory" / "journal" / "2026-11-30.md"
    size = day.stat().st_size
    store.append(new("torn in the middle", session="s", turn="2"))
    store.close()
    with day.open("r+b") as file:
        file.truncate(day.stat().st_size - 8)
    # Killed in the middle of the write, it had not come to note the entry a second time.
    recent = tmp_path / "state" / "recent.ndjson"
    recent.write_bytes(recent.read_bytes().splitlines(keepends=True)[0])

    store = make_store(tmp_path)
    store.open()
    assert day.stat().st_size == size
    assert any("interrupted" in problem.reason for problem in store.reconcile().problems)
    assert store.append(new("torn in the middle", session="s", turn="2")).created
    store.close()


def test_recent_entries_are_lines_of_json(store: EpisodicStore, tmp_path: Path) -> None:
    episode = store.append(new()).episode

    (line,) = (tmp_path / "state" / "recent.ndjson").read_text("utf-8").splitlines()
    assert json.loads(line)["id"] == episode.id
