"""A read changes no truth: whatever is asked, only the reader's attention record grows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from memoryd.bench.daemon import OwnDaemon
from tests.e2e.test_rebuild import fill


def test_only_the_attention_record_grows(start: Callable[..., OwnDaemon]) -> None:
    daemon = start()
    fill(daemon)
    daemon.wait_until_indexed(60)
    memory = daemon.home / "memory"
    before = truth(memory)
    element = read_everything(daemon)
    daemon.stop()
    assert truth(memory) == before
    record = b"".join(file.read_bytes() for file in (memory / "attention").glob("*.ndjson"))
    assert element.encode() in record


def read_everything(daemon: OwnDaemon) -> str:
    """Ask in every way, as an agent would; return the id of an element that was read."""
    for store in ("episodic", "semantic", "both"):
        daemon.post("/v1/recall", {"query": "Which lynx is current?", "store": store, "session": "reader"})
    daemon.post("/v1/route", {"query": "What did we do yesterday?"})
    daemon.post("/v1/sync", {"session": "reader"})
    for path in ("context", "days/2026-02-03", "conflicts", "graph", "problems", "projects", "plans", "export"):
        daemon.get(f"/v1/{path}")
    for episode in daemon.get("/v1/episodes")["items"]:
        daemon.get(f"/v1/episodes/{episode['id']}")
    for note in daemon.get("/v1/notes")["items"]:
        vault, path = note["vault"], note["path"]
        daemon.get(f"/v1/notes/{vault}/{quote(path)}")
    element = str(daemon.get("/v1/elements")["items"][0]["id"])
    for path in (element, f"{element}/history", f"{element}/neighbors"):
        daemon.client.call("GET", f"/v1/elements/{path}", headers={"Memoryd-Actor": "agent:reader"})
    return element


def truth(memory: Path) -> dict[str, bytes]:
    """Return what the memory holds, without the record of what was read."""
    files = (file for file in memory.rglob("*") if file.is_file())
    return {
        name: file.read_bytes()
        for file in files
        if not (name := str(file.relative_to(memory))).startswith("attention/")
    }
