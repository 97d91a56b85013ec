"""Text is truth: everything under ``state/`` can be deleted, and a rebuild gives the same answers."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoryd.bench.daemon import OwnDaemon

Start = Callable[..., OwnDaemon]

QUESTIONS = ("marmot", "heron in the attic", "What did we do on 2026-02-02?", "Which lynx is current?", "otter")
BODY = "The otter lives in [[B]] and eats fish."


def fill(daemon: OwnDaemon) -> None:
    for day in range(1, 6):
        for number in range(4):
            text = f"Entry {number}: a marmot met a heron in the attic on day {day}; ref E{day}{number}."
            at = f"2026-02-0{day}T1{number}:00:00+00:00"
            daemon.post("/v1/episodes", {"text": text, "at": at, "session": f"s{day}", "turn": f"t{number}"})
    lynx = {"op": "put_element", "kind": "animal", "name": "lynx"}
    for gist in ("the old lynx", "the new lynx"):
        daemon.post("/v1/decisions", {"title": f"It is {gist}", "why": "seen", "mutations": [{**lynx, "gist": gist}]})
    vault = daemon.home / "memory" / "vault"
    (vault / "A.md").write_text(f"---\nsummary: s\ntags: [type/note]\n---\n{BODY}\n", "utf-8")
    (vault / "B.md").write_text("# B\n\nA den.\n", "utf-8")
    deadline = time.monotonic() + 30
    while len(daemon.get("/v1/notes")["items"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)  # the watcher waits for more to change before it tells


def edit(daemon: OwnDaemon) -> None:
    """Change files as an editor, a rename and a deletion would."""
    journal = daemon.home / "memory" / "journal"
    day = journal / "2026-02-03.md"
    day.write_text(day.read_text("utf-8").replace("Entry 2: a marmot", "Entry 2: a badger"), "utf-8")
    (journal / "2026-02-05.md").unlink()
    (journal / "2026-02-06.md").write_text("# 2026-02-06\n\n## 09:00 by hand\nAn otter crossed the road.\n", "utf-8")
    vault = daemon.home / "memory" / "vault"
    (vault / "B.md").rename(vault / "Den.md")


def answers(daemon: OwnDaemon) -> list[Any]:
    found: list[Any] = []
    for question in QUESTIONS:
        hits = daemon.post("/v1/recall", {"query": question, "limit": 20, "store": "both"})["hits"]
        found.append([(hit["id"], hit["path"], hit["lines"], hit.get("superseded_by"), hit["text"]) for hit in hits])
    found.append(daemon.get("/v1/notes"))
    found.append(daemon.get("/v1/episodes", limit=500))
    found.append(daemon.client.call("GET", "/v1/export?format=canonical").raw)
    status = daemon.get("/v1/status")
    return [*found, status["episodic"], status["semantic"]]


def delete_state(home: Path) -> None:
    shutil.rmtree(home / "state")


def test_state_can_be_deleted(start: Start) -> None:
    daemon = start()
    fill(daemon)
    daemon.wait_until_indexed(60)
    before = answers(daemon)
    daemon.stop()
    delete_state(daemon.home)
    again = start()
    again.wait_until_indexed(60)
    assert answers(again) == before


def test_incremental_equals_rebuilt_after_edits(start: Start) -> None:
    daemon = start()
    fill(daemon)
    daemon.wait_until_indexed(60)
    daemon.stop()
    edit(daemon)
    caught_up = start()
    caught_up.wait_until_indexed(60)
    incremental = answers(caught_up)
    caught_up.stop()
    delete_state(caught_up.home)
    rebuilt = start()
    rebuilt.wait_until_indexed(60)
    assert answers(rebuilt) == incremental
    texts = [text for question in incremental[: len(QUESTIONS)] for *_, text in question]
    assert any("badger" in text for text in texts)
    assert any("crossed the road" in text for text in texts)
    assert not any("E53" in text for text in texts)
