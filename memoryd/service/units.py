"""What a service manager is told: a systemd user unit with its socket, and a launchd agent.

Every path is quoted by the rules of the file that it stands in, so that a home with spaces, quotes or per cent signs
is a home like any other.
"""

from __future__ import annotations

import plistlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from memoryd.errors import PathUnusable
from memoryd.paths import Paths

UNIT = "memoryd.service"
SOCKET = "memoryd.socket"
LABEL = "org.memoryd.memoryd"
STATE_LINE = "# memoryd-state: "
"""A client reads from a line of this beginning whose daemon the unit starts; a test compares it with the client's."""
WATCHDOG_S = 60
START_S = 300
STOP_S = 60

_PLACES = ("MEMORYD_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
_UNFIT = frozenset("'\"\\")
_UNLESS_DOWN = '[ -e "$0" ] || exec "$@"'


def serve_command() -> list[str]:
    """Return what runs the daemon: this interpreter, whose working folder is kept off the import path."""
    return [sys.executable, "-P", "-m", "memoryd.cli", "serve"]


def places_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that say where this memory lies; a manager starts us without the user's shell."""
    return {name: environ[name] for name in _PLACES if environ.get(name, "").strip()}


def render_unit(paths: Paths, command: Sequence[str], variables: Mapping[str, str]) -> str:
    """Return the systemd user unit.

    The hardening is what works without privileges on every systemd: what needs a mount namespace of its own is left
    out, since user units before 254 ignore it in silence.

    Raises:
        PathUnusable: A path holds a line end, which no unit can.
    """
    lines = [
        "# Made by `memoryd service install`; `memoryd service uninstall` takes it away.",
        f"{STATE_LINE}{_one_line(str(paths.state))}",
        "[Unit]",
        "Description=memoryd, a local memory for coding agents",
        # `memoryd down` means down, for the manager too.
        f"ConditionPathExists=!{_specified(str(paths.down_marker))}",
        "StartLimitIntervalSec=120",
        "StartLimitBurst=5",
        "",
        "[Service]",
        "Type=notify",
        "NotifyAccess=main",
        f"ExecStart={_command_line(command)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in variables.items()),
        "WorkingDirectory=/",
        "Restart=on-failure",
        "RestartSec=2",
        f"TimeoutStartSec={START_S}",
        f"TimeoutStopSec={STOP_S}",
        # Only the daemon is told: it needs its engine until the last request is answered, and ends it itself.
        "KillMode=mixed",
        f"WatchdogSec={WATCHDOG_S}",
        "Nice=5",
        "UMask=0077",
        "NoNewPrivileges=yes",
        "LockPersonality=yes",
        "RestrictRealtime=yes",
        "RestrictSUIDSGID=yes",
        "RestrictNamespaces=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "SystemCallArchitectures=native",
        "SystemCallFilter=@system-service",
        "SystemCallErrorNumber=EPERM",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def render_socket(paths: Paths) -> str:
    """Return the systemd unit that listens on the Unix socket and starts the daemon at the first connection.

    Raises:
        PathUnusable: The path holds a line end.
    """
    lines = [
        "# Made by `memoryd service install --socket`; `memoryd service uninstall` takes it away.",
        "[Unit]",
        "Description=memoryd's socket",
        # A socket whose service may not start gives up at the first connection, and is failed from then on.
        f"ConditionPathExists=!{_specified(str(paths.down_marker))}",
        "",
        "[Socket]",
        f"ListenStream={_specified(str(paths.socket))}",
        "SocketMode=0600",
        "DirectoryMode=0700",
        "RemoveOnStop=yes",
        "",
        "[Install]",
        "WantedBy=sockets.target",
    ]
    return "\n".join(lines) + "\n"


def render_agent(paths: Paths, command: Sequence[str], variables: Mapping[str, str], home: Path) -> bytes:
    """Return the launchd agent as a property list.

    It is kept alive after a failure only, and starts nothing while the user wants the daemon down.
    """
    logs = home / "Library" / "Logs" / "memoryd"
    agent = {
        "Label": LABEL,
        "ProgramArguments": ["/bin/sh", "-c", _UNLESS_DOWN, str(paths.down_marker), *command],
        "EnvironmentVariables": {"PATH": "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin", **variables},
        "WorkingDirectory": "/",
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "ExitTimeOut": STOP_S,
        "Umask": 0o077,
        "StandardOutPath": str(logs / "serve.log"),
        "StandardErrorPath": str(logs / "serve.log"),
    }
    return plistlib.dumps(agent)


def _command_line(command: Sequence[str]) -> str:
    program, *arguments = command
    if _UNFIT.intersection(program):
        if "=" in program:
            raise PathUnusable(f"systemd can start no program at {program!r}; install memoryd at a plainer path")
        # systemd refuses these characters in a program's name, and in an argument takes any.
        program, arguments = "/usr/bin/env", [program, *arguments]
    return " ".join([_quoted(program), *(_quoted(one).replace("$", "$$") for one in arguments)])


def _quoted(text: str) -> str:
    """Return a word of a command line or an assignment, as systemd reads it."""
    return '"' + _specified(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _specified(text: str) -> str:
    """Return a text in which no per cent sign begins a specifier."""
    return _one_line(text).replace("%", "%%")


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise PathUnusable(f"{text!r} holds characters that no unit file can; move it to a plainer path")
    return text
