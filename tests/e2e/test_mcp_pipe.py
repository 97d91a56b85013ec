"""The pipe as a process: what stands on its stdout, and what it does while the daemon comes and goes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import pytest
from mcp.client.client import Client

from clients.endpoint import Places, is_owned
from tests.e2e.test_mcp import PIPE, SETTINGS, pipe_of

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "Old Agent", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
FAILING = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "recall", "arguments": {"q": 1}}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CLIENTS = 20


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A memory without a daemon; the one that a pipe starts is ended with the test."""
    folder = tmp_path / "home"
    folder.mkdir()
    yield folder
    for pid in daemons(folder):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A memory whose daemon the first test that needs it starts, and the others find."""
    folder = tmp_path_factory.mktemp("served") / "home"
    folder.mkdir()
    yield folder
    for pid in daemons(folder):
        os.kill(pid, signal.SIGKILL)


def daemons(home: Path) -> list[int]:
    """Return the processes that serve this memory, as the system knows them."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            environ = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"memoryd.cli" in words and b"serve" in words and f"MEMORYD_HOME={home}".encode() in environ:
            found.append(int(folder.name))
    return found


def start_pipe(home: Path, *options: str, **environ: str) -> subprocess.Popen[bytes]:
    named = {"MEMORYD_HOME": str(home), **SETTINGS, "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], **environ}
    return subprocess.Popen(
        [sys.executable, "-I", "-S", *options, str(PIPE)],
        env=named,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
    )


def converse(home: Path, *messages: Any, **environ: str) -> tuple[list[Any], str]:
    """Send lines, end stdin, and return every line of stdout as JSON, and stderr."""
    lines = [one if isinstance(one, bytes) else json.dumps(one, ensure_ascii=False).encode() for one in messages]
    process = start_pipe(home, **environ)
    out, errors = process.communicate(b"\n".join(lines) + b"\n", timeout=60)
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()], errors.decode()


def by_id(answers: list[Any]) -> dict[Any, Any]:
    return {one["id"]: one for one in answers}


def say(stream: IO[bytes] | None, message: Any) -> None:
    assert stream is not None
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def test_only_the_protocol_stands_on_stdout(home: Path, tmp_path: Path) -> None:
    """BH44, behaviour 40: with prints at import, warnings, and a daemon that is down on purpose."""
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text("import warnings\nprint('hello from an import')\nwarnings.warn('old')\n")
    (home / "config").mkdir()
    (home / "config" / "down").touch()
    noise = {"PYTHONPATH": str(noisy), "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1", "MEMORYD_LOG__LEVEL": "debug"}
    answers, _ = converse(home, INITIALIZE, LIST, FAILING, **noise)
    assert {one["jsonrpc"] for one in answers} == {"2.0"}
    said = {id_: one["error"]["message"] for id_, one in by_id(answers).items()}
    assert {id_: "memoryd down" in message for id_, message in said.items()} == {1: True, 2: True, 3: True}
    assert daemons(home) == []


def test_a_print_in_the_pipes_own_process_goes_to_stderr(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "down").touch()
    program = (
        "import threading, os, clients.mcp_pipe as pipe; threading.Timer(0.2, print, ['a stray line']).start(); "
        "threading.Timer(0.2, os.write, [1, b'a stray write\\n']).start(); pipe.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={"MEMORYD_HOME": str(home), "PYTHONPATH": str(PIPE.parent.parent)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = {process.stderr.readline(), process.stderr.readline()}
    out, _ = process.communicate(json.dumps(LIST).encode() + b"\n", timeout=30)
    assert said == {b"a stray line\n", b"a stray write\n"}
    assert [json.loads(line)["id"] for line in out.splitlines()] == [2]


def test_an_agent_of_the_older_protocol_is_served_and_the_daemon_started(served: Path) -> None:
    """BH15: the pipe opens no store; batches, notifications, bad lines and UTF-8 without a locale."""
    home = served
    text = "Grüße 世界 " + "x" * 600_000
    remember = {"name": "remember", "arguments": {"text": text, "key": "big"}}
    calls = [
        INITIALIZE,
        INITIALIZED,
        [LIST, {**LIST, "id": "two"}, INITIALIZED],
        [],
        b"{not json",
        {"jsonrpc": "2.0", "id": 5, "method": "no/such/method"},
        {"jsonrpc": "2.0", "id": 6, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": remember},
        {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "recall", "arguments": {"q": 1}}},
    ]
    answers, _ = converse(home, *calls, LC_ALL="C", PYTHONUTF8="0")
    batch = next(one for one in answers if isinstance(one, list))
    assert {one["id"] for one in batch} == {2, "two"}
    alone = by_id([one for one in answers if isinstance(one, dict) and one["id"] is not None])
    assert set(alone) == {1, 5, 7, 8}
    assert alone[1]["result"]["protocolVersion"] == "2025-06-18"
    assert alone[5]["error"]["code"] == -32601
    assert alone[7]["result"]["structuredContent"]["created"]
    assert alone[8]["result"]["isError"]
    codes = sorted(one["error"]["code"] for one in answers if isinstance(one, dict) and one["id"] is None)
    assert codes == [-32700, -32600]
    day = next((home / "memory" / "journal").glob("*.md")).read_text("utf-8")
    assert "Grüße 世界" in day
    assert len(daemons(home)) == 1


def test_what_is_cancelled_is_not_answered(served: Path) -> None:
    home = served
    process = start_pipe(home)
    say(process.stdin, INITIALIZE)
    assert process.stdout is not None
    json.loads(process.stdout.readline())
    pid = daemons(home)[0]
    # A daemon that stands still answers nothing, so the call is surely under way when it is cancelled.
    os.kill(pid, signal.SIGSTOP)
    say(process.stdin, {**LIST, "id": "slow"})
    say(process.stdin, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
    os.kill(pid, signal.SIGCONT)
    say(process.stdin, {**LIST, "id": "next"})
    out, _ = process.communicate(timeout=30)
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["next"]


def test_it_ends_with_its_stdin(home: Path) -> None:
    process = start_pipe(home)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (0, b"", b"")
    assert daemons(home) == []


def test_twenty_agents_share_one_daemon_and_outlive_it(home: Path) -> None:
    async def talk(number: int, is_killed: asyncio.Barrier, killed: list[int]) -> list[str]:
        async with Client(pipe_of(home)) as client:
            first = await client.call_tool("remember", {"text": f"Said by {number}.", "key": f"one-{number}"})
            await is_killed.wait()
            if number == 0:
                killed.extend(daemons(home))
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)
            await is_killed.wait()
            again = await client.call_tool("recall", {"query": f"Said by {number}"})
            assert not again.is_error, again.content
            return [first.structured_content["id"], *(hit["id"] for hit in again.structured_content["hits"])]

    async def all_of_them() -> tuple[list[list[str]], list[int]]:
        is_killed, killed = asyncio.Barrier(CLIENTS), list[int]()
        return await asyncio.gather(*(talk(number, is_killed, killed) for number in range(CLIENTS))), killed

    said, killed = asyncio.run(all_of_them())
    assert len(killed) == 1
    assert len(daemons(home)) == 1
    assert daemons(home) != killed
    assert len({first for first, *_ in said}) == CLIENTS


def test_absent_daemon_is_started_once_however_many_ask(home: Path) -> None:
    program = "from clients.start import ensure_started; print(ensure_started(deadline_s=40))"
    environ = {"MEMORYD_HOME": str(home), **SETTINGS, "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
    environ["ANTHROPIC_API_KEY"] = "an agent's own"

    def ask(_: int) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], env=environ, cwd=PIPE.parent.parent, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"True"}
    (pid,) = daemons(home)
    assert is_owned(Places(str(home / "state"), str(home / "config")))
    assert b"ANTHROPIC_API_KEY" not in Path(f"/proc/{pid}/environ").read_bytes()
