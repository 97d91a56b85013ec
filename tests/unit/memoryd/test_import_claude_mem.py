"""The database of claude-mem: what belongs to one prompt becomes one episode.

The program needs a runtime of its own, so the file is made here, by the tables that its published package makes.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryd.errors import ImportFailed
from tests.unit.memoryd.importing import NOW, Home, home, make_database

__all__ = ["home"]

SCHEMA = """
CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE, project TEXT NOT NULL,
    started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'active');
CREATE TABLE observations (
    id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL,
    title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    prompt_number INTEGER, content_hash TEXT, merged_into_project TEXT, created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT,
    learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL,
    created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE directives (id INTEGER PRIMARY KEY, scope TEXT, project TEXT, content TEXT, status TEXT);
"""


def ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def observed(minute: int, number: int | None = 1, **fields: Any) -> dict[str, Any]:
    at = NOW - timedelta(days=10) + timedelta(minutes=minute)
    row = {"memory_session_id": "m1", "project": "shop", "type": "bugfix", "prompt_number": number}
    return row | {"created_at_epoch": ms(at)} | fields


ROWS: dict[str, list[dict[str, Any]]] = {
    "sdk_sessions": [
        {
            "content_session_id": "c1",
            "memory_session_id": "m1",
            "project": "shop",
            "started_at": "",
            "started_at_epoch": 0,
        }
    ],
    "user_prompts": [
        {
            "content_session_id": "c1",
            "prompt_number": number,
            "prompt_text": text,
            "created_at_epoch": ms(NOW - timedelta(days=10) + timedelta(minutes=minute)),
        }
        for number, text, minute in (
            (1, "Why is the cart empty? <private>my name</private>", 0),
            (2, "And guests?", 30),
        )
    ],
    "observations": [
        observed(
            2,
            title="Cart keyed by the session",
            subtitle="It is renewed at login",
            narrative="The cart was lost since its key changed.",
            facts='["The key is the session id"]',
            files_modified='["src/cart.py"]',
            content_hash="h1",
        ),
        observed(31, 2, title="Guests keep a cookie", facts="not json", type="discovery", content_hash="h2"),
        observed(50, None, title="Filed by hand", text="A memory of its own", content_hash="h3"),
        observed(51, None, title="Without a time", created_at_epoch=0),
    ],
    "session_summaries": [
        {
            "memory_session_id": "m1",
            "project": "shop",
            "request": "Find why carts are lost",
            "learned": "Keys change at login",
            "next_steps": "Watch it",
            "prompt_number": 1,
            "created_at_epoch": ms(NOW - timedelta(days=10) + timedelta(minutes=5)),
        }
    ],
    "directives": [
        {"scope": "global", "content": "Never guess a tax rate", "status": "active"},
        {"scope": "global", "content": "An old rule", "status": "deleted"},
    ],
}


@pytest.fixture
def database(home: Home) -> Path:
    return make_database(home.peers / ".claude-mem" / "claude-mem.db", SCHEMA, ROWS)


def test_a_prompt_with_all_that_was_kept_of_it_is_one_episode(home: Home, database: Path) -> None:
    done = home.take(database.parent)
    assert (done["source"], done["kinds"]) == ("claude-mem", {"episode": {"recorded": 3}, "note": {"recorded": 1}})
    assert done["skipped"] == {"rows without a time": 1}
    first, second, third = home.entries
    assert first.text == (
        "Asked: Why is the cart empty? [private]\n\n"
        "bugfix: Cart keyed by the session - It is renewed at login\n"
        "The cart was lost since its key changed.\n"
        "- The key is the session id\n\n"
        "Request: Find why carts are lost\nLearned: Keys change at login\nNext: Watch it\n\n"
        "(from claude-mem: session c1 prompt 1)"
    )
    assert (first.at, first.title, first.session) == (NOW - timedelta(days=10), "Find why carts are lost", "c1")
    assert first.files == ("src/cart.py",)
    assert first.project is not None
    assert first.project.startswith("shop-")
    assert "- not json" in second.text
    assert third.text.startswith("bugfix: Filed by hand\nA memory of its own")
    assert "Never guess a tax rate" in home.notes["claude-mem/Directives.md"].text
    assert "An old rule" not in home.notes["claude-mem/Directives.md"].text


def test_again_and_by_the_file_nothing_is_new(home: Home, database: Path) -> None:
    home.take(database)
    before = home.truth()
    assert home.take(database.parent)["turns"] == {"known": 4}
    assert home.truth() == before


def test_a_turn_that_may_go_on_waits(home: Home, database: Path) -> None:
    home.clock.now = NOW - timedelta(days=10) + timedelta(minutes=70)
    assert home.take(database)["skipped"]["turns that may not be over yet"] == 2
    home.clock.now = NOW
    assert home.take(database)["kinds"]["episode"] == {"known": 1, "recorded": 2}


def test_an_older_version_has_fewer_columns(home: Home) -> None:
    schema = """
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
    CREATE TABLE observations (
        id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, created_at_epoch INTEGER);
    CREATE TABLE session_summaries (
        id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, created_at_epoch INTEGER);
    """
    old = {
        "memory_session_id": "m1",
        "project": "shop",
        "type": "note",
        "text": "It works",
        "created_at_epoch": ms(NOW),
    }
    file = make_database(home.peers / "old.db", schema, {"observations": [old]})
    home.clock.now = NOW + timedelta(days=1)
    assert home.take(file)["kinds"] == {"episode": {"recorded": 1}}
    assert home.entries[0].text.startswith("note\nIt works")


def test_where_there_is_no_database_that_is_said(home: Home) -> None:
    with pytest.raises(ImportFailed, match=r"claude-mem\.db; name the database"):
        home.take(home.peers, "claude-mem")
