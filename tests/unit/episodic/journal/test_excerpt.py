"""Excerpts of turns: kept beside the journal, found below it, gone with their entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from episodic.errors import JournalUnwritable, UnknownEpisode
from episodic.journal.excerpt import excerpt_path
from episodic.search.arms import EpisodicQuery
from episodic.store import EpisodicStore
from episodic.testing import AT, make_store, new

EXCERPT = "### Asked\n\nhow do walruses sleep\n\n### Then\n\n# A heading\n\nThe thermocline was measured by the buoy."


def captured(turn: str = "t1", text: str = "the walrus sleeps", **fields: object) -> object:
    return new(text, session="s1", turn=turn, transcript=excerpt_path("s1", turn), excerpt=EXCERPT, **fields)


@pytest.fixture
def excerpt(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "transcripts" / "s1" / "t1.md"


def put(store: EpisodicStore, **fields: object) -> str:
    appended = store.append(captured(**fields))  # type: ignore[arg-type] # made just above
    store.refresh([p for p in store.watched() if p.name == "transcripts"])
    return appended.episode.id


def test_a_find_in_an_excerpt_leads_to_its_entry(store: EpisodicStore, excerpt: Path) -> None:
    id_ = put(store)
    (hit,) = store.search(EpisodicQuery("thermocline buoy"), None).hits
    assert hit.episode == id_
    assert hit.kind == "section"
    assert hit.path == "transcripts/s1/t1.md"
    assert hit.lines is not None
    assert "thermocline" in "\n".join(excerpt.read_text("utf-8").split("\n")[hit.lines[0] - 1 : hit.lines[1]])
    assert store.context_of(hit.id, "section") == "the walrus sleeps"
    assert "# A heading" in store.context_of(hit.id, "transcript")
    assert "<!--" not in store.context_of(hit.id, "transcript")


def test_an_excerpt_is_no_entry_of_its_own(store: EpisodicStore) -> None:
    id_ = put(store)
    assert [entry.id for entry in store.list()] == [id_]
    assert store.counts().episodes == 1
    assert [day.episodes for day in store.days()] == [1]
    assert [entry.text for entry in store.read_day(AT.date())] == ["the walrus sleeps"]
    assert len(store.search(EpisodicQuery(""), None).hits) == 1


def test_an_entry_that_says_it_ranks_above_an_excerpt_that_does(store: EpisodicStore) -> None:
    put(store)
    said = store.append(new("The thermocline was measured by the buoy.", session="s2", turn="t9")).episode.id
    hits = store.search(EpisodicQuery("thermocline measured by the buoy"), None).hits
    assert hits[0].episode == said
    assert len(hits) == 2


def test_an_entry_found_in_both_places_is_one_hit_in_the_entry(store: EpisodicStore) -> None:
    id_ = put(store, text="the buoy measured a thermocline")
    hits = store.search(EpisodicQuery("thermocline buoy"), None).hits
    assert [(hit.episode, hit.kind) for hit in hits] == [(id_, "episode")]


def test_forgetting_takes_the_excerpt_too(store: EpisodicStore, tmp_path: Path, excerpt: Path) -> None:
    id_ = put(store)
    assert store.forget([id_]) == [id_]
    assert not excerpt.exists()
    assert store.search(EpisodicQuery("thermocline buoy"), None).hits == ()
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and b"thermocline" in path.read_bytes()]
    assert holding == []


def test_an_excerpt_that_a_sync_brings_back_is_taken_out_again(store: EpisodicStore, excerpt: Path) -> None:
    id_ = put(store)
    data = excerpt.read_bytes()
    store.forget([id_])
    excerpt.write_bytes(data)
    report = store.reconcile()
    assert not excerpt.exists()
    assert any("forgotten" in problem.reason for problem in report.problems)
    assert store.search(EpisodicQuery("thermocline buoy"), None).hits == ()


def test_an_excerpt_without_its_entry_is_not_found(store: EpisodicStore, tmp_path: Path) -> None:
    id_ = put(store)
    day = next((tmp_path / "memory" / "journal").glob("*.md"))
    day.write_text("# 2026-11-30\n", "utf-8")
    (tmp_path / "state" / "recent.ndjson").unlink()
    store.close()
    again = make_store(tmp_path)
    again.open()
    again.reconcile()
    with pytest.raises(UnknownEpisode):
        again.get(id_)
    assert again.search(EpisodicQuery("thermocline buoy"), None).hits == ()
    again.close()


def test_a_rebuild_finds_the_same(store: EpisodicStore, tmp_path: Path) -> None:
    put(store)
    before = store.search(EpisodicQuery("thermocline walrus"), None).hits
    store.close()
    for file in (tmp_path / "state").iterdir():
        file.unlink()
    again = make_store(tmp_path)
    again.open()
    again.reconcile()
    assert [(hit.id, hit.path) for hit in again.search(EpisodicQuery("thermocline walrus"), None).hits] == [
        (hit.id, hit.path) for hit in before
    ]
    again.close()


def test_files_of_a_person_in_the_folder_are_left_alone(store: EpisodicStore, excerpt: Path) -> None:
    put(store)
    other = excerpt.with_name("mine.md")
    other.write_text("## mine\nthe narwhal dives\n", "utf-8")
    store.reconcile()
    assert store.search(EpisodicQuery("narwhal"), None).hits == ()
    assert other.exists()


@pytest.mark.parametrize("place", [None, "journal/x.md", "transcripts/../x.md", "transcripts/a/b/c.md", "/etc/x.md"])
def test_an_excerpt_lies_in_its_folder_or_nothing_is_written(store: EpisodicStore, place: str | None) -> None:
    with pytest.raises(JournalUnwritable):
        store.append(new("text", session="s1", turn="t1", transcript=place, excerpt="x"))
    assert store.list() == []


def test_names_of_files() -> None:
    assert excerpt_path("s1", "u-1.2_x") == "transcripts/s1/u-1.2_x.md"
    for name in ("..", ".x", "a/b", "a" * 101, "ü", ""):
        assert excerpt_path(name, name).count("/") == 2
        assert ".." not in excerpt_path(name, name)


def test_permissions_are_private(store: EpisodicStore, excerpt: Path) -> None:
    put(store)
    assert excerpt.stat().st_mode & 0o777 == 0o600
    assert excerpt.parent.stat().st_mode & 0o777 == 0o700
