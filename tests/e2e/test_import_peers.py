"""Other programs' memories through a real daemon: taken in by the command line, found, and taken in once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL
from tests.unit.memoryd.importing import make_database, write
from tests.unit.memoryd.test_import_claude_mem import ROWS, SCHEMA
from tests.unit.memoryd.test_import_memsearch import DAY
from tests.unit.memoryd.test_import_notes import CART, STORE

Start = Callable[..., OwnDaemon]


def test_a_year_of_other_programs(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"})
    shop = tmp_path / "work" / "shop"
    write(shop / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(shop / ".memsearch" / "memory" / "2026-10-05.md", DAY)
    notes = tmp_path / "notes"
    write(notes / "Cart.md", CART)
    write(notes / "Session Store.md", STORE)
    database = make_database(tmp_path / "claude-mem.db", SCHEMA, ROWS)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "memoryd.cli", "import", *arguments],
            env={"MEMORYD_HOME": str(daemon.home), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    assert "3 recorded" in run("--dry-run", str(shop))
    assert daemon.get("/v1/episodes")["items"] == []
    assert "episodes: 3 recorded" in run(str(shop))
    assert "notes: 2 recorded" in run("basic-memory", str(notes))
    assert "episodes: 3 recorded; notes: 1 recorded" in run(str(database))
    assert set(json.loads(run(str(database), "--json"))["result"]["turns"]) == {"known"}
    daemon.wait_until_indexed(30)

    def first(query: str) -> str:
        return str(daemon.post("/v1/recall", {"query": query})["hits"][0]["text"])

    assert "badger" in first("when did the user ask about the badger?")
    assert "Redis" in first("why do carts live in Redis?")
    assert "session id" in first("which key was the cart stored by when it was lost?")
    (entry,) = (one for one in daemon.get("/v1/episodes", session="3f2a")["items"] if one["title"] == "shop"
                and "badger" in one["text"])  # fmt: skip
    assert entry["at"].startswith("2026-10-05T09:40")
    assert entry["project"].startswith("shop-")
    assert [path.name for path in sorted(shop.iterdir())] == [".git", ".memsearch"]
