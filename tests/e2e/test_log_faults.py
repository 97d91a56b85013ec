"""The decision log under a running daemon: what is done to its files is named, and nothing acknowledged is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from clients.endpoint import Places
from clients.http import Client, ProblemError
from memoryd.bench.daemon import OwnDaemon
from tests.e2e.conftest import WITHOUT_MODEL

Start = Callable[..., OwnDaemon]
FAST = {**WITHOUT_MODEL, "MEMORYD_ENGINE__KIND": "exact"}
DEADLINE_S = 30.0


def decide(daemon: OwnDaemon, name: str) -> str:
    put = {"op": "put_element", "kind": "tool", "name": name, "gist": f"gist of {name}"}
    answer = daemon.post("/v1/decisions", {"title": f"use {name}", "why": "w", "mutations": [put], "new": True})
    return str(answer["id"])


def shard_of(daemon: OwnDaemon) -> Path:
    (path,) = (daemon.home / "memory" / "log" / "user").glob("*.ndjson")
    return path


def degraded_with(daemon: OwnDaemon, words: str) -> str:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        reasons = [reason for reason in daemon.get("/v1/status")["degraded"] if words in reason]
        if reasons or time.monotonic() > deadline:
            assert reasons, f"{words!r} is not named"
            return str(reasons[0])
        time.sleep(0.1)


@pytest.mark.parametrize("harm", ["deleted", "replaced"])
def test_our_shard_is_harmed_while_the_daemon_runs(start: Start, harm: str) -> None:
    daemon = start(settings=FAST)
    daemon.wait_until_indexed(DEADLINE_S)
    ids = [decide(daemon, f"thing{number}") for number in range(3)]
    path = shard_of(daemon)
    whole = path.read_bytes()
    match harm:
        case "deleted":
            path.unlink()
        case _:
            path.write_bytes(b'{"not": "ours"}\n')
    ids.append(decide(daemon, "after"))
    assert "written back" in degraded_with(daemon, path.name)
    for id_ in ids:
        assert daemon.get(f"/v1/decisions/{id_}")["id"] == id_
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["head"]["seq"] for line in lines] == [1, 2, 3, 4]
    assert path.read_bytes().startswith(whole)
    daemon.stop()
    again = start(settings=FAST)
    assert [again.get(f"/v1/decisions/{id_}")["id"] for id_ in ids] == ids
    assert not [reason for reason in again.get("/v1/status")["degraded"] if path.name in reason]


def test_our_shard_is_gone_at_the_next_start(start: Start) -> None:
    daemon = start(settings=FAST)
    decide(daemon, "one")
    decide(daemon, "two")
    path = shard_of(daemon)
    daemon.stop()
    path.rename(daemon.home / "kept.ndjson")
    again = start(settings=FAST)
    assert "ended at seq 2" in degraded_with(again, path.name)
    decide(again, "three")
    assert [orjson.loads(line)["head"]["seq"] for line in path.read_bytes().splitlines()] == [3]


def run(daemon: OwnDaemon, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {"MEMORYD_HOME": str(daemon.home), "PATH": "/usr/bin:/bin", **FAST}
    command = [sys.executable, "-P", "-m", "memoryd.cli", *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


def test_two_daemons_and_a_folder(start: Start, tmp_path: Path) -> None:
    one, other = start("one", FAST), start("other", FAST)
    first = decide(one, "here")
    second = decide(other, "there")
    said = one.post("/v1/episodes", {"text": "the heron speaks"})["id"]
    remote = str(tmp_path / "copy")
    mistyped = run(one, "sync", "setup", remote)
    assert mistyped.returncode == 5
    assert "--create" in mistyped.stderr
    # The refusal is the daemon's: other programs are told, too, and no folder is made.
    with pytest.raises(ProblemError) as refused:
        one.post("/v1/jobs/sync/run", {"args": {"remote": remote}})
    assert (refused.value.status, refused.value.slug) == (409, "sync-refused")
    assert not Path(remote).exists()
    for daemon, words in ((one, ["setup", remote, "--create"]), (other, ["setup", remote]), (one, ["now"])):
        done = run(daemon, "sync", *words)
        assert done.returncode == 0, done.stderr
        assert "taken" in done.stdout
    done = run(one, "sync", "setup", str(tmp_path / "another"), "--create")
    assert done.returncode == 5
    assert "--force" in done.stderr
    with pytest.raises(ProblemError, match="is synchronised with"):
        one.post("/v1/jobs/sync/run", {"args": {"remote": str(tmp_path / "another"), "create": True}})
    assert not (tmp_path / "another").exists()
    assert one.get("/v1/decisions/" + second)["id"] == second
    assert other.get("/v1/decisions/" + first)["id"] == first
    assert other.get("/v1/episodes/" + said)["text"] == "the heron speaks"
    found: Any = other.post("/v1/recall", {"query": "heron"})["hits"]
    assert said in [hit.get("episode") for hit in found]
    export = [daemon.client.call("GET", "/v1/export").raw for daemon in (one, other)]
    assert export[0] == export[1]
    other.post("/v1/forget", {"ids": [said, first]})
    for daemon in (other, one):
        assert run(daemon, "sync", "now").returncode == 0
    held = b"".join(path.read_bytes() for path in (one.home / "memory").rglob("*.*") if path.is_file())
    assert b"heron" not in held
    assert b"gist of here" not in held
    assert "remote = " in (one.home / "config" / "config.toml").read_text("utf-8")


def test_sync_without_a_remote_says_what_to_do(start: Start) -> None:
    daemon = start(settings=FAST)
    done = run(daemon, "sync", "now")
    assert done.returncode == 1
    assert "memoryd sync setup" in done.stderr


def test_a_project_is_shared_through_its_repository(start: Start, tmp_path: Path) -> None:
    one, other = start("one", FAST), start("other", FAST)
    clones = [tmp_path / name / "widget" for name in ("here", "there")]
    for clone in clones:
        clone.parent.mkdir()
        subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
        url = "https://example.org/acme/widget.git"
        subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", url], check=True)
    decide(one, "private")
    assert run(one, "kg", "share", str(clones[0])).returncode == 0
    put = {"op": "put_element", "kind": "tool", "name": "shared", "gist": "for the team"}
    sent = {"title": "t", "why": "w", "mutations": [put], "cwd": str(clones[0])}
    id_ = one.post("/v1/decisions", sent)["id"]
    folder = clones[0] / ".memoryd" / "log"
    deadline = time.monotonic() + DEADLINE_S
    while not list(folder.glob("*.ndjson")) and time.monotonic() < deadline:
        time.sleep(0.1)
    (shared,) = folder.glob("*.ndjson")
    assert b"for the team" in shared.read_bytes()
    assert b"private" not in shared.read_bytes()
    target = clones[1] / ".memoryd" / "log"
    target.mkdir(parents=True)
    (target / shared.name).write_bytes(shared.read_bytes())
    done = run(other, "kg", "trust", str(clones[1]))
    assert done.returncode == 0, done.stderr
    assert "1 taken" in done.stdout
    assert other.get(f"/v1/decisions/{id_}")["title"] == "t"
    assert run(other, "kg", "trust", str(tmp_path)).returncode == 1


def test_twenty_writers_at_once_lose_nothing_and_the_chain_is_whole(start: Start) -> None:
    """Behaviour 39: parallel appends."""
    daemon = start(settings=FAST)

    def write(writer: int) -> list[str]:
        client = Client.find(Places(str(daemon.home / "state"), str(daemon.home / "config")), timeout_s=60.0)
        ids = []
        for number in range(4):
            put = {"op": "put_element", "kind": "tool", "name": f"tool {writer} of {number}"}
            sent = {"title": f"{writer}.{number}", "why": "w", "mutations": [put], "new": True}
            ids.append(str(client.call("POST", "/v1/decisions", body=sent).body["id"]))
        return ids

    with ThreadPoolExecutor(20) as pool:
        ids = [id_ for found in pool.map(write, range(20)) for id_ in found]
    lines = [orjson.loads(line) for line in shard_of(daemon).read_bytes().splitlines()]
    assert sorted(line["head"]["id"] for line in lines) == sorted(ids)
    assert [line["head"]["seq"] for line in lines] == list(range(1, 81))
    assert [line["head"]["prev"] for line in lines] == [None, *(line["hash"] for line in lines[:-1])]
