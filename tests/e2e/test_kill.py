"""``kill -9`` in a stream of writes: nothing that was acknowledged is lost, and the next start is clean."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from clients.endpoint import DaemonUnreachable
from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

KILLS = 4
WRITERS = 3


class Stream:
    """Writes episodes and decisions until the daemon is gone, and remembers what was acknowledged."""

    def __init__(self, daemon: OwnDaemon, number: int) -> None:
        self.daemon = daemon
        self.number = number
        self.episodes: dict[str, str] = {}
        self.decisions: dict[str, str] = {}
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        count = 0
        while True:
            count += 1
            mark = f"zeta{self.number}x{count}"
            try:
                written = self.daemon.post(
                    "/v1/episodes", {"text": f"acknowledged {mark}", "session": f"s{self.number}"}
                )
                self.episodes[written["id"]] = mark
                if count % 5 == 0:
                    element = {"op": "put_element", "kind": "thing", "name": mark, "gist": mark}
                    decided = self.daemon.post(
                        "/v1/decisions", {"title": mark, "why": "because", "mutations": [element], "new": True}
                    )
                    self.decisions[decided["id"]] = mark
            except (DaemonUnreachable, ProblemError, OSError):
                return


@pytest.mark.parametrize("engine", ["milvus-lite", "exact"])
def test_nothing_acknowledged_is_lost(tmp_path: Path, engine: str) -> None:
    settings = {**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": engine}
    episodes: dict[str, str] = {}
    decisions: dict[str, str] = {}
    for round_ in range(KILLS):
        daemon = OwnDaemon(tmp_path / "home", settings).start()
        streams = [Stream(daemon, round_ * WRITERS + number) for number in range(WRITERS)]
        for stream in streams:
            stream.thread.start()
        while sum(len(stream.episodes) for stream in streams) < 20 + 7 * round_:
            assert any(stream.thread.is_alive() for stream in streams), daemon.output
        daemon.kill()
        for stream in streams:
            stream.thread.join(30)
            episodes |= stream.episodes
            decisions |= stream.decisions
    with OwnDaemon(tmp_path / "home", settings).start() as daemon:
        daemon.wait_until_indexed(60)
        for id_, mark in episodes.items():
            assert daemon.get(f"/v1/episodes/{id_}")["text"] == f"acknowledged {mark}"
        for id_, mark in decisions.items():
            assert daemon.get(f"/v1/decisions/{id_}")["title"] == mark
        for mark in list(episodes.values())[::9]:
            hits = daemon.post("/v1/recall", {"query": mark, "store": "episodic", "limit": 3})["hits"]
            assert mark in hits[0]["text"]
        assert daemon.get("/v1/status")["degraded"] == ["no embedding model is set: search by words alone"]
