"""A Milvus on loopback, as a team's server would be: the binary of Milvus Lite 2.5 behind a TCP address."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import milvus_lite

LIBRARIES = Path(milvus_lite.__file__).parent / "lib"
START_S = 20.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class MilvusServer:
    """One server on one file and one port; it may be killed, halted and started again."""

    def __init__(self, file: Path) -> None:
        self.port = free_port()
        self._file = file
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> MilvusServer:
        self._process = subprocess.Popen(
            [LIBRARIES / "milvus", self._file, f"127.0.0.1:{self.port}", "ERROR"],
            env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES), "DYLD_LIBRARY_PATH": str(LIBRARIES)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while not self._listens():
            assert self._process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.02)
        return self

    def halt(self) -> None:
        """Let it hang: it is there, and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _listens(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=0.2):
                return True
        except OSError:
            return False
