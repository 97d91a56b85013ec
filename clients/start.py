"""Starting the daemon for whoever finds it absent: once, in the background, and never against the user's word.

``memoryd down`` means down, so its marker is obeyed. Where our unit is installed, the service manager is asked;
else a detached process is started. A lock and a record of the last start keep twenty programs that find the daemon
absent at one moment from starting twenty.
"""

# ruff: noqa: PTH103, PTH110, PTH111, PTH118, PTH123 - as in clients.endpoint: a hook imports this

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from clients.endpoint import DaemonUnreachable, Places, find_places, is_alive, is_owned, read_endpoint

UNIT = "memoryd.service"
LABEL = "org.memoryd.memoryd"
"""The names under which the service managers know us."""
STATE_LINE = "# memoryd-state: "
"""A line of this beginning in the systemd unit says whose daemon it starts."""

_STARTING_S = 60.0
_BACK_OFF_S = 10.0
_MANAGER_S = 2.0
_CONNECT_S = 1.0
_POLL_S = 0.05
_FILE_MODE = 0o600
_KEPT = frozenset({"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH"})
_KEPT_BEGINNINGS = ("LC_", "XDG_", "MEMORYD_", "SSL_CERT_", "DBUS_SESSION_BUS_")
_KEPT_ENDS = ("_PROXY", "_CA_BUNDLE")

_CHILD_MARK = "MEMORYD_CHILD"

_started: dict[int, subprocess.Popen[bytes]] = {}


def ensure_started(home: str | None = None, deadline_s: float = 10.0) -> bool:
    """See to it that a daemon runs, and tell whether one accepts connections within the deadline.

    It may then still be opening its stores; calls wait for that. Nothing is raised: who is refused a start is told
    ``False``, and the next call to the daemon says why nobody answers.

    Args:
        home: The folder that ``MEMORYD_HOME`` would name; ``None``: as the environment says.
        deadline_s: How long to wait; with 0 the daemon is started and not waited for.
    """
    environ = dict(os.environ) if home is None else {**os.environ, "MEMORYD_HOME": home}
    places = find_places(environ)
    end = time.monotonic() + deadline_s
    has_tried = False
    while True:
        if accepts(places):
            if has_tried:
                _note_success(places)
            return True
        if is_down(places):
            return False
        if not is_owned(places):
            has_tried = True
            try:
                _start_once(places, environ)
            except OSError:
                return False
        if time.monotonic() >= end:
            return False
        time.sleep(_POLL_S)


def is_down(places: Places) -> bool:
    """Tell whether the user wants the daemon down."""
    return os.path.exists(os.path.join(places.config, "down"))


def accepts(places: Places) -> bool:
    """Tell whether the daemon of this memory accepts connections now."""
    try:
        endpoint = read_endpoint(places)
    except DaemonUnreachable:
        return False
    address = urlsplit(endpoint.url)
    targets: list[tuple[socket.AddressFamily, str | tuple[str, int]]] = []
    if endpoint.socket:
        targets.append((socket.AF_UNIX, endpoint.socket))
    if is_owned(places):
        targets.append((socket.AF_INET, (address.hostname or "", address.port or 0)))
    return any(_connects(family, target) for family, target in targets)


def find_unit(places: Places, environ: Mapping[str, str], platform: str = sys.platform) -> list[str] | None:
    """Return the command that asks the service manager to start this memory's daemon; ``None`` without our unit."""
    if platform == "darwin":
        return _find_agent(places)
    folder = environ.get("XDG_CONFIG_HOME", "").strip() or os.path.expanduser("~/.config")
    try:
        with open(os.path.join(folder, "systemd", "user", UNIT), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    # A unit of another memory starts another daemon.
    if STATE_LINE + places.state not in lines:
        return None
    return ["systemctl", "--user", "--no-block", "start", UNIT]


def pass_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what of an environment the daemon gets: an agent's keys and settings are none of its business."""
    return {
        name: value
        for name, value in environ.items()
        if name != _CHILD_MARK
        and (name in _KEPT or name.startswith(_KEPT_BEGINNINGS) or name.upper().endswith(_KEPT_ENDS))
    }


def _start_once(places: Places, environ: Mapping[str, str]) -> None:
    os.makedirs(places.state, 0o700, exist_ok=True)
    descriptor = os.open(os.path.join(places.state, "start.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_owned(places) or _is_recent(descriptor):
            return
        asked = find_unit(places, environ)
        pid = 0 if asked is not None and _ask_manager(asked, environ) else _start_detached(places, environ)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{pid} {time.time():.3f}\n".encode("ascii"), 0)
    except BlockingIOError:
        return  # Another program starts it at this moment.
    finally:
        os.close(descriptor)


def _note_success(places: Places) -> None:
    """Take the record of the start away: it went well, so a daemon that ends soon may be started again at once."""
    with contextlib.suppress(OSError):
        os.truncate(os.path.join(places.state, "start.lock"), 0)


def _is_recent(descriptor: int) -> bool:
    """Tell whether the last start is under way, or failed so lately that another would fail as well."""
    try:
        pid, at = os.pread(descriptor, 64, 0).decode("ascii").split()
        age_s, number = time.time() - float(at), int(pid)
    except ValueError:
        return False
    if age_s < 0:
        return False
    return age_s < (_STARTING_S if _is_running(number) else _BACK_OFF_S)


def _is_running(pid: int) -> bool:
    if pid in _started:
        # An ended child of our own stays a process until it is asked for.
        return _started[pid].poll() is None
    return is_alive(pid)


def _start_detached(places: Places, environ: Mapping[str, str]) -> int:
    log = os.path.join(places.state, "log")
    os.makedirs(log, 0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
    output = os.open(os.path.join(log, "start.log"), flags, _FILE_MODE)
    try:
        # -P keeps the working directory off the import path: a project's folder of our name must not be loaded.
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "memoryd.cli", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=pass_on(environ),
            start_new_session=True,
        )
    finally:
        os.close(output)
    _started[child.pid] = child
    return child.pid


def _ask_manager(command: list[str], environ: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=_MANAGER_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _find_agent(places: Places) -> list[str] | None:
    import plistlib  # noqa: PLC0415 - only where a daemon is to be started on macOS

    try:
        with open(os.path.expanduser(f"~/Library/LaunchAgents/{LABEL}.plist"), "rb") as file:
            variables = plistlib.load(file).get("EnvironmentVariables", {})
        is_of_another = find_places(variables, "darwin").state != places.state
    except Exception:  # noqa: BLE001 - whatever lies there instead, it is no agent of ours
        return None
    if is_of_another:
        return None
    return ["launchctl", "kickstart", f"gui/{os.getuid()}/{LABEL}"]


def _connects(family: socket.AddressFamily, target: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_S)
        try:
            probe.connect(target)
        except (OSError, ValueError, OverflowError):
            return False
    return True
