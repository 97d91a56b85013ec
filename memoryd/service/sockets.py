"""Where the daemon listens: one Unix socket and one port of the loopback, and the file that tells clients both."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import json
import os
import socket
import stat
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import PortBusy, SocketError
from memoryd.paths import FILE_MODE, Paths, write_private
from memoryd.service.lock import OwnerLock

LOOPBACK = "127.0.0.1"
"""By number: the name ``localhost`` may mean another address first."""

_BACKLOG = 128
_FIRST_PASSED = 3
_PROBE_S = 1.0


@dataclass(frozen=True, slots=True)
class Listening:
    """The sockets that are open, in the order in which a server takes them."""

    tcp: socket.socket
    unix: socket.socket
    path: Path
    identity: tuple[int, int] | None = None
    """Device and inode of the Unix socket's name: another's socket of that name is not ours to remove."""

    @property
    def port(self) -> int:
        """The TCP port, as the system gave it."""
        return int(self.tcp.getsockname()[1])

    @property
    def url(self) -> str:
        """The address for programs that cannot use the Unix socket."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def sockets(self) -> list[socket.socket]:
        """Both sockets."""
        return [self.unix, self.tcp]

    def close(self) -> None:
        """Close both, and take the Unix socket's name away where it is still ours."""
        # While our socket is open no other can have its inode; afterwards the number may be anybody's.
        is_ours = self.is_in_place
        for opened in self.sockets:
            opened.close()
        if is_ours:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)

    @property
    def is_in_place(self) -> bool:
        """Whether the Unix socket still stands under its name."""
        return self.identity is not None and _identity(self.path) == self.identity

    def rebind(self) -> Listening:
        """Return the same with a new Unix socket of the same name, for one whose name was deleted.

        Raises:
            SocketError: It cannot be made; the old ones stay as they are.
        """
        unix = bind_unix(self.path)
        return Listening(self.tcp, unix, self.path, _identity(self.path))


def open_sockets(paths: Paths, *, port: int, lock: OwnerLock, environ: MutableMapping[str, str]) -> Listening:
    """Listen on the loopback and on the Unix socket, using what the service manager passed where it passed any.

    Args:
        paths: Where the Unix socket goes.
        port: The TCP port; 0 takes any free one.
        lock: The owner's lock, held: only the owner may replace a socket that a killed daemon left.
        environ: The environment; the variables about passed sockets are taken out, so that no child reads them.

    Raises:
        PortBusy: Another program has the port.
        SocketError: Anything else that keeps us from listening.
    """
    if not lock.held:
        raise SocketError("only the owner of the memory may listen; take the lock first")
    # What a killed owner left names a port that may be anybody's by now.
    try:
        paths.endpoint_file.unlink(missing_ok=True)
    except OSError as error:
        raise SocketError(f"cannot take {paths.endpoint_file} away: {error.strerror}") from error
    passed = take_passed_sockets(environ)
    opened: list[socket.socket] = list(passed)
    try:
        tcp = next((s for s in passed if s.family in {socket.AF_INET, socket.AF_INET6}), None)
        unix = next((s for s in passed if s.family == socket.AF_UNIX), None)
        if tcp is None:
            opened.append(tcp := bind_tcp(port))
        else:
            _refuse_reachable(tcp)
        if unix is None:
            opened.append(unix := bind_unix(paths.socket))
        path = Path(os.fsdecode(unix.getsockname()))
        # The name of a socket that was passed belongs to the manager, which passes it to the next start.
        return Listening(tcp, unix, path, None if unix in passed else _identity(path))
    except BaseException:
        for one in opened:
            one.close()
        raise


def bind_tcp(port: int) -> socket.socket:
    """Listen on a port of the loopback.

    Raises:
        PortBusy: Another program has it.
        SocketError: It cannot be had for another reason.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((LOOPBACK, port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise PortBusy(
                f"another program listens on {LOOPBACK}:{port}; set service.port to a free port, or to 0 for any"
            ) from error
        raise SocketError(f"cannot listen on {LOOPBACK}:{port}: {error.strerror}") from error
    return opened


def bind_unix(path: Path) -> socket.socket:
    """Listen on a Unix socket that only the user can open; a dead one of that name is replaced.

    Raises:
        SocketError: Something else is there, or somebody answers on it, or it cannot be made.
    """
    _clear_stale(path)
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        opened.bind(os.fspath(path))
        path.chmod(FILE_MODE)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise SocketError(f"cannot listen on the socket {path}: {error.strerror or error}") from error
    finally:
        os.umask(mask)
    return opened


def take_passed_sockets(environ: MutableMapping[str, str]) -> list[socket.socket]:
    """Return the listening sockets that a service manager passed to this very process (``LISTEN_FDS``).

    Raises:
        SocketError: What was passed is no listening stream socket.
    """
    pid, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    environ.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isascii() or not count.isdigit():
        return []
    passed = []
    for descriptor in range(_FIRST_PASSED, _FIRST_PASSED + int(count)):
        try:
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - positional-only
            one = socket.socket(fileno=descriptor)
            listens = one.type == socket.SOCK_STREAM and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        except OSError as error:
            raise SocketError(f"descriptor {descriptor}, passed by the service manager, is no socket") from error
        if not listens:
            raise SocketError(f"descriptor {descriptor}, passed by the service manager, does not listen")
        passed.append(one)
    return passed


def publish_endpoint(paths: Paths, listening: Listening, *, version: str) -> None:
    """Tell clients where we listen. To be called once connections are accepted."""
    record = {"url": listening.url, "socket": str(listening.path), "pid": os.getpid(), "version": version}
    write_private(paths.endpoint_file, json.dumps(record).encode() + b"\n")


def withdraw_endpoint(paths: Paths) -> None:
    """Take the endpoint file away, if it is ours."""
    try:
        record = json.loads(paths.endpoint_file.read_bytes())
    except (OSError, ValueError):
        return
    if isinstance(record, dict) and record.get("pid") == os.getpid():
        with contextlib.suppress(OSError):
            paths.endpoint_file.unlink(missing_ok=True)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        info = path.lstat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _refuse_reachable(passed: socket.socket) -> None:
    address = passed.getsockname()[0]
    if not ipaddress.ip_address(address).is_loopback:
        raise SocketError(f"the passed socket listens on {address}, which others can reach; pass {LOOPBACK}")


def _clear_stale(path: Path) -> None:
    try:
        info = path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise SocketError(f"cannot look at {path}: {error.strerror}") from error
    if not stat.S_ISSOCK(info.st_mode):
        raise SocketError(f"{path} is in the way: it is no socket; move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            return
        except OSError as error:
            raise SocketError(f"cannot tell whether {path} is in use: {error.strerror or 'no answer'}") from error
    raise SocketError(f"another program answers on {path}; stop it, or set MEMORYD_HOME to another folder")
