"""Somebody deletes ``state`` while the daemon runs: there stays one owner, and nothing acknowledged is lost."""

from __future__ import annotations

import http.client
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clients.endpoint import DaemonUnreachable, Places
from clients.http import Client, ProblemError
from memoryd.bench.daemon import OwnDaemon
from memoryd.errors import StartFailed
from memoryd.service.lock import find_holder
from tests.e2e.conftest import WITHOUT_MODEL

Start = Callable[..., OwnDaemon]
EXACT = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}
"""Where the engine's own files do not matter."""


def until(met: Callable[[], bool], timeout_s: float = 40.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not met():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def delete(folder: Path) -> None:
    """Remove a folder in which somebody may be making files."""
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def found(daemon: OwnDaemon, word: str) -> bool:
    try:
        client = Client.find(Places(str(daemon.home / "state"), str(daemon.home / "config")), timeout_s=20.0)
        hits = client.call("POST", "/v1/recall", body={"query": word}).body["hits"]
    except (DaemonUnreachable, ProblemError):
        return False
    return any(word in hit["text"] for hit in hits)


def test_the_owner_stays_the_owner_and_comes_back_whole(start: Start) -> None:
    daemon = start()
    daemon.post("/v1/episodes", {"text": "the albatross landed", "session": "s", "turn": "1"})
    state = daemon.home / "state"
    delete(state)

    holder = find_holder(state / "lock", daemon.home / "memory")
    assert holder is not None
    assert holder.pid == daemon.pid
    with pytest.raises(StartFailed, match=str(daemon.pid)):
        OwnDaemon(daemon.home, WITHOUT_MODEL).start()
    until(lambda: _is_there(state))
    assert json.loads((state / "endpoint.json").read_bytes())["pid"] == daemon.pid
    until(lambda: found(daemon, "albatross"))
    daemon.post("/v1/episodes", {"text": "the pelican landed", "session": "s", "turn": "2"})
    assert found(daemon, "pelican")
    again = find_holder(state / "lock")
    assert again is not None
    assert again.pid == daemon.pid
    assert (state / "manifest.sqlite").exists()
    until(lambda: not any("state" in reason for reason in daemon.get("/v1/status")["degraded"]))
    assert daemon.stop() == 0
    assert not (state / "endpoint.json").exists()


def test_what_is_written_in_between_is_kept(start: Start) -> None:
    daemon = start(settings=EXACT)
    host, _, port = daemon.client.endpoint.url.removeprefix("http://").partition(":")
    token = (daemon.home / "config" / "token").read_text("ascii").strip()
    delete(daemon.home / "state")
    # The socket's name is gone; who knows the port still gets through.
    link = http.client.HTTPConnection(host, int(port), timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    link.request("POST", "/v1/episodes", json.dumps({"text": "the heron landed"}), headers)
    answer = link.getresponse()
    is_acknowledged = answer.status == 201
    assert is_acknowledged or answer.status == 503, answer.read()
    link.close()
    until(lambda: _is_there(daemon.home / "state"))
    until(lambda: not is_acknowledged or found(daemon, "heron"))


def test_a_stop_takes_away_only_its_own_socket(start: Start) -> None:
    daemon = start(settings=EXACT)
    endpoint = json.loads((daemon.home / "state" / "endpoint.json").read_text("utf-8"))
    place = Path(endpoint["socket"])
    place.unlink()
    place.write_text("somebody else's", "ascii")
    assert daemon.stop() == 0
    assert place.read_text("ascii") == "somebody else's"


def _is_there(state: Path) -> bool:
    return (state / "endpoint.json").exists()
