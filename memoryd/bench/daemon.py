"""A daemon of one's own on a folder, for benchmarks, the demo and tests: started, asked over its socket, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from clients.endpoint import DaemonUnreachable, Places
from clients.http import Client, ProblemError
from memoryd.errors import StartFailed

START_S = 60.0
STOP_S = 20.0
STORES_FAILED = "stores-failed"
"""The slug of the problem that no waiting will cure."""
SERVE = ("memoryd.cli", "serve")
_POLL_S = 0.05


class OwnDaemon:
    """A daemon process on a home folder, as a context manager.

    Args:
        home: Becomes ``MEMORYD_HOME``.
        settings: Options as variables, such as ``{"MEMORYD_ENGINE__KIND": "exact"}``. Options of the caller's own
            environment do not reach the daemon: its results must not depend on who runs it.
        program: The module that is run, and its arguments.
    """

    def __init__(
        self, home: Path, settings: Mapping[str, str] | None = None, *, program: Sequence[str] = SERVE
    ) -> None:
        self.home = home
        self._program = tuple(program)
        self._environ = {key: value for key, value in os.environ.items() if not key.startswith("MEMORYD_")}
        self._environ |= {"MEMORYD_HOME": str(home), **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._client: Client | None = None

    @property
    def pid(self) -> int:
        """The process id of the running daemon."""
        assert self._process is not None, "the daemon was not started"
        return self._process.pid

    @property
    def client(self) -> Client:
        """A client of the running daemon."""
        assert self._client is not None, "the daemon was not started"
        return self._client

    @property
    def output(self) -> str:
        """What the daemon wrote to stderr so far."""
        return self._output_file.read_text("utf-8", "replace") if self._output_file.exists() else ""

    @property
    def _output_file(self) -> Path:
        return self.home / "serve.out"

    def start(self, timeout_s: float = START_S) -> Self:
        """Start it and wait until its stores are open.

        Raises:
            StartFailed: It ended, or is not ready in time; the message has its last words.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        with self._output_file.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - our own modules
                [sys.executable, "-P", "-m", *self._program],
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            self._wait_until_ready(timeout_s)
        except BaseException:
            # Whoever did not get a daemon has none to end either.
            self.kill()
            raise
        return self

    def _wait_until_ready(self, timeout_s: float) -> None:
        assert self._process is not None
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise StartFailed(f"the daemon ended with code {self._process.returncode}: {self.output[-2000:]}")
            if self._is_ready():
                return
            time.sleep(_POLL_S)
        raise StartFailed(f"the daemon was not ready within {timeout_s:g} s: {self.output[-2000:]}")

    def wait_until_indexed(self, timeout_s: float, *, progress: Any = None) -> None:
        """Wait until nothing is pending; ``progress`` is called with the number of what is left.

        Raises:
            StartFailed: It takes longer.
        """
        deadline = time.monotonic() + timeout_s
        while (pending := self.get("/v1/status")["pending"]) > 0:
            if progress is not None:
                progress(pending)
            if time.monotonic() > deadline:
                raise StartFailed(f"{pending} pieces are still not indexed after {timeout_s:g} s")
            time.sleep(_POLL_S * 4)

    def get(self, path: str, **query: Any) -> Any:
        """Return the body of a GET."""
        return self.client.call("GET", path, query=query).body

    def post(self, path: str, body: Mapping[str, Any], **headers: str) -> Any:
        """Return the body of a POST; ``headers`` are written with ``_`` for ``-``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.call("POST", path, body=body, headers=named).body

    def stop(self, timeout_s: float = STOP_S) -> int:
        """Stop it by SIGTERM and return its exit code; it is killed if that takes too long."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise StartFailed(f"the daemon did not stop within {timeout_s:g} s: {self.output[-2000:]}") from None

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self if self._process is not None else self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if kind is None:
            self.stop()
        else:
            self.kill()

    def _is_ready(self) -> bool:
        try:
            self._client = Client.find(Places(str(self.home / "state"), str(self.home / "config")), timeout_s=120.0)
            if self._client.endpoint.pid != self.pid:
                return False
            self._client.call("GET", "/readyz", timeout_s=10.0)
        except ProblemError as problem:
            if problem.slug == STORES_FAILED:
                raise StartFailed(str(problem)) from problem
            return False
        except DaemonUnreachable:
            return False
        return True
