"""Where the daemon of this user listens: found without importing the daemon, which would take too long.

The rules are those of the daemon's own ``memoryd.paths``; a test compares the two.
"""

# ruff: noqa: PTH100, PTH111, PTH118, PTH123 - pathlib would take a good part of the 30 ms in which a hook starts

from __future__ import annotations

import fcntl
import os
import sys

from clients.jsontext import read_json

# What is only said in annotations is not imported; data classes and named tuples would take as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_HOLDER_LOCK = "lock"


class DaemonUnreachable(Exception):
    """No daemon answers; the message says why and how to start it."""


class Places:
    """The two folders that a client reads: ``state`` says where the daemon is, ``config`` holds the token."""

    __slots__ = ("config", "state")

    def __init__(self, state: str, config: str) -> None:
        self.state = state
        self.config = config

    @property
    def endpoint_file(self) -> str:
        """Where the running daemon says how it is reached."""
        return os.path.join(self.state, "endpoint.json")

    @property
    def token_file(self) -> str:
        """The bearer token."""
        return os.path.join(self.config, "token")


class Endpoint:
    """How a daemon is reached; ``pid`` is its process."""

    __slots__ = ("pid", "socket", "url", "version")

    def __init__(self, url: str, socket: str, pid: int, version: str) -> None:
        self.url = url
        self.socket = socket
        self.pid = pid
        self.version = version


def find_places(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Places:
    """Return the folders for this environment; they need not exist."""
    environ = os.environ if environ is None else environ
    if home := environ.get("MEMORYD_HOME"):
        root = os.path.abspath(os.path.expanduser(home))
        return Places(os.path.join(root, "state"), os.path.join(root, "config"))
    if platform == "darwin":
        root = os.path.expanduser("~/Library/Application Support/memoryd")
        return Places(os.path.join(root, "state"), os.path.join(root, "config"))
    state = _xdg(environ, "XDG_STATE_HOME", "~/.local/state")
    config = _xdg(environ, "XDG_CONFIG_HOME", "~/.config")
    return Places(os.path.join(state, "memoryd"), os.path.join(config, "memoryd"))


def read_endpoint(places: Places) -> Endpoint:
    """Return where the daemon listens.

    Raises:
        DaemonUnreachable: It does not run, or what it left behind cannot be read.
    """
    try:
        with open(places.endpoint_file, "rb") as file:
            record = read_json(file.read().decode("utf-8"))
        if not isinstance(record, dict):
            raise TypeError("no object")  # noqa: TRY301 - as any other file that is none of ours
        endpoint = Endpoint(str(record["url"]), str(record["socket"]), int(record["pid"]), str(record["version"]))
    except FileNotFoundError as error:
        raise DaemonUnreachable("the daemon does not run; `memoryd up` starts it") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DaemonUnreachable(
            f"{places.endpoint_file} cannot be read; `memoryd doctor --repair` puts it right"
        ) from error
    if not is_alive(endpoint.pid):
        raise DaemonUnreachable(f"the daemon (pid {endpoint.pid}) ended without a word; `memoryd up` starts it again")
    return endpoint


def read_token(places: Places) -> str:
    """Return the bearer token.

    Raises:
        DaemonUnreachable: It cannot be read.
    """
    try:
        with open(places.token_file, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError) as error:
        raise DaemonUnreachable(f"the token {places.token_file} cannot be read; `memoryd doctor` tells more") from error


def is_owned(places: Places) -> bool:
    """Tell whether a daemon holds the lock of this memory now.

    A dead daemon's port may belong to anyone; only while its lock is held may the token be sent there.
    """
    try:
        descriptor = os.open(os.path.join(places.state, _HOLDER_LOCK), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _xdg(environ: Mapping[str, str], name: str, default: str) -> str:
    given = environ.get(name, "").strip()
    return given or os.path.expanduser(default)


def is_alive(pid: int) -> bool:
    """Tell whether there is a process with this id, whoever's it is."""
    # Zero and less name groups of processes, not one.
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    except PermissionError:
        return True
    return True
