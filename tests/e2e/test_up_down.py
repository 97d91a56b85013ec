"""Starting and stopping the real daemon from the command line."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.paths import Paths, find_paths
from memoryd.service.lock import find_holder
from memoryd.service.units import render_socket, render_unit, serve_command

DEADLINE_S = 90


class Home:
    """A memory of its own, and the command line on it."""

    def __init__(self, root: str) -> None:
        self.environ = {key: value for key, value in os.environ.items() if not key.startswith("MEMORYD_")}
        self.environ |= {
            "MEMORYD_HOME": root,
            "XDG_RUNTIME_DIR": root,
            "MEMORYD_ENGINE__KIND": "exact",
            "MEMORYD_EMBEDDING__MODEL": "none",
        }
        self.paths: Paths = find_paths(self.environ)

    def run(self, *arguments: str, cwd: str = "/") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-P", "-m", "memoryd.cli", *arguments],
            env=self.environ,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    @property
    def pid(self) -> int | None:
        holder = find_holder(self.paths.lock_file)
        return holder.pid if holder else None


@pytest.fixture
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="m") as root:
        made = Home(root)
        yield made
        if (pid := made.pid) is not None:
            os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + 10
            while made.pid is not None and time.monotonic() < deadline:
                time.sleep(0.05)


def test_up_status_down_and_up_again(home: Home) -> None:
    up = home.run("up")
    assert up.returncode == 0, up.stderr
    assert f"memoryd is up (pid {home.pid}) at http://127.0.0.1:" in up.stdout
    endpoint = json.loads(home.paths.endpoint_file.read_text())
    assert endpoint["pid"] == home.pid
    again = home.run("up")
    assert (again.returncode, f"already runs (pid {home.pid})" in again.stdout) == (0, True)
    status = home.run("status", "--json")
    assert status.returncode == 0, status.stderr
    assert json.loads(status.stdout)["ready"] is True
    assert home.run("doctor").returncode == 0
    second = home.run("serve")
    assert second.returncode == 1
    assert f"pid {home.pid}" in second.stderr.splitlines()[-1]
    down = home.run("down")
    assert down.returncode == 0, down.stderr
    assert "memoryd is down" in down.stdout
    assert home.pid is None
    assert home.paths.down_marker.exists()
    assert not home.paths.endpoint_file.exists()
    assert not home.paths.socket.exists()
    assert home.run("status").returncode == 3
    assert home.run("down").stdout == "memoryd is not running\n"
    assert home.run("up").returncode == 0
    assert not home.paths.down_marker.exists()
    assert home.run("down").returncode == 0


def test_what_is_remembered_survives_a_kill_and_the_next_start_is_clean(home: Home) -> None:
    assert home.run("up").returncode == 0
    written = home.run("remember", "the walrus signed the contract", "--json")
    assert written.returncode == 0, written.stderr
    pid = home.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while home.pid is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert home.run("recall", "walrus").returncode == 3
    up = home.run("up")
    assert up.returncode == 0, up.stderr
    found = home.run("recall", "walrus contract", "--json")
    assert json.loads(written.stdout)["id"] in found.stdout


def test_a_folder_of_our_name_in_the_working_directory_is_not_loaded(home: Home, tmp_path: Path) -> None:
    (tmp_path / "semantic").mkdir()
    (tmp_path / "semantic" / "__init__.py").write_text("raise SystemExit('loaded from the working directory')")
    up = home.run("up", cwd=str(tmp_path))
    assert up.returncode == 0, up.stderr


def test_a_start_that_fails_says_why_in_one_line(home: Home) -> None:
    home.paths.make()
    home.paths.config_file.write_text("[service]\nprt = 1\n")
    up = home.run("up")
    assert up.returncode == 1
    assert up.stderr.count("\n") == 1
    assert "line 2: service.prt" in up.stderr


def test_exit_codes_and_words_are_for_people(home: Home) -> None:
    assert home.run("up").returncode == 0
    unknown = home.run("kg", "show", "nosuch")
    assert (unknown.returncode, unknown.stdout) == (4, "")
    for arguments, place in (
        (("recall", "x", "--limit", "0"), "--limit"),
        (("recall", "x", "--since", "nonsense"), "--since"),
        (("timeline", "--limit", "501"), "--limit"),
        (("remember", " "), "TEXT"),
    ):
        refused = home.run(*arguments)
        assert (refused.returncode, refused.stdout) == (2, ""), arguments
        assert refused.stderr.startswith(f"memoryd: {place}: ")
        assert "/body" not in refused.stderr
    nowhere = home.run("recall", "x", "--project", "nosuch")
    assert nowhere.returncode == 4
    assert "`memoryd project list`" in nowhere.stderr
    decide = ("kg", "decide", "Use it", "--why", "fast", "--put", "tool", "Milvus", "a store")
    assert home.run(*decide).stdout.startswith("recorded de_")
    assert home.run(*decide).stdout.startswith("already recorded as de_")
    element = json.loads(home.run("kg", "show", "Milvus", "--json").stdout)["items"][0]["id"]
    early = home.run("kg", "as-of", element, "2001-01-01")
    assert (early.returncode, "not yet known then" in early.stderr) == (4, True)


def test_only_a_folder_that_can_be_a_project_becomes_one(home: Home, tmp_path: Path) -> None:
    assert home.run("up").returncode == 0
    assert "in no project" in home.run("remember", "one", cwd="/").stdout
    home.environ["TMPDIR"] = str(tmp_path)
    assert "in no project" in home.run("remember", "two", cwd=str(tmp_path)).stdout
    assert json.loads(home.run("project", "list", "--json").stdout)["items"] == []
    (tmp_path / "walrus" / ".git").mkdir(parents=True)
    assert "in the project walrus (" in home.run("remember", "three", cwd=str(tmp_path / "walrus")).stdout
    assert "in the project seal (" in home.run("remember", "four", "--project", "seal").stdout
    merged = home.run("project", "merge", "seal", "walrus")
    assert merged.stdout.startswith("seal is now part of:\nwalrus (")
    assert home.run("project", "list").stdout.count("(") == 1


def test_secrets_and_words_do_not_reach_the_log(home: Home) -> None:
    assert home.run("up").returncode == 0
    home.run("remember", "xyzzy-words", "--title", "xyzzy-title")
    home.run("recall", "xyzzy-question")
    home.run("kg", "show", "xyzzy-name")
    home.run("note", "show", "vault:xyzzy-path.md")
    assert home.run("down").returncode == 0
    token = home.paths.token_file.read_text().strip()
    for file in home.paths.log.iterdir():
        text = file.read_text("utf-8")
        assert "xyzzy" not in text
        assert token not in text
        assert file.stat().st_mode & 0o777 == 0o600
    assert "/v1/recall" in (home.paths.log / "memoryd.log").read_text("utf-8")


MANAGER = """#!/bin/sh
echo "$*" >> "$0.said"
case "$*" in
  *"--no-block start"*) {python} -P -m memoryd.cli serve > /dev/null 2>&1 & echo $! > "$0.pid" ;;
  *"--no-block stop"*) kill "$(cat "$0.pid")" ;;
  *MainPID*) echo "MainPID=$(cat "$0.pid" || echo 0)" ;;
esac
"""


def test_where_a_service_is_installed_its_manager_starts_and_stops_the_daemon(home: Home, tmp_path: Path) -> None:
    """No second daemon beside the service's; the socket that would start it again is stopped with it."""
    manager = tmp_path / "bin" / "systemctl"
    manager.parent.mkdir()
    manager.write_text(MANAGER.format(python=sys.executable))
    manager.chmod(0o755)
    home.environ |= {"PATH": f"{manager.parent}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(tmp_path)}
    units = tmp_path / "systemd" / "user"
    units.mkdir(parents=True)
    home.paths.make()
    (units / "memoryd.service").write_text(render_unit(home.paths, serve_command(), {}))
    (units / "memoryd.socket").write_text(render_socket(home.paths))
    refused = home.run("up", "--port", "7077")
    assert (refused.returncode, "[service] port" in refused.stderr) == (1, True)
    up = home.run("up")
    assert up.stdout.startswith(f"memoryd is up (pid {home.pid})"), up.stderr
    assert int(Path(f"{manager}.pid").read_text()) == home.pid
    assert "service: installed" in home.run("status").stdout
    assert home.run("down").stdout == f"memoryd is down (was pid {Path(f'{manager}.pid').read_text().strip()})\n"
    assert home.pid is None
    said = [line for line in Path(f"{manager}.said").read_text().splitlines() if "--no-block" in line]
    assert said == [f"--user --no-block {verb} memoryd.socket memoryd.service" for verb in ("start", "stop")]
    # A manager that does not work is no reason to go without a daemon.
    manager.write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    by_hand = home.run("up")
    assert (by_hand.returncode, "no bus" in by_hand.stderr) == (0, True)
    down = home.run("down")
    assert (down.returncode, "no bus" in down.stderr, home.pid) == (0, True, None)
