"""The service manager of this system: systemd or launchd, asked through their own programs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memoryd.errors import StartFailed
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


@dataclass(frozen=True, slots=True)
class Removed:
    """The files that were taken away, and why the manager could not be told, in words, if it could not."""

    files: list[Path]
    problem: str | None = None


class Manager(Protocol):
    """What ``memoryd service`` needs of a manager. Everything raises StartFailed with the manager's own words."""

    @property
    def files(self) -> list[Path]:
        """The files of ours that there are."""
        ...

    def install(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> list[Path]:
        """Write the files, take them in and start the daemon; return the files."""
        ...

    def uninstall(self) -> Removed:
        """Stop the daemon and take the files away, also where the manager cannot be reached. Nothing is raised."""
        ...

    def start(self) -> None:
        """Have what is installed started, and wait for nothing."""
        ...

    def stop(self) -> None:
        """Have it stopped, whatever would start it at a connection too, and wait for nothing."""
        ...

    def main_pid(self) -> int | None:
        """Return the process that the manager runs now, if it runs one."""
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
        """Write the units, enable and start them; where that fails, the units are as they were."""
        self._folder.mkdir(parents=True, exist_ok=True)
        written = {self._folder / UNIT: render_unit(paths, serve_command(), places_of(environ))}
        if socket:
            written[self._folder / SOCKET] = render_socket(paths)
        with _put_back(written, self._forget):
            for path, text in written.items():
                write_private(path, text.encode())
            _run("systemctl", "--user", "daemon-reload")
            _run("systemctl", "--user", "enable", *(path.name for path in written))
            # The socket waits for somebody to connect; without it the daemon starts now.
            _run("systemctl", "--user", "restart", SOCKET if socket else UNIT)
        return [*written]

    def uninstall(self) -> Removed:
        """Stop and disable the units, and remove them."""
        found = self.files
        if not found:
            return Removed([])
        problem = self._forget(found)
        for path in found:
            path.unlink(missing_ok=True)
        with suppress(StartFailed):  # the first call said why
            _run("systemctl", "--user", "daemon-reload")
        return Removed(found, problem)

    def _forget(self, files: Sequence[Path]) -> str | None:
        """Stop and disable units; return why that could not be, if it could not."""
        names = [path.name for path in reversed(files)]
        try:
            _run("systemctl", "--user", "disable", "--now", *names)
        except StartFailed as error:
            for name in names:
                # What `enable` made, so that no login looks for a unit that is gone.
                for link in self._folder.glob(f"*.wants/{name}"):
                    link.unlink(missing_ok=True)
            return str(error)
        return None

    def start(self) -> None:
        """Start the units; one that failed too often lately gets another chance, since a person asks."""
        names = self._names()
        _run("systemctl", "--user", "reset-failed", *names, may_fail=True)
        _run("systemctl", "--user", "--no-block", "start", *names)

    def stop(self) -> None:
        """Stop the units; with the socket left there, the next hook would start the service again."""
        _run("systemctl", "--user", "--no-block", "stop", *self._names())

    def main_pid(self) -> int | None:
        """Return the unit's main process."""
        said = _run("systemctl", "--user", "show", UNIT, "--property=MainPID").strip().removeprefix("MainPID=")
        return int(said) if said.isdecimal() and said != "0" else None

    def _names(self) -> list[str]:
        return [path.name for path in reversed(self.files)]

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
        self._target = f"{self._domain}/{LABEL}"

    @property
    def files(self) -> list[Path]:
        """The agent, if there is one."""
        return [self._file] if self._file.exists() else []

    def install(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> list[Path]:
        """Write the agent and load it; where that fails, the agent is as it was."""
        if socket:
            raise StartFailed("--socket is for systemd; launchd starts the daemon at the login")
        for folder in (self._file.parent, self._home / "Library" / "Logs" / "memoryd"):
            folder.mkdir(parents=True, exist_ok=True)
        if self.files:
            _run("launchctl", "bootout", self._target, may_fail=True)
        with _put_back([self._file], lambda _: None):
            write_private(self._file, render_agent(paths, serve_command(), places_of(environ), self._home))
            _run("launchctl", "bootstrap", self._domain, str(self._file))
        return [self._file]

    def uninstall(self) -> Removed:
        """Unload the agent and remove it."""
        found, problem = self.files, None
        if found:
            try:
                # It fails where the agent is not loaded, which is what is wanted.
                _run("launchctl", "bootout", self._target, may_fail=True)
            except StartFailed as error:
                problem = str(error)
        for path in found:
            path.unlink(missing_ok=True)
        return Removed(found, problem)

    def start(self) -> None:
        """Start the agent; one that was never loaded in this session is loaded."""
        if "pid = " not in _run("launchctl", "print", self._target, may_fail=True):
            _run("launchctl", "bootstrap", self._domain, str(self._file), may_fail=True)
        _run("launchctl", "kickstart", self._target)

    def stop(self) -> None:
        """Tell the agent's process to end: an end without a failure is not made up for."""
        _run("launchctl", "kill", "SIGTERM", self._target)

    def main_pid(self) -> int | None:
        """Return the agent's process."""
        found = re.search(r"^\s*pid = (\d+)$", _run("launchctl", "print", self._target, may_fail=True), re.MULTILINE)
        return int(found[1]) if found else None

    def status(self) -> str:
        """Return what launchd prints of the agent."""
        return _run("launchctl", "print", self._target)

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Show the daemon's own log."""
        return _tail(paths, lines, follow=follow)


def find_manager(environ: Mapping[str, str], platform: str = sys.platform, *, needs_program: bool = True) -> Manager:
    """Return the manager of this system; its files can be taken away without its program.

    Raises:
        StartFailed: There is none that we know.
    """
    program = "launchctl" if platform == "darwin" else "systemctl"
    if needs_program and shutil.which(program, path=environ.get("PATH")) is None:
        raise StartFailed(
            f"there is no {program} here, so no service can be installed; `memoryd up` starts the daemon without one"
        )
    return Launchd() if platform == "darwin" else Systemd(environ)


@contextmanager
def _put_back(paths: Iterable[Path], forget: Callable[[Sequence[Path]], object]) -> Iterator[None]:
    """Give files what they held before, where what is done meanwhile fails; the manager forgets those that were new."""
    before = {path: path.read_bytes() if path.exists() else None for path in paths}
    try:
        yield
    except BaseException:
        new = [path for path, data in before.items() if data is None and path.exists()]
        if new:
            forget(new)
        for path, data in before.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                write_private(path, data)
        raise


def _tail(paths: Paths, lines: int, *, follow: bool) -> list[str]:
    return ["tail", "-n", str(lines), *(["-F"] if follow else []), str(paths.log / "memoryd.log")]


def _run(*words: str, may_fail: bool = False) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_WAIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartFailed(f"{_shown(words)} did not run: {type(error).__name__}") from error
    if done.returncode and not may_fail:
        said = " ".join((done.stderr or done.stdout).split())
        raise StartFailed(f"{_shown(words)} failed with code {done.returncode}: {said}")
    return done.stdout


def _shown(words: Sequence[str]) -> str:
    return f"`{' '.join(words)}`"
