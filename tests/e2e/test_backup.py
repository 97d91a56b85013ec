"""A backup of a memory that is in use, and what comes back of it: everything but what was forgotten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memoryd.bench.daemon import OwnDaemon
from tests.e2e.test_mcp import SETTINGS

START = Callable[..., OwnDaemon]
QUEUE = {"op": "put_element", "kind": "component", "name": "Job queue", "gist": "Jobs wait in Postgres."}
NOTE = "---\nsummary: Where jobs wait.\ntags: [tool/postgres]\n---\n# Queue\n\nIn Postgres.\n"


def run(daemon: OwnDaemon, name: str, **args: Any) -> dict[str, Any]:
    """Run a job to its end and return it."""
    daemon.post(f"/v1/jobs/{name}/run", {"args": args})
    deadline = time.monotonic() + 60
    while (job := daemon.get(f"/v1/jobs/{name}"))["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return dict(job)


def fill(daemon: OwnDaemon) -> dict[str, str]:
    """Write something of each kind and return the ids."""
    secret = daemon.post("/v1/episodes", {"text": "Nobody should read this again.", "session": "s", "turn": "1"})
    kept = daemon.post("/v1/episodes", {"text": "Moved the queue to Postgres.", "session": "s", "turn": "2"})
    decided = daemon.post("/v1/decisions", {"title": "Queue", "why": "One lock.", "mutations": [QUEUE]})
    gone = daemon.post(
        "/v1/decisions", {"title": "Secret plan", "why": "Hush.", "mutations": [{**QUEUE, "name": "Plan"}]}
    )
    vault = daemon.home / "memory" / "vault"
    (vault / "Queue.md").write_text(NOTE)
    os.utime(vault / "Queue.md", (1_700_000_000, 1_700_000_000))
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "app.json").write_text("{}")
    return {"secret": secret["id"], "kept": kept["id"], "decision": decided["id"], "plan": gone["elements"][0]}


def test_an_empty_home_gets_everything_back_but_what_was_forgotten(start: START, tmp_path: Path) -> None:
    one = start("one", SETTINGS)
    ids = fill(one)
    file = tmp_path / "kept" / "memory.tar.gz"
    assert run(one, "backup", file=str(file))["result"]["files"] >= 5
    # Forgotten after the backup was made: the second backup knows of it, the first does not.
    one.post("/v1/forget", {"ids": [ids["secret"], ids["plan"]]})
    later = tmp_path / "later.tar.gz"
    run(one, "backup", file=str(later))

    other = start("other", SETTINGS)
    assert run(other, "restore", file=str(later)).get("last_error") is None
    result = run(other, "restore", file=str(file))["result"]
    assert result["conflicts"] == []
    other.wait_until_indexed(60)
    assert other.get(f"/v1/episodes/{ids['kept']}")["text"] == "Moved the queue to Postgres."
    assert other.get(f"/v1/decisions/{ids['decision']}")["why"] == "One lock."
    note = other.home / "memory" / "vault" / "Queue.md"
    assert note.read_text() == NOTE
    assert note.stat().st_mtime == 1_700_000_000
    assert (other.home / "memory" / "vault" / ".obsidian" / "app.json").exists()
    everything = b"".join(path.read_bytes() for path in (other.home / "memory").rglob("*") if path.is_file())
    assert b"Nobody should read" not in everything
    assert b"Secret plan" not in everything
    assert run(other, "restore", file=str(file))["result"]["taken"] == []


def test_a_home_in_use_keeps_what_it_has(start: START, tmp_path: Path) -> None:
    daemon = start("home", SETTINGS)
    ids = fill(daemon)
    file = tmp_path / "memory.tar.gz"
    run(daemon, "backup", file=str(file))
    daemon.post("/v1/forget", {"ids": [ids["secret"]]})
    newer = daemon.post("/v1/episodes", {"text": "Written after the backup.", "session": "s", "turn": "3"})
    vault = daemon.home / "memory" / "vault"
    (vault / "Queue.md").write_text("short")
    before = {path: path.read_bytes() for path in (daemon.home / "memory" / "journal").iterdir()}
    result = run(daemon, "restore", file=str(file))["result"]
    assert (result["taken"], result["kept"]) == ([], ["vault/Queue.md"])
    assert (vault / "Queue.md").read_text() == "short"
    assert {path: path.read_bytes() for path in (daemon.home / "memory" / "journal").iterdir()} == before
    assert daemon.get(f"/v1/episodes/{newer['id']}")["text"] == "Written after the backup."
    # Asked for both, the backup's version of the note gets a place of its own.
    run(daemon, "restore", file=str(file), keep_both=True)
    assert {path.read_text() for path in vault.glob("Queue*.md")} == {"short", NOTE}


def test_what_was_lost_comes_back_into_the_running_home(start: START, tmp_path: Path) -> None:
    daemon = start("home", SETTINGS)
    ids = fill(daemon)
    file = tmp_path / "memory.tar.gz"
    run(daemon, "backup", file=str(file))
    for path in (daemon.home / "memory" / "journal").iterdir():
        path.unlink()
    (daemon.home / "memory" / "vault" / "Queue.md").unlink()
    assert run(daemon, "restore", file=str(file)).get("last_error") is None
    daemon.wait_until_indexed(60)
    assert daemon.get(f"/v1/episodes/{ids['kept']}")["text"] == "Moved the queue to Postgres."
    assert (daemon.home / "memory" / "vault" / "Queue.md").read_text() == NOTE


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    """A memory in use that no test takes anything away from."""
    with OwnDaemon(tmp_path_factory.mktemp("used") / "home", SETTINGS).start() as running:
        fill(running)
        yield running


def test_backups_are_refused_where_they_would_harm(daemon: OwnDaemon, tmp_path: Path) -> None:
    file = tmp_path / "memory.tar.gz"
    run(daemon, "backup", file=str(file))
    whole = file.read_bytes()
    assert "is there already" in run(daemon, "backup", file=str(file))["last_error"]
    assert file.read_bytes() == whole
    assert run(daemon, "backup", file=str(file), replace=True).get("last_error") is None
    assert "inside the memory" in run(daemon, "backup", file=str(daemon.home / "memory" / "b.tar.gz"))["last_error"]
    assert "no folder for backups is set" in run(daemon, "backup")["last_error"]
    file.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in run(daemon, "restore", file=str(file))["last_error"]
    with tarfile.open(file, "w:gz") as archive:
        archive.add(__file__, "memory/../../evil.py")
    assert "outside the memory" in run(daemon, "restore", file=str(file))["last_error"]
    assert not list(tmp_path.rglob("evil.py"))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["memory.tar.gz"]


def test_the_commands_make_and_take_in_a_backup(daemon: OwnDaemon, tmp_path: Path) -> None:
    def command(*words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "memoryd.cli", *words]
        environ = {**os.environ, "MEMORYD_HOME": str(daemon.home)}
        return subprocess.run(program, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    made = command("backup")
    assert made.returncode == 0, made.stderr
    (file,) = tmp_path.glob("memoryd-*.tar.gz")
    assert f"wrote {file}" in made.stdout
    assert command("backup", file.name).returncode == 5
    assert "no folder" in command("backup", "nowhere/x.tar.gz").stderr
    assert not (tmp_path / "nowhere").exists()
    assert json.loads(command("--json", "backup", file.name, "--force").stdout)["result"]["file"] == str(file)
    assert "0 came back" in command("restore", file.name).stdout


def test_a_new_token_is_taken_at_once_and_the_old_one_refused(daemon: OwnDaemon) -> None:
    file = daemon.home / "config" / "token"
    old = file.read_text().strip()
    environ = {**os.environ, "MEMORYD_HOME": str(daemon.home)}
    subprocess.run([sys.executable, "-m", "memoryd.cli", "token", "rotate"], env=environ, check=True)

    def status(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx2.get(f"{daemon.client.endpoint.url}/v1/status", headers=headers).status_code

    assert (status(old), status(file.read_text().strip())) == (401, 200)


def test_backups_come_by_themselves_when_one_is_due(start: START, tmp_path: Path) -> None:
    kept = 2
    folder = tmp_path / "backups"
    settings = {"MEMORYD_BACKUP__FOLDER": str(folder), "MEMORYD_BACKUP__KEEP": str(kept)}
    daemon = start("home", {**SETTINGS, **settings})
    folder.mkdir()
    (folder / "memoryd-20200101-000000.tar.gz").touch()
    (folder / "mine.tar.gz").touch()
    job = run(daemon, "backup")
    assert job["next_run"]
    assert job["last_run"]
    names = {path.name for path in folder.iterdir()}
    assert len(names) == kept + 1
    assert "mine.tar.gz" in names
