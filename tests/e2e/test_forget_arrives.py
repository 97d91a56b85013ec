"""A forget that a sync tool brings under a running daemon takes the entry out of journal, index and state."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from semantic.log.event import Head, seal
from tests.e2e.conftest import WITHOUT_MODEL

DEADLINE_S = 30.0
THEIRS = "bbbbbbbbbbbb"


def is_gone(daemon: OwnDaemon, id_: str) -> bool:
    try:
        daemon.get(f"/v1/episodes/{id_}")
    except ProblemError as problem:
        return problem.status == 404
    return False


def test_a_forget_of_another_install_reaches_the_journal_without_a_restart(start: Callable[..., OwnDaemon]) -> None:
    daemon = start(settings={**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact"})
    daemon.wait_until_indexed(DEADLINE_S)
    kept = daemon.post("/v1/episodes", {"text": "the walrus sleeps"})["id"]
    gone = daemon.post("/v1/episodes", {"text": "the xyzzy word"})["id"]
    body = {"nonce": "0" * 32, "ids": [gone]}
    at = "2026-01-01T00:00:00.000Z"
    head = Head(1, 1, 9, at, THEIRS, "person", None, "user", None, "forget", "fo_" + "1" * 24, "", None)
    shard = daemon.home / "memory" / "log" / "user" / f"{THEIRS}.ndjson"
    shard.parent.mkdir(parents=True, exist_ok=True)
    shard.write_bytes(seal(head, body)[1])

    def holders() -> list[str]:
        return [path.name for path in daemon.home.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]

    deadline = time.monotonic() + DEADLINE_S
    while holders() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert holders() == []
    assert is_gone(daemon, gone)
    assert not is_gone(daemon, kept)


def test_the_route_of_entries_forgets_entries_alone(start: Callable[..., OwnDaemon]) -> None:
    daemon = start(settings={**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact"})
    put = {"op": "put_element", "kind": "tool", "name": "Qdrant"}
    made = daemon.post("/v1/decisions", {"title": "Use Qdrant", "why": "w", "mutations": [put]})
    for id_ in ("nope", made["id"], made["elements"][0]):
        with pytest.raises(ProblemError) as refused:
            daemon.client.call("DELETE", f"/v1/episodes/{id_}")
        assert refused.value.status == 404
    assert daemon.get(f"/v1/elements/{made['elements'][0]}")["heads"] == [made["id"]]
