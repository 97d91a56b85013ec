"""What agents read and people put away is on record, and a read brings an archived element back."""

from __future__ import annotations

import time
from collections.abc import Callable

from memoryd.bench.daemon import OwnDaemon

Start = Callable[..., OwnDaemon]


def test_an_agents_read_brings_an_archived_element_back_and_is_written(start: Start) -> None:
    daemon = start()
    queue = {"op": "put_element", "kind": "component", "name": "queue", "gist": "Jobs wait here."}
    element = daemon.post("/v1/decisions", {"title": "A queue", "why": "load", "mutations": [queue]})["elements"][0]
    daemon.post("/v1/attention", {"op": "archive", "ids": [element]})
    assert daemon.get(f"/v1/elements/{element}")["archived"]
    assert [one["id"] for one in daemon.get("/v1/elements", archived=True)["items"]] == [element]

    as_agent = {"Memoryd-Actor": "agent:test"}
    assert not daemon.client.call("GET", f"/v1/elements/{element}", headers=as_agent).body["archived"]
    deadline = time.monotonic() + 30
    while '"read"' not in (record := _record(daemon)):
        assert time.monotonic() < deadline, record
        time.sleep(0.1)


def _record(daemon: OwnDaemon) -> str:
    return "".join(file.read_text("utf-8") for file in (daemon.home / "memory" / "attention").glob("*.ndjson"))
