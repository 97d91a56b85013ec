"""The child process of Milvus Lite: started in a private folder, watched, and stopped without a trace.

The library starts its C++ server on a socket in the public temporary folder, waits a fixed half second and lets it
write to our standard output. Here the socket, the temporary files and the output lie in a folder that only the owner
can enter, and the start ends when the socket is there. The library's server manager stays the one that releases it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from episodic.engine.deadline import remaining
from episodic.engine.orphan import end_orphan, note_child
from episodic.errors import EngineUnavailable
from memoryd.text.canonical import digest

START_TIMEOUT_S = 20.0
LOCK_TIMEOUT_S = 10.0
MAX_SOCKET_BYTES = 103
"""The shortest ``sun_path`` among the systems we run on holds 104 bytes, one of them the end mark."""

_POLL_S = 0.01


class DatabaseLocked(EngineUnavailable):
    """Another process holds the database file."""


class LiteServer:
    """One running child for one database file."""

    def __init__(self, database: Path, runtime: Path) -> None:
        """Prepare, without starting anything.

        Args:
            database: The database file; its folder must exist.
            runtime: A private folder (0700) for the socket and temporary files.
        """
        self._database = database.absolute().resolve()
        self._folder = runtime / "engine"
        self._socket = self._folder / f"{digest(str(self._database), length=8)}.sock"
        self._note = self._socket.with_suffix(".pid")
        self._log = self._socket.with_suffix(".log")
        self._temporary = self._socket.with_suffix(".tmp")
        self._server: Any = None

    @property
    def database(self) -> Path:
        """The database file."""
        return self._database

    @property
    def address(self) -> str:
        """The socket's address for a client."""
        return f"unix:{self._socket}"

    def start(self) -> None:
        """Start the child and wait until it listens.

        Raises:
            DatabaseLocked: Another process keeps the database locked.
            EngineUnavailable: The package is not installed, the child does not start, or the socket's path is too long.
        """
        deadline = time.monotonic() + remaining(START_TIMEOUT_S)
        length = len(os.fsencode(self._socket))
        if length > MAX_SOCKET_BYTES:
            raise EngineUnavailable(
                f"the socket's path {self._socket} has {length} bytes, a system allows {MAX_SOCKET_BYTES}; "
                "choose a shorter runtime folder"
            )
        try:
            from milvus_lite.server import Server  # noqa: PLC0415 - slow, and missing on some platforms
            from milvus_lite.server_manager import server_manager_instance  # noqa: PLC0415 - as above
        except ImportError as error:
            raise EngineUnavailable(f"milvus-lite cannot be loaded here: {error}") from error
        try:
            server = Server(str(self._database))
        except RuntimeError as error:
            raise EngineUnavailable(f"milvus-lite refuses the name of its database: {error}") from error
        server._uds_path = str(self._socket)  # noqa: SLF001 - the one way to choose the socket's folder
        end_orphan(self._note, self._database)
        _take_lock(server, min(deadline, time.monotonic() + LOCK_TIMEOUT_S))
        self._server = server
        try:
            self._prepare_folder()
            server._p = self._spawn(server.args, str(server._bin_path))  # noqa: SLF001 - the library keeps it there
            note_child(self._note, server._p.pid)  # noqa: SLF001 - as above
        except OSError as error:
            self._server = None
            server.stop()
            raise EngineUnavailable(f"milvus-lite cannot be started in {self._folder}: {error.strerror}") from error
        with server_manager_instance._lock:  # noqa: SLF001 - so that its release_server() finds our server
            server_manager_instance._servers[str(self._database)] = server  # noqa: SLF001 - as above
        self._wait(deadline)

    def is_alive(self) -> bool:
        """Tell whether the child runs."""
        process = None if self._server is None else self._server._p  # noqa: SLF001 - the library keeps it there
        return process is not None and process.poll() is None

    def kill(self) -> None:
        """End the child at once, also one that is stopped or hangs; ``stop`` clears up after it."""
        process = None if self._server is None else self._server._p  # noqa: SLF001 - the library keeps it there
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """Stop the child and wait until it is gone; the lock and the socket go with it."""
        if self._server is None:
            return
        from milvus_lite.server_manager import server_manager_instance  # noqa: PLC0415 - it is loaded by now

        server, self._server = self._server, None
        server_manager_instance.release_server(str(self._database))
        # Once more, whenever the object is collected, the library unlinks both; by then they may be the next child's.
        server._lock_path = server._uds_path = f"{server._lock_path}.none"  # noqa: SLF001 - the one way to stop it
        with contextlib.suppress(OSError):
            self._note.unlink(missing_ok=True)
            shutil.rmtree(self._temporary)

    def _prepare_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        shutil.rmtree(self._temporary, ignore_errors=True)  # logs of a child that was killed
        self._temporary.mkdir(mode=0o700)
        self._socket.unlink(missing_ok=True)
        # The child would make these with the umask's mode.
        for path in (self._database, self._log):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))

    def _spawn(self, command: list[Any], libraries: str) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen(  # noqa: S603 - the library's own binary, started as the library starts it
                command,
                env=self._environment(libraries),
                cwd=self._database.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _environment(self, libraries: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in {"LD_LIBRARY_PATH", "TMPDIR", "HOME"}}
        return {
            **kept,
            "LD_LIBRARY_PATH": libraries,
            "DYLD_LIBRARY_PATH": libraries,
            "TMPDIR": str(self._temporary),
            # It makes a cache below the home folder, and answers no search where it cannot.
            "HOME": str(self._temporary),
        }

    def _wait(self, deadline: float) -> None:
        while not self._socket.exists():
            if not self.is_alive() or time.monotonic() > deadline:
                log = self._log.read_text(errors="replace").strip()[-300:]
                self.stop()
                raise EngineUnavailable(f"milvus-lite did not start on {self._database.name}. Its last words: {log!r}")
            time.sleep(_POLL_S)


def _take_lock(server: Any, deadline: float) -> None:
    """Take the lock by whose loss the child learns that its parent is gone."""
    server._lock_fd = open(server._lock_path, "a")  # noqa: PTH123, SIM115, SLF001 - the library closes it in stop()
    os.fchmod(server._lock_fd.fileno(), 0o600)  # noqa: SLF001 - as above
    while True:
        try:
            fcntl.lockf(server._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # noqa: SLF001 - as above
        except OSError as error:
            # The child of a daemon that was just killed lets go within moments.
            if time.monotonic() > deadline:
                server._lock_fd.close()  # noqa: SLF001 - as above
                server._lock_fd = None  # noqa: SLF001 - as above
                # The library unlinks both when it lets go of the object; these are the other process's.
                server._lock_path = server._uds_path = f"{server._lock_path}.none"  # noqa: SLF001 - as above
                raise DatabaseLocked(f"{server._db_file.name} is held by another process") from error  # noqa: SLF001
            time.sleep(_POLL_S)
        else:
            return
