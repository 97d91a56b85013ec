"""One id over two texts: both are kept and found, and an index that grew equals one that is made anew."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from episodic.journal.namesake import derived_id
from episodic.store import EpisodicStore
from episodic.testing import found, make_store, new
from memoryd.text.report import Report

PLAIN, COPY = "2026-11-30.md", "2026-11-30 (conflict).md"


def answers(store: EpisodicStore) -> list[object]:
    entries = [(e.id, e.text, e.path, e.lines) for e in store.list(limit=500, newest_first=False)]
    words = ("walrus", "badger", "otter", "sleeps")
    return [entries, [sorted(found(store, word)) for word in words], store.counts().chunks]


def rebuilt(home: Path) -> list[object]:
    shutil.rmtree(home / "state")
    store = make_store(home, zone=ZoneInfo("Europe/Berlin"))
    store.open()
    store.reconcile()
    try:
        assert store.verify() == []
        return answers(store)
    finally:
        store.close()


def problems(report: Report) -> str:
    return " | ".join(f"{one.path}: {one.reason}" for one in report.problems)


def two_versions(store: EpisodicStore, journal: Path) -> str:
    id_ = store.append(new("the walrus sleeps")).episode.id
    text = (journal / PLAIN).read_text("utf-8")
    (journal / COPY).write_text(text.replace("walrus", "badger"), "utf-8")
    return id_


def test_a_conflict_copy_hides_nothing(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    id_ = two_versions(store, journal)
    report = store.reconcile()
    other = derived_id(id_, f"journal/{COPY}", 0)
    assert {entry.id: entry.text for entry in store.list()} == {id_: "the walrus sleeps", other: "the badger sleeps"}
    assert (store.get(id_).path, store.get(other).path) == (f"journal/{PLAIN}", f"journal/{COPY}")
    assert (found(store, "walrus"), found(store, "badger")) == (["the walrus sleeps"], ["the badger sleeps"])
    assert f"journal/{COPY}: line 3: the id {id_} belongs to another text" in problems(report)
    assert other in problems(store.reconcile())  # as long as it stands
    assert store.verify() == []
    before = answers(store)
    store.close()
    assert rebuilt(tmp_path) == before


def test_equal_texts_are_one_entry(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    id_ = store.append(new("the walrus sleeps")).episode.id
    shutil.copy(journal / PLAIN, journal / COPY)
    report = store.reconcile()
    assert [entry.id for entry in store.list()] == [id_]
    assert report.problems == ()
    assert store.verify() == []


def test_when_the_first_goes_the_other_gets_its_id_back(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    id_ = two_versions(store, journal)
    store.reconcile()
    (journal / PLAIN).unlink()
    store.refresh([journal / PLAIN])
    assert [(entry.id, entry.text) for entry in store.list()] == [(id_, "the badger sleeps")]
    assert store.verify() == []
    before = answers(store)
    store.close()
    assert rebuilt(tmp_path) == before


@pytest.mark.parametrize("order", list(itertools.permutations((PLAIN, COPY, "2026-11-30 b.md"))))
def test_the_order_of_reading_plays_no_part(
    store: EpisodicStore, journal: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    store.append(new("the walrus sleeps"))
    text = (journal / PLAIN).read_text("utf-8")
    (journal / PLAIN).unlink()
    store.refresh([journal / PLAIN])
    words = {PLAIN: "walrus", COPY: "badger", "2026-11-30 b.md": "otter"}
    for name in order:
        (journal / name).write_text(text.replace("walrus", words[name]), "utf-8")
        store.refresh([journal / name])
        assert store.verify() == []
    before = answers(store)
    assert [len(hits) for hits in before[1]] == [1, 1, 1, 3]  # type: ignore[attr-defined] # a list
    store.close()
    assert rebuilt(tmp_path) == before


def test_an_anchor_pasted_twice(store: EpisodicStore, journal: Path, tmp_path: Path) -> None:
    id_ = store.append(new("the walrus sleeps")).episode.id
    day = journal / PLAIN
    text = day.read_text("utf-8")
    section = text[text.index("## ") :]
    day.write_text(
        text + "\n" + section.replace("walrus", "badger") + "\n" + section.replace("walrus", "otter"), "utf-8"
    )
    report = store.refresh([day])
    assert store.get(id_).text == "the walrus sleeps"
    assert len(store.list()) == 3
    assert store.get(derived_id(id_, f"journal/{PLAIN}", 1)).text == "the otter sleeps"
    assert problems(report).count("belongs to another text") == 2
    assert store.verify() == []
    before = answers(store)
    store.close()
    assert rebuilt(tmp_path) == before


def test_a_turn_is_still_told_once(store: EpisodicStore, journal: Path) -> None:
    turn = {"session": "s", "turn": "t"}
    id_ = store.append(new("the walrus sleeps", **turn)).episode.id
    text = (journal / PLAIN).read_text("utf-8")
    (journal / COPY).write_text(text.replace("walrus", "badger"), "utf-8")
    store.reconcile()
    again = store.append(new("the walrus sleeps", **turn))
    assert (again.created, again.episode.id) == (False, id_)


def test_one_version_is_forgotten(store: EpisodicStore, journal: Path) -> None:
    id_ = two_versions(store, journal)
    store.reconcile()
    other = derived_id(id_, f"journal/{COPY}", 0)
    assert store.forget([other]) == [other]
    assert b"badger" not in (journal / COPY).read_bytes()
    assert [entry.id for entry in store.list()] == [id_]
    assert store.verify() == []


def test_what_is_forgotten_goes_in_all_versions(store: EpisodicStore, journal: Path) -> None:
    id_ = two_versions(store, journal)
    store.reconcile()
    assert store.forget([id_]) == [id_]
    assert b"walrus" not in (journal / PLAIN).read_bytes()
    assert b"badger" not in (journal / COPY).read_bytes()
    assert store.list() == []
    assert store.verify() == []
