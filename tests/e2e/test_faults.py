"""What can be wrong with a request or a home: one clear error each, and nothing lost."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.http import ProblemError
from memoryd.bench.daemon import OwnDaemon
from memoryd.errors import StartFailed
from tests.e2e.conftest import WITHOUT_MODEL

Start = Callable[..., OwnDaemon]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    with OwnDaemon(tmp_path_factory.mktemp("faults"), WITHOUT_MODEL).start() as running:
        yield running


def send(
    daemon: OwnDaemon, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """Send a raw request over TCP and return the status and the problem."""
    host, _, port = daemon.client.endpoint.url.removeprefix("http://").partition(":")
    token = (daemon.home / "config" / "token").read_text("ascii").strip()
    named = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    try:
        connection.request(method, path, body, named)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"{}")
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{not json", {}, 422),
        (b"", {}, 422),
        (b"[]", {}, 422),
        (b'{"query": "x"}', {"Content_Type": "text/plain"}, 415),
        (b'{"query": "x"}', {"Authorization": "Bearer wrong"}, 401),
        (b'{"query": "x"}', {"Authorization": ""}, 401),
        (b'{"query": "x"}', {"Host": "attacker.example"}, 421),
        (b'{"query": "x"}', {"Origin": "https://evil.example"}, 403),
        (b'{"query": "x"}', {"Sec_Fetch_Site": "cross-site"}, 403),
        (b'{"query": "\\ud800"}', {}, 422),
    ],
)
def test_one_problem_each(daemon: OwnDaemon, body: bytes, headers: dict[str, str], status: int) -> None:
    got, problem = send(daemon, "POST", "/v1/recall", body, **headers)
    assert got == status
    assert problem["type"].startswith("urn:memoryd:problem:")
    assert problem["detail"]


@pytest.mark.parametrize("path", ["/", "/nothing/here", "/v1/status", "/openapi.json"])
def test_evil_host_is_refused_everywhere(daemon: OwnDaemon, path: str) -> None:
    assert send(daemon, "GET", path, Host="attacker.example")[0] == 421


def test_a_page_of_another_site_reaches_no_route(daemon: OwnDaemon) -> None:
    """BH45: whatever route, whatever method; the name and the origin are looked at before anything else."""
    with socket.create_connection(("127.0.0.1", int(daemon.client.endpoint.url.rpartition(":")[2]))):
        pass  # it listens where it says
    routes = [
        (method.upper(), path.replace("{", "").replace("}", ""))
        for path, methods in daemon.get("/openapi.json")["paths"].items()
        for method in methods
    ]
    assert len(routes) > 40
    for method, path in [*routes, ("POST", "/mcp/"), ("GET", "/metrics"), ("GET", "/healthz"), ("GET", "/")]:
        assert send(daemon, method, path, b"{}", Host="attacker.example")[0] == 421, (method, path)
        assert send(daemon, method, path, b"{}", Host="127.0.0.1.attacker.example")[0] == 421, (method, path)
        evil = {"Origin": "https://evil.example", "Content_Type": "text/plain"}
        assert send(daemon, method, path, b"{}", **evil)[0] == 403, (method, path)
    host = daemon.client.endpoint.url.removeprefix("http://")
    assert send(daemon, "GET", "/v1/status", Host=host)[0] == 200


def test_a_body_of_50_mb_is_refused_unread(daemon: OwnDaemon) -> None:
    got, problem = send(daemon, "POST", "/v1/episodes", None, Content_Length=str(50 * 2**20))
    assert got == 413
    assert str(8 * 2**20) in problem["detail"]


def test_a_folder_where_the_day_should_be(daemon: OwnDaemon) -> None:
    (daemon.home / "memory" / "journal" / "2020-01-01.md").mkdir()
    with pytest.raises(ProblemError) as refused:
        daemon.post("/v1/episodes", {"text": "lost?", "at": "2020-01-01T12:00:00"})
    assert refused.value.status == 507
    assert "2020-01-01" in refused.value.detail
    assert daemon.post("/v1/episodes", {"text": "not lost", "at": "2020-01-02T12:00:00"})["id"]


def test_a_vault_that_does_not_exist_is_named(start: Start) -> None:
    missing = json.dumps({"work": "/nowhere/at/all"})
    daemon = start(settings={**WITHOUT_MODEL, "MEMORYD_VAULT__PATHS": missing})
    daemon.wait_until_indexed(30)
    assert any("work" in reason for reason in daemon.get("/v1/status")["degraded"])


def test_a_broken_config_is_named_and_nothing_starts(tmp_path: Path) -> None:
    config = tmp_path / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[service]\nprot = 1\n", "utf-8")
    with pytest.raises(StartFailed) as refused:
        OwnDaemon(tmp_path / "home", WITHOUT_MODEL).start()
    assert "config.toml, line 2" in str(refused.value)
    assert "service.prot" in str(refused.value)


def test_commands_say_how_to_go_on_without_a_daemon(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memoryd.cli", "recall", "anything"]
    run = subprocess.run(
        command, env={"MEMORYD_HOME": str(tmp_path), "PATH": ""}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 3
    assert "memoryd up" in run.stderr


def test_a_secret_never_reaches_a_file(daemon: OwnDaemon) -> None:
    text = "export OPENAI_API_KEY=sk-proj-FAKE00000000000000000000 and DATABASE_URL=postgres://admin:FAKEPW@h/db fails"
    daemon.post("/v1/episodes", {"text": text, "session": "s", "turn": "secret"})
    held = b"".join(path.read_bytes() for path in daemon.home.rglob("*") if path.is_file())
    assert b"sk-proj-FAKE" not in held
    assert b"FAKEPW" not in held
    assert b"fails" in held


def test_questions_are_not_in_the_log(daemon: OwnDaemon) -> None:
    daemon.post("/v1/recall", {"query": "xylophone confidential"})
    assert "xylophone" not in (daemon.home / "state" / "log" / "memoryd.log").read_text("utf-8")
    assert "xylophone" not in daemon.output


def test_the_bookkeeping_is_lost_under_a_running_daemon(start: Start) -> None:
    daemon = start()
    daemon.post("/v1/episodes", {"text": "the walrus sleeps"})
    daemon.wait_until_indexed(60)
    state = daemon.home / "state"
    for path in [*state.glob("manifest.sqlite*"), *state.glob("episodic.db*"), state / "recent.ndjson"]:
        path.unlink()
    assert daemon.post("/v1/episodes", {"text": "an otter wakes"})["id"]
    daemon.wait_until_indexed(60)
    for word in ("walrus", "otter"):
        hits = daemon.post("/v1/recall", {"query": word, "store": "episodic"})["hits"]
        assert word in hits[0]["text"]
    assert daemon.get("/v1/status")["episodic"]["chunks"] == 2
    daemon.post("/v1/jobs/scan/run", {})
    daemon.wait_until_indexed(60)
    assert any("was damaged" in one["reason"] for one in daemon.get("/v1/problems")["items"])


def test_three_hundred_silent_connections_keep_nobody_waiting(daemon: OwnDaemon) -> None:
    host, _, port = daemon.client.endpoint.url.removeprefix("http://").partition(":")
    silent = [socket.create_connection((host, int(port)), timeout=30) for _ in range(300)]
    try:
        assert send(daemon, "GET", "/v1/status")[0] == 200
        assert daemon.get("/v1/status")["ready"]
    finally:
        for one in silent:
            one.close()


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PATCH"])
def test_the_guard_stands_before_every_method(daemon: OwnDaemon, method: str) -> None:
    assert send(daemon, method, "/v1/status", Host="attacker.example")[0] == 421
    assert send(daemon, method, "/v1/status", Authorization="Bearer wrong")[0] == 401
    assert send(daemon, method, "/v1/status")[0] == (200 if method == "HEAD" else 405)


def test_languages_that_nobody_knows_are_named_with_those_that_there_are(tmp_path: Path) -> None:
    config = tmp_path / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[search]\nlanguages = ["xx"]\n', "utf-8")
    with pytest.raises(StartFailed, match=r"line 2: search\.languages.*no language that is known; there are: ar, "):
        OwnDaemon(tmp_path / "home", WITHOUT_MODEL).start()
