"""Twenty processes write to one daemon at once: nothing is lost and the chain is whole, also where it is killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryd.bench.daemon import OwnDaemon
from memoryd.text.canonical import canonical_json, sha256_hex
from tests.e2e.conftest import WITHOUT_MODEL

PROCESSES = 20
EACH = 3
KILLS = int(os.environ.get("MEMORYD_TEST_KILLS", "1"))
PATIENCE_S = 120
SETTINGS = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}


@contextmanager
def writers(
    home: Path, folder: Path, *, first: int = 0, processes: int = PROCESSES, count: int
) -> Iterator[list[Path]]:
    """Run the processes, yield the files of what was acknowledged to each, and wait for all of them at the end."""
    folder.mkdir(parents=True)
    files = [folder / f"{first + number}" for number in range(processes)]
    running = []
    for file in files:
        with file.open("wb") as output:
            command = [sys.executable, "-m", "tests.e2e.writer", str(home), file.name, str(count)]
            running.append(subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE))
    try:
        yield files
        for process in running:
            _, said = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, said.decode()
    finally:
        for process in running:
            process.kill()
            process.wait()


def acknowledged(files: list[Path]) -> list[tuple[str, str]]:
    """Return (mark, id) of all that was answered; a line without its end was not yet read whole by anybody."""
    lines = [line for file in files for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [(mark, id_) for mark, id_ in (line.split() for line in lines)]


def chain_of(home: Path) -> list[dict[str, Any]]:
    """Return the lines of the only shard, having checked that each follows from the one before it."""
    [shard] = (home / "memory" / "log").rglob("*.ndjson")
    lines = [json.loads(line) for line in shard.read_text("utf-8").splitlines()]
    before = None
    for number, line in enumerate(lines, start=1):
        head = line["head"]
        assert (head["seq"], head["prev"]) == (number, before)
        assert head["body_sha256"] == sha256_hex(canonical_json(line["body"]))
        before = line["hash"]
        assert before == sha256_hex(canonical_json(head))
    lamports = [line["head"]["lamport"] for line in lines]
    assert lamports == sorted(set(lamports))
    return lines


def everything_is_there(daemon: OwnDaemon, written: list[tuple[str, str]]) -> None:
    held = {line["head"]["id"]: line["body"]["title"] for line in chain_of(daemon.home)}
    days = "".join(path.read_text("utf-8") for path in (daemon.home / "memory" / "journal").glob("*.md"))
    for mark, id_ in written:
        if id_.startswith("de_"):
            assert held[id_] == mark
        else:
            assert days.count(f"id={id_} ") == 1
            assert f"\nacknowledged {mark}\n" in days
    for mark, id_ in written[::17]:
        kind = "decisions" if id_.startswith("de_") else "episodes"
        assert mark in json.dumps(daemon.get(f"/v1/{kind}/{id_}"))


def test_nothing_is_lost_and_no_number_is_left_out(tmp_path: Path) -> None:
    with OwnDaemon(tmp_path / "home", SETTINGS).start() as daemon:
        with writers(daemon.home, tmp_path / "said", count=EACH) as files:
            pass
        written = acknowledged(files)
        assert len({id_ for _, id_ in written}) == len(written) == 2 * PROCESSES * EACH
        everything_is_there(daemon, written)
        lines = chain_of(daemon.home)
        assert len(lines) == PROCESSES * EACH
        assert daemon.get("/v1/status")["semantic"]["decisions"] == len(lines)
        # Each saw what stood when it was written: nothing stands against anything.
        assert daemon.get("/v1/conflicts")["items"] == []
        shared = {
            id_ for line in lines for one in line["body"]["mutations"] if one["kind"] == "shared" for id_ in [one["id"]]
        }
        assert len(shared) == PROCESSES // 2
        for id_ in shared:
            assert len(daemon.get(f"/v1/elements/{id_}/history")["items"]) == 2 * EACH


def test_a_kill_among_twenty_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home, chance = tmp_path / "home", random.Random(int(os.environ.get("MEMORYD_TEST_SEED", "11")))
    written: list[tuple[str, str]] = []
    for round_ in range(KILLS):
        with OwnDaemon(home, SETTINGS).start() as daemon:
            with writers(home, tmp_path / f"said{round_}", first=round_ * PROCESSES, count=10_000) as files:
                deadline = time.monotonic() + PATIENCE_S
                while len(acknowledged(files)) < PROCESSES:
                    assert time.monotonic() < deadline, daemon.output
                    time.sleep(0.02)
                time.sleep(chance.uniform(0.0, 0.4))
                daemon.kill()
            written += acknowledged(files)
    assert len(written) >= KILLS * PROCESSES
    with OwnDaemon(home, SETTINGS).start() as daemon:
        everything_is_there(daemon, written)
        # The chain goes on where the kill left it, and what is written now supersedes what was acknowledged then.
        with writers(home, tmp_path / "after", first=KILLS * PROCESSES, processes=2, count=1) as files:
            pass
        written += acknowledged(files)
        everything_is_there(daemon, written)
        daemon.wait_until_indexed(PATIENCE_S)
        assert daemon.get("/v1/conflicts")["items"] == []
        assert daemon.get("/v1/status")["degraded"] == ["no embedding model is set: search by words alone"]
