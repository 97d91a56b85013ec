"""The hook as an agent runs it: a process of its own, before daemons of every kind."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import clients.hook
from memoryd.bench.daemon import OwnDaemon
from memoryd.service.lock import find_holder
from tests.e2e.conftest import WITHOUT_MODEL
from tests.session_file import prompt, said, write

Start = Callable[..., OwnDaemon]
FAST = WITHOUT_MODEL | {"MEMORYD_ENGINE__KIND": "exact"}
HOOK = [sys.executable, "-I", "-S", clients.hook.__file__]
PAYLOAD = {"session_id": "s1", "transcript_path": "/nowhere.jsonl", "cwd": "/code/shop"}
PATIENCE_S = 10.0
"""No deadline of the hook is measured here; a hook that hangs is found all the same."""


def run_hook(
    home: Path, event: str | None, data: bytes | None = None, **fields: Any
) -> subprocess.CompletedProcess[bytes]:
    sent = json.dumps(PAYLOAD | {"hook_event_name": event} | fields).encode() if data is None else data
    return subprocess.run(
        HOOK,
        input=sent,
        env={"MEMORYD_HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )


def assert_nothing(done: subprocess.CompletedProcess[bytes]) -> None:
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {}, b"")


def hook_log(home: Path) -> str:
    return (home / "state" / "log" / "hook.log").read_text()


@pytest.fixture
def no_start(tmp_path: Path) -> Path:
    """Return a home whose daemon is down, and wanted down."""
    for name in ("state/log", "config"):
        (tmp_path / "home" / name).mkdir(parents=True)
    (tmp_path / "home" / "config" / "down").touch()
    (tmp_path / "home" / "config" / "token").write_text("secret-token")
    return tmp_path / "home"


def tell_endpoint(home: Path, *, socket_path: Path | str = "", port: int = 1, pid: int | None = None) -> None:
    record = {"url": f"http://127.0.0.1:{port}", "socket": str(socket_path), "pid": pid or os.getpid(), "version": "0"}
    (home / "state" / "endpoint.json").write_text(json.dumps(record))


@contextlib.contextmanager
def pretender(home: Path, answer: bytes | None, *, on_tcp: bool = False) -> Iterator[list[bytes]]:
    """Something that listens where the daemon would, takes one request and says what it is told to, or nothing."""
    listening = socket.socket(socket.AF_INET if on_tcp else socket.AF_UNIX)
    listening.bind(("127.0.0.1", 0) if on_tcp else str(home / "state" / "m.sock"))
    listening.listen()
    port = listening.getsockname()[1] if on_tcp else 1
    tell_endpoint(home, socket_path="" if on_tcp else home / "state" / "m.sock", port=port)
    heard: list[bytes] = []
    over = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError):
            taken, _ = listening.accept()
            with taken:
                heard.append(taken.recv(1 << 16))
                if answer is None:
                    over.wait(PATIENCE_S)
                else:
                    taken.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield heard
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def test_a_turn_goes_through_the_process(start: Start) -> None:
    daemon = start(settings=FAST)
    assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="Why does the cart lose its discount?"))
    assert_nothing(run_hook(daemon.home, "Stop", last_assistant_message="A reload replaces the session."))
    (entry,) = daemon.get("/v1/episodes")["items"]
    assert entry["text"].startswith("Asked: Why does the cart lose its discount?\n\nAnswered: A reload")
    assert not (daemon.home / "state" / "log" / "hook.log").exists()
    for event in ("OfALaterVersion", "user-prompt-submit"):
        assert_nothing(run_hook(daemon.home, event, of_a_later_version={"deep": [1, None]}))


def test_no_trouble_of_the_daemon_is_the_agents(start: Start) -> None:
    """Killed, stopped, with another token: an empty answer, and a line in the log without a word of the payload."""
    daemon = start(settings=FAST)
    token = daemon.home / "config" / "token"
    right = token.read_text()
    token.write_text("wrong")
    assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="a private question"))
    token.write_text(right)
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        for event in ("SessionStart", "UserPromptSubmit", "Stop", "PostToolUse"):
            assert_nothing(run_hook(daemon.home, event, prompt="a private question"))
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
    (daemon.home / "config" / "down").touch()
    daemon.kill()
    assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="a private question"))
    log = hook_log(daemon.home)
    assert log.count("\n") == 6
    assert "status 401" in log
    assert log.count("did not answer in time") == 4
    assert "ended without a word" in log
    assert "private" not in log


def test_what_was_told_to_a_daemon_that_slept_arrives_after_the_hook_is_gone(start: Start) -> None:
    daemon = start(settings=FAST)
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        assert_nothing(run_hook(daemon.home, "Stop", last_assistant_message="A reload replaces the session."))
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
    deadline = time.monotonic() + 30
    while not (entries := daemon.get("/v1/episodes")["items"]):
        assert time.monotonic() < deadline, "the turn did not arrive"
        time.sleep(0.05)
    assert entries[0]["text"].startswith("Answered: A reload replaces the session.")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "status none"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\x00\x01", "no JSON object"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"hookSpecificOutput": {"add', "no JSON object"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "no JSON object"),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\n{}", "status 500"),
        (b"", "status none"),
    ],
)
def test_what_is_no_answer_is_not_passed_on(no_start: Path, answer: bytes, reason: str) -> None:
    with pretender(no_start, answer):
        assert_nothing(run_hook(no_start, "SessionStart"))
    assert reason in hook_log(no_start)


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"])
def test_an_answer_that_comes_drop_by_drop_is_not_waited_for(no_start: Path, beginning: bytes) -> None:
    """Each drop comes in time, and the whole never does."""
    over = threading.Event()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(no_start / "state" / "m.sock"))
    listening.listen()
    tell_endpoint(no_start, socket_path=no_start / "state" / "m.sock")

    def drip() -> None:
        taken, _ = listening.accept()
        with taken, contextlib.suppress(OSError):
            taken.sendall(beginning)
            while not over.wait(0.02):
                taken.sendall(b" ")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert_nothing(run_hook(no_start, "UserPromptSubmit", prompt="a private question"))
    finally:
        over.set()
        thread.join()
        listening.close()
    assert "did not answer in time" in hook_log(no_start)


@pytest.mark.parametrize("way", [HOOK, [sys.executable, "-m", "memoryd.cli", "hook", "Stop"]])
@pytest.mark.parametrize(
    "left", ["a dead process", "a folder for a socket", "no address", "another's words", "no token"]
)
def test_what_a_daemon_left_behind_is_no_trouble(no_start: Path, left: str, way: list[str]) -> None:
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    (no_start / "state" / "folder").mkdir()
    if left == "a dead process":
        tell_endpoint(no_start, pid=gone.pid)
    elif left == "another's words":
        (no_start / "state" / "endpoint.json").write_bytes(b"\xff{")
    elif left != "no address":
        tell_endpoint(no_start, socket_path=no_start / "state" / "folder")
    if left == "no token":
        (no_start / "config" / "token").unlink()
    done = subprocess.run(
        way,
        input=json.dumps(PAYLOAD | {"hook_event_name": "Stop"}).encode(),
        env={"MEMORYD_HOME": str(no_start), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert_nothing(done)
    assert hook_log(no_start).count("\n") == 1


def test_a_full_disk_costs_no_session_its_work_and_no_turn_its_place(start: Start, tmp_path: Path) -> None:
    daemon = start(settings=FAST)
    lines = [prompt("u1", 0, "Why is it lost?"), said("a1", 1, "A reload replaces the session.", end=True)]
    file = write(tmp_path / "s1.jsonl", lines)
    path: dict[str, Any] = {"transcript_path": str(file)}
    assert_nothing(run_hook(daemon.home, "SessionStart", source="startup", **path))
    _, most = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (1, most))  # no file may grow
    try:
        assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="Why is it lost?", **path))
        assert_nothing(run_hook(daemon.home, "Stop", last_assistant_message="A reload replaces the session.", **path))
        deadline = time.monotonic() + 30
        while "turns are not written" not in " ".join(daemon.get("/v1/status")["degraded"]):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert daemon.get("/v1/episodes")["items"] == []
    finally:
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (most, most))
    write(file, [*lines, prompt("u2", 2, "And now?"), said("a2", 3, "Now there is room.", end=True)])
    assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="And now?", **path))
    assert_nothing(run_hook(daemon.home, "Stop", last_assistant_message="Now there is room.", **path))
    deadline = time.monotonic() + 30
    while len(entries := daemon.get("/v1/episodes")["items"]) < 2:
        assert time.monotonic() < deadline, daemon.get("/v1/status")["degraded"]
        time.sleep(0.05)
    assert [entry["title"] for entry in entries] == ["And now?", "Why is it lost?"]
    assert "turns are not written" not in " ".join(daemon.get("/v1/status")["degraded"])


def test_a_daemon_that_is_there_is_told_by_its_port_where_the_socket_is_gone(start: Start) -> None:
    """BH43: the port is asked by number, whatever the address is called; no name is looked up."""
    daemon = start(settings=FAST)
    port = int(daemon.client.endpoint.url.rpartition(":")[2])
    file = daemon.home / "state" / "endpoint.json"
    for host in ("127.0.0.1", "localhost", "no.such.host.invalid"):
        record = {"url": f"http://{host}:{port}", "socket": "/nowhere.sock", "pid": daemon.pid, "version": "0"}
        file.write_text(json.dumps(record))
        assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt=f"By {host}?", session_id=host))
        assert_nothing(run_hook(daemon.home, "Stop", last_assistant_message="By number.", session_id=host))
    deadline = time.monotonic() + 30
    while len(daemon.get("/v1/episodes")["items"]) < 3:
        assert time.monotonic() < deadline, hook_log(daemon.home)
        time.sleep(0.05)


def test_whoever_took_the_port_of_a_dead_daemon_gets_no_token(no_start: Path) -> None:
    """BH43: the address is a number, so no name is looked up; and nobody is asked whose lock is not held."""
    with pretender(no_start, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", on_tcp=True) as heard:
        assert_nothing(run_hook(no_start, "UserPromptSubmit", prompt="x"))
        assert heard == []
    assert "does not run" in hook_log(no_start)


def test_no_payload_is_waited_for_beyond_its_time(no_start: Path) -> None:
    for data in (
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b'{"hook_event_name": 7}',
        b'{"hook_event_name": "../../etc"}',
        b"[" * 99_999,
    ):
        assert_nothing(run_hook(no_start, None, data))
    reader, writer = os.pipe()  # nobody closes it, and nothing comes
    done = subprocess.run(
        HOOK, stdin=reader, env={"MEMORYD_HOME": str(no_start)}, capture_output=True, timeout=PATIENCE_S, check=True
    )
    assert_nothing(done)
    os.write(writer, json.dumps(PAYLOAD | {"hook_event_name": "Stop"}).encode())  # whole, though never closed
    with pretender(no_start, b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"said": "yes"}'):
        done = subprocess.run(
            HOOK, stdin=reader, env={"MEMORYD_HOME": str(no_start)}, capture_output=True, timeout=PATIENCE_S, check=True
        )
    assert json.loads(done.stdout) == {"said": "yes"}
    os.close(reader)
    os.close(writer)
    closed = ["/bin/sh", "-c", 'exec "$0" "$@" <&-', *HOOK]
    done = subprocess.run(
        closed, env={"MEMORYD_HOME": str(no_start)}, capture_output=True, timeout=PATIENCE_S, check=True
    )
    assert_nothing(done)


def test_a_huge_result_of_a_tool_is_left_out_and_a_huge_payload_refused(start: Start) -> None:
    daemon = start(settings=FAST)
    assert_nothing(run_hook(daemon.home, "PostToolUse", tool_name="Bash", tool_response={"stdout": "x" * 9_000_000}))
    assert not (daemon.home / "state" / "log" / "hook.log").exists()
    assert_nothing(run_hook(daemon.home, "UserPromptSubmit", prompt="x" * 9_000_000))
    assert "larger than" in hook_log(daemon.home)


def test_a_closed_stdout_and_a_log_that_cannot_be_written_are_no_trouble(no_start: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        HOOK, input=b"{}", stdout=writer, stderr=subprocess.PIPE, env={"MEMORYD_HOME": str(no_start)}, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
    (no_start / "state" / "log" / "hook.log").unlink(missing_ok=True)
    (no_start / "state" / "log" / "hook.log").symlink_to("/dev/full")
    assert_nothing(run_hook(no_start, "Stop"))


def test_the_log_is_rotated(no_start: Path) -> None:
    log = no_start / "state" / "log" / "hook.log"
    log.write_text("x" * clients.hook.LOG_BYTES)
    assert_nothing(run_hook(no_start, "Stop"))
    assert_nothing(run_hook(no_start, "Stop"))
    assert log.stat().st_size < 1000
    assert log.with_name("hook.log.1").stat().st_size > clients.hook.LOG_BYTES


def test_a_child_of_memory_does_nothing(no_start: Path) -> None:
    """BH05: what memory started itself, as a summariser, is marked."""
    environ = {"MEMORYD_HOME": str(no_start), "MEMORYD_CHILD": "1"}
    done = subprocess.run(HOOK, input=b"{}", env=environ, capture_output=True, timeout=PATIENCE_S, check=True)
    assert_nothing(done)
    assert list((no_start / "state" / "log").iterdir()) == []


def test_an_absent_daemon_is_started_once_and_not_against_the_users_word(no_start: Path) -> None:
    assert_nothing(run_hook(no_start, "SessionStart", source="startup"))
    assert find_holder(no_start / "state" / "lock") is None
    (no_start / "config" / "down").unlink()
    (no_start / "config" / "token").unlink()
    environ = {"MEMORYD_HOME": str(no_start), "PATH": "/usr/bin:/bin", **FAST}
    sent = json.dumps(PAYLOAD | {"hook_event_name": "SessionStart"}).encode()
    payload = no_start / "payload"
    payload.write_bytes(sent)
    hooks = [
        subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" "$@" < {payload}', *HOOK],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
        )
        for _ in range(6)
    ]
    for one in hooks:
        assert one.communicate(timeout=PATIENCE_S) == (b"{}\n", b"")
    holder = None
    try:
        deadline = time.monotonic() + 30
        while not (no_start / "state" / "endpoint.json").exists():
            assert time.monotonic() < deadline, [path.read_text() for path in (no_start / "state" / "log").iterdir()]
            time.sleep(0.05)
        holder = find_holder(no_start / "state" / "lock")
        assert holder is not None
        running = subprocess.run(
            ["pgrep", "-f", "memoryd.cli serve"], capture_output=True, text=True, check=False
        ).stdout
        ours = [pid for pid in running.split() if str(no_start).encode() in _environ_of(pid)]
        assert ours == [str(holder.pid)]
    finally:
        if holder is not None and holder.pid is not None:
            os.kill(holder.pid, signal.SIGTERM)
            while find_holder(no_start / "state" / "lock") is not None:
                time.sleep(0.05)


def _environ_of(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def test_the_command_hands_an_event_over(start: Start) -> None:
    daemon = start(settings=FAST)
    for event, fields in (("UserPromptSubmit", {"prompt": "Anything?"}), ("Stop", {"last_assistant_message": "No."})):
        done = subprocess.run(
            [sys.executable, "-m", "memoryd.cli", "hook", event],
            input=json.dumps(PAYLOAD | fields).encode(),
            env={"MEMORYD_HOME": str(daemon.home), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            timeout=30,
            check=True,
        )
        assert_nothing(done)
    assert [entry["session"] for entry in daemon.get("/v1/episodes")["items"]] == ["s1"]


def test_nothing_slow_is_imported() -> None:
    root = str(Path(clients.hook.__file__).parent.parent)
    code = f"import sys; sys.path.append({root!r}); import clients.hook; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {
        "collections",
        "enum",
        "json",
        "re",
        "socket",
        "typing",
        "dataclasses",
        "inspect",
        "http",
        "urllib",
        "subprocess",
        "pathlib",
        "logging",
        "asyncio",
    }
    assert not {name for name in loaded if name.split(".")[0] in {"memoryd", "episodic", "semantic"}}
