"""The service manager of this system: systemd or launchd, asked through their own programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from memoryd.errors import StartError
from memoryd.paths import Paths, write_private
from memoryd.service.units import (
    LABEL,
    SOCKET,
    UNIT,
    places_of,
    render_agent,
    render_socket,
    render_unit,
    serve_command,
)

_WAIT_S = 330.0
"""Longer than a start may take: the manager answers when the daemon is ready."""


class Manager(Protocol):
    """What ``memoryd service`` needs of a manager. Everything raises StartError with the manager's own words."""

    @property
    def files(self) -> list[Path]:
        """The files of ours that there are."""
        ...

    def install(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> list[Path]:
        """Write the files, take them in and start the daemon; return the files."""
        ...

    def uninstall(self) -> list[Path]:
        """Stop the daemon and take the files away; return those that were there."""
        ...

    def status(self) -> str:
        """Return what the manager says of the daemon."""
        ...

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Return the program that shows the log, with its arguments."""
        ...


class Systemd:
    """User units below the user's configuration."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        base = environ.get("XDG_CONFIG_HOME", "").strip()
        self._folder = (Path(base) if base else Path("~/.config").expanduser()) / "systemd" / "user"

    @property
    def files(self) -> list[Path]:
        """The units of ours that there are."""
        return [path for name in (UNIT, SOCKET) if (path := self._folder / name).exists()]

    def install(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> list[Path]:
        """Write the units, enable and start them."""
        self._folder.mkdir(parents=True, exist_ok=True)
        written = {self._folder / UNIT: render_unit(paths, serve_command(), places_of(environ))}
        if socket:
            written[self._folder / SOCKET] = render_socket(paths)
        for path, text in written.items():
            write_private(path, text.encode())
        _run("systemctl", "--user", "daemon-reload")
        _run("systemctl", "--user", "enable", *(path.name for path in written))
        # The socket waits for somebody to connect; without it the daemon starts now.
        _run("systemctl", "--user", "restart", SOCKET if socket else UNIT)
        return [*written]

    def uninstall(self) -> list[Path]:
        """Stop and disable the units, and remove them."""
        found = self.files
        if found:
            _run("systemctl", "--user", "disable", "--now", *(path.name for path in reversed(found)))
        for path in found:
            path.unlink(missing_ok=True)
        if found:
            _run("systemctl", "--user", "daemon-reload")
        return found

    def status(self) -> str:
        """Return the state of the unit in systemd's words."""
        named = "ActiveState,SubState,MainPID,StatusText,NRestarts,UnitFileState"
        return _run("systemctl", "--user", "show", UNIT, f"--property={named}")

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Show the daemon's own log; what it says before that is in the journal of systemd."""
        return _tail(paths, lines, follow=follow)


class Launchd:
    """An agent of the user's session."""

    def __init__(self) -> None:
        self._home = Path.home()
        self._file = self._home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        self._domain = f"gui/{os.getuid()}"

    @property
    def files(self) -> list[Path]:
        """The agent, if there is one."""
        return [self._file] if self._file.exists() else []

    def install(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> list[Path]:
        """Write the agent and load it."""
        if socket:
            raise StartError("--socket is for systemd; launchd starts the daemon at the login")
        for folder in (self._file.parent, self._home / "Library" / "Logs" / "memoryd"):
            folder.mkdir(parents=True, exist_ok=True)
        if self.files:
            _run("launchctl", "bootout", f"{self._domain}/{LABEL}", may_fail=True)
        write_private(self._file, render_agent(paths, serve_command(), places_of(environ), self._home))
        _run("launchctl", "bootstrap", self._domain, str(self._file))
        return [self._file]

    def uninstall(self) -> list[Path]:
        """Unload the agent and remove it."""
        found = self.files
        if found:
            _run("launchctl", "bootout", f"{self._domain}/{LABEL}", may_fail=True)
        for path in found:
            path.unlink(missing_ok=True)
        return found

    def status(self) -> str:
        """Return what launchd prints of the agent."""
        return _run("launchctl", "print", f"{self._domain}/{LABEL}")

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Show the daemon's own log."""
        return _tail(paths, lines, follow=follow)


def find_manager(environ: Mapping[str, str], platform: str = sys.platform) -> Manager:
    """Return the manager of this system.

    Raises:
        StartError: There is none that we know.
    """
    program = "launchctl" if platform == "darwin" else "systemctl"
    if shutil.which(program, path=environ.get("PATH")) is None:
        raise StartError(
            f"there is no {program} here, so no service can be installed; `memoryd up` starts the daemon without one"
        )
    return Launchd() if platform == "darwin" else Systemd(environ)


def _tail(paths: Paths, lines: int, *, follow: bool) -> list[str]:
    return ["tail", "-n", str(lines), *(["-F"] if follow else []), str(paths.log / "memoryd.log")]


def _run(*words: str, may_fail: bool = False) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_WAIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartError(f"{_shown(words)} did not run: {type(error).__name__}") from error
    if done.returncode and not may_fail:
        said = " ".join((done.stderr or done.stdout).split())
        raise StartError(f"{_shown(words)} failed with code {done.returncode}: {said}")
    return done.stdout


def _shown(words: Sequence[str]) -> str:
    return f"`{' '.join(words)}`"
