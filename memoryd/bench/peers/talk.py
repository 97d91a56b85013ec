"""A conversation with a process: one JSON object a line in each direction, never waiting for ever."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memoryd.bench.peers.errors import PeerUnavailable

STOP_S = 10.0
_PROTOCOL = "2024-11-05"
_LAST_WORDS = 600


class Talk:
    """A process that is told lines and answers in lines, as a context manager.

    Args:
        command: The program and its arguments.
        environ: Its whole environment.
        said: A file for what it writes to stderr.
    """

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], said: Path) -> None:
        self._said = said
        try:
            with said.open("ab") as out:
                self._process = subprocess.Popen(  # noqa: S603 - a program that the caller of the benchmark named
                    list(command),
                    env=dict(environ),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=out,
                    start_new_session=True,
                )
        except OSError as error:
            raise PeerUnavailable(f"{command[0]} cannot be started: {error}") from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="peer", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send one object.

        Raises:
            PeerUnavailable: The process has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message, ensure_ascii=True).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise PeerUnavailable(f"it ended: {self._last_words()}") from error

    def hear(self, timeout_s: float) -> dict[str, Any]:
        """Return the next object; lines that are none are passed over.

        Raises:
            PeerUnavailable: The process ended, or says nothing for so long.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise PeerUnavailable(f"it did not answer within {timeout_s:g} s: {self._last_words()}") from None
            if line is None:
                self._lines.put(None)
                raise PeerUnavailable(f"it ended: {self._last_words()}")
            with contextlib.suppress(ValueError):
                heard = json.loads(line)
                if isinstance(heard, dict):
                    return heard

    def ask(self, message: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one object and return the answer.

        Raises:
            PeerUnavailable: It ended, is silent, or its answer is an ``error``.
        """
        self.tell(message)
        heard = self.hear(timeout_s)
        if "error" in heard:
            raise PeerUnavailable(str(heard["error"])[-_LAST_WORDS:])
        return heard

    def close(self) -> None:
        """Close its input, and end it if that is not enough."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _last_words(self) -> str:
        said = self._said.read_text("utf-8", "replace").strip() if self._said.exists() else ""
        return said[-_LAST_WORDS:] or "it said nothing"


class ToolTalk:
    """The tools of a process that speaks MCP over its standard streams."""

    def __init__(self, talk: Talk, *, start_s: float) -> None:
        self._talk = talk
        self._number = 0
        hello = {
            "protocolVersion": _PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "memoryd-bench", "version": "1"},
        }
        self._request("initialize", hello, start_s)
        talk.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> Any:
        """Return what a tool's text holds, read as JSON.

        Raises:
            PeerUnavailable: It fails, or its text is no JSON.
        """
        result = self._request("tools/call", {"name": tool, "arguments": dict(arguments)}, timeout_s)
        text = "".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise PeerUnavailable(f"{tool} failed: {text[:_LAST_WORDS]}")
        try:
            return json.loads(text)
        except ValueError as error:
            raise PeerUnavailable(f"{tool} answered no JSON: {text[:_LAST_WORDS]}") from error

    def _request(self, method: str, parameters: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        self._number += 1
        self._talk.tell({"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(parameters)})
        deadline = time.monotonic() + timeout_s
        while True:
            heard = self._talk.hear(max(deadline - time.monotonic(), 0.001))
            if heard.get("id") != self._number or "method" in heard:
                continue  # a notification, or a question of the server, which needs no answer here
            if "error" in heard:
                raise PeerUnavailable(f"{method}: {heard['error']}"[:_LAST_WORDS])
            return dict(heard.get("result") or {})
