"""A palace of MemPalace: what is dated becomes episodes, mined files notes, facts decisions with their time.

The tables are those that the program and its store of vectors make, as far as anything is read from them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import ImportFailed
from tests.unit.memoryd.importing import Home, home, make_database

__all__ = ["home"]

DRAWERS = """
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT NOT NULL);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL);
CREATE TABLE embedding_metadata (
    id INTEGER, key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER,
    PRIMARY KEY (id, key));
"""
FACTS = """
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT, type TEXT DEFAULT 'unknown', properties TEXT, created_at TEXT);
CREATE TABLE triples (
    id TEXT PRIMARY KEY, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT, valid_to TEXT, confidence REAL,
    source_closet TEXT, source_file TEXT, source_drawer_id TEXT, adapter_name TEXT, extracted_at TEXT);
"""
TALK = {"wing": "talks", "room": "general", "source_file": "/w/convos/s1.jsonl", "ingest_mode": "convos"}
SENTENCES = [f"The heron of day {number} counts its fish and tells nobody." for number in range(40)]


def drawers(*kept: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {
        "collections": [{"id": "c", "name": "mempalace_drawers"}, {"id": "o", "name": "mempalace_closets"}],
        "segments": [{"id": "s", "collection": "c"}, {"id": "p", "collection": "o"}],
        "embeddings": [{"id": 99, "segment_id": "p", "embedding_id": "closet_1"}],
        "embedding_metadata": [{"id": 99, "key": "chroma:document", "string_value": "a pointer"}],
    }
    for number, one in enumerate(kept):
        rows["embeddings"].append({"id": number, "segment_id": "s", "embedding_id": one.pop("id")})
        rows["embedding_metadata"] += [
            {"id": number, "key": key, "int_value" if isinstance(value, int) else "string_value": value}
            for key, value in one.items()
        ]
    return rows


def piece(number: int, text: str, file: str = "/w/shop/notes/birds.md") -> dict[str, Any]:
    kept = {"id": f"drawer_{file}_{number}", "wing": "shop", "room": "docs", "source_file": file}
    return kept | {"chunk_index": number, "filed_at": "2026-10-06T08:00:00", "chroma:document": text}


@pytest.fixture
def palace(home: Home) -> Path:
    folder = home.peers / ".mempalace"
    whole = "\n\n".join(SENTENCES)
    make_database(
        folder / "palace" / "chroma.sqlite3",
        DRAWERS,
        drawers(
            piece(1, whole[700:1500]),
            piece(0, whole[:800]),
            piece(2, whole[1400:]),
            piece(0, "# not a heading\nprint(1)", "/w/shop/src/a.py"),
            TALK | {"id": "t0", "authored_at": "2026-10-05T09:21:00Z", "chroma:document": "> Why?\nSo."},
            {
                "id": "diary_1",
                "wing": "wing_claude",
                "room": "diary",
                "topic": "cart",
                "type": "diary_entry",
                "filed_at": "2026-10-05T17:00:00",
                "chroma:document": "Fixed the cart.",
            },
            {"id": "d1", "wing": "shop", "room": "decisions", "source_file": "", "filed_at": "2026-10-05T12:00:00.5",
             "chroma:document": "We chose Meilisearch."},
            {"id": "d2", "wing": "shop", "room": "x", "source_file": "", "chroma:document": "When?"},
            {"id": "d3", "wing": "shop", "room": "x", "source_file": "", "filed_at": "2026-10-05T12:00:00"},
        ),
    )  # fmt: skip
    triple = {"predicate": "works_at", "subject": "ana", "object": "acme", "extracted_at": "2026-10-05 12:00:00"}
    make_database(
        folder / "knowledge_graph.sqlite3",
        FACTS,
        {
            "entities": [{"id": "ana", "name": "Ana", "type": "person"}, {"id": "acme", "name": "Acme"}],
            "triples": [
                triple | {"id": "t2", "valid_from": "2026-01-01", "source_drawer_id": "d1"},
                triple | {"id": "t1", "valid_from": "2024-03-01", "valid_to": "2025-06-30"},
                triple | {"id": "t3", "object": "nobody"},
            ],
        },
    )
    return folder


def test_what_is_dated_becomes_an_episode_and_a_mined_file_one_note(home: Home, palace: Path) -> None:
    done = home.take(palace)
    assert (done["source"], done["files"]) == ("mempalace", 2)
    assert done["kinds"] == {"episode": {"recorded": 3}, "note": {"recorded": 2}, "decision": {"recorded": 3}}
    assert done["skipped"] == {
        "drawers without a text": 1,
        "drawers without a time": 1,
        "facts with an end that is no entity": 1,
    }
    assert [(f"{e.at:%d %H:%M}", e.title, e.text.split("\n")[0]) for e in home.entries] == [
        ("05 09:21", "talks / general", "> Why?"),
        ("05 12:00", "shop / decisions", "We chose Meilisearch."),
        ("05 17:00", "wing_claude / diary / cart", "Fixed the cart."),
    ]
    assert home.entries[0].text.endswith("(from mempalace: talks/general, t0, /w/convos/s1.jsonl)")
    whole = home.notes["mempalace/shop/docs/birds.md"].text.split("---\n\n", 1)[1]
    assert whole == "\n\n".join(SENTENCES) + "\n"
    assert "```\n# not a heading\nprint(1)\n```\n" in home.notes["mempalace/shop/docs/a.py.md"].text


def test_a_fact_holds_from_its_start_to_its_end_and_cites_what_it_came_from(home: Home, palace: Path) -> None:
    home.take(palace)
    titles = [one.title for one in home.decisions]
    assert titles == ["Ana works_at Acme", "No longer: Ana works_at Acme", "Ana works_at Acme"]
    assert home.decisions[2].evidence == (home.entries[1].id,)
    assert "without a reason" in home.decisions[0].why
    assert home.decisions[0].why.endswith("Taken in from mempalace fact t1.")

    def linked(day: str) -> bool:
        at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        ana = [one for one in home.semantic.projection(at) if one.name == "Ana"]
        return bool(ana and ana[0].links)

    days = ("2024-01-01", "2025-06-30", "2025-07-02", "2026-02-01")
    assert [linked(day) for day in days] == [False, True, False, True]
    assert home.elements["Ana"].kind == "person"
    assert home.elements["Acme"].kind == "thing"
    assert home.elements["Ana"].links


@pytest.mark.parametrize("below", ["", "palace", "palace/chroma.sqlite3", "knowledge_graph.sqlite3"])
def test_again_from_wherever_nothing_is_new(home: Home, palace: Path, below: str) -> None:
    home.take(palace)
    before = home.truth()
    again = home.take(palace / below)
    assert (again["source"], set(again["turns"])) == ("mempalace", {"known"})
    assert home.truth() == before


def test_a_forgotten_fact_stays_so_whatever_was_decided_since(home: Home, palace: Path) -> None:
    home.take(palace)
    first = home.decisions[0]
    home.forget(first.id)
    again = home.take(palace)
    assert again["kinds"]["decision"] == {"forgotten": 1, "known": 2}
    assert "Ana works_at Acme" in [one.title for one in home.decisions]
    home.forget(*(one.id for one in home.decisions))
    assert home.take(palace)["kinds"]["decision"] == {"forgotten": 3}
    assert home.elements == {}


def test_a_fact_cites_an_entry_that_another_import_wrote(home: Home, palace: Path) -> None:
    home.take(palace / "palace" / "chroma.sqlite3")
    home.take(palace / "knowledge_graph.sqlite3")
    assert [one.evidence for one in home.decisions] == [(), (), (home.entries[1].id,)]


def test_two_files_of_one_name_are_two_notes(home: Home) -> None:
    kept = drawers(piece(0, "one", "/w/a/README.md"), piece(0, "two", "/w/b/README.md"))
    folder = make_database(home.peers / "palace" / "chroma.sqlite3", DRAWERS, kept).parent
    assert home.take(folder)["turns"] == {"recorded": 2}
    assert sorted(note.text[-4:] for note in home.notes.values()) == ["one\n", "two\n"]
    assert home.take(folder)["turns"] == {"known": 2}


def test_where_there_is_no_palace_that_is_said(home: Home) -> None:
    with pytest.raises(ImportFailed, match=r"neither chroma\.sqlite3 nor knowledge_graph\.sqlite3"):
        home.take(home.peers, "mempalace")
