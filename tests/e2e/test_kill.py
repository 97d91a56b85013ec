"""``kill -9`` in a stream of writes: nothing that was acknowledged is lost, and the next start is clean."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import pytest

from clients.endpoint import DaemonUnreachable
from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

KILLS = 4
RANDOM_KILLS = int(os.environ.get("MEMORYD_TEST_KILLS", "2"))
"""How many kills at random instants; ten and more are for a patient person."""
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


def write_files(home: Path, round_: int) -> None:
    """Give the daemon something to index: hand-written days, one of them with a long entry, and notes."""
    journal, vault = home / "memory" / "journal", home / "memory" / "vault"
    for folder in (journal, vault):
        folder.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        parts = [f"\n## {hour:02}:00 part {hour}\nA marmot met heron {number} at {hour}.\n" for hour in range(24)]
        (journal / f"2025-{round_ % 12 + 1:02}-{number + 1:02}.md").write_text("# a day\n" + "".join(parts), "utf-8")
        (vault / f"note {round_} {number}.md").write_text(f"# Note {round_}\n\nA den of otter {number}.\n", "utf-8")
    long = "".join(f"Sentence {number} of round {round_}.\n\n" for number in range(1_500))
    (journal / f"2024-01-{round_ % 28 + 1:02}.md").write_text(f"# a long day\n\n## 09:00 long\n{long}", "utf-8")


def differences(daemon: OwnDaemon) -> list[str]:
    daemon.post("/v1/jobs/index/run", {"args": {"action": "verify"}})
    deadline = time.monotonic() + 120
    while (job := daemon.get("/v1/jobs/index"))["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return [f"{one['path']}: {one['reason']}" for one in job["result"]["items"]]


def test_kills_at_random_instants(tmp_path: Path) -> None:
    """Killed while it captures and while it indexes what came meanwhile; each start is sound and nothing is lost."""
    home, chance = tmp_path / "home", random.Random(int(os.environ.get("MEMORYD_TEST_SEED", "7")))
    episodes: dict[str, str] = {}
    for round_ in range(RANDOM_KILLS):
        write_files(home, round_)
        daemon = OwnDaemon(home, WITHOUT_MODEL).start()
        streams = [Stream(daemon, round_ * WRITERS + number) for number in range(WRITERS)]
        for stream in streams:
            stream.thread.start()
        time.sleep(chance.uniform(0.0, 1.5))
        daemon.kill()
        for stream in streams:
            stream.thread.join(30)
            episodes |= stream.episodes
        with OwnDaemon(home, WITHOUT_MODEL).start() as daemon:
            daemon.wait_until_indexed(120)
            assert differences(daemon) == []
            for id_, mark in episodes.items():
                assert daemon.get(f"/v1/episodes/{id_}")["text"] == f"acknowledged {mark}"
