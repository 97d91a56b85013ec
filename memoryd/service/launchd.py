"""The daemon in the hands of launchd: an agent of the user's session, asked for by ``launchctl``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from memoryd.errors import StartFailed
from memoryd.paths import Paths, write_private
from memoryd.service.process import wait_until
from memoryd.service.program import Removed, put_back, run, tail_of
from memoryd.service.units import LABEL, STOP_S, places_of, render_agent, serve_command


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
            run("launchctl", "bootout", self._target, may_fail=True)
            # It answers before the job has ended, and one that is still there cannot be loaded again.
            wait_until(lambda: not run("launchctl", "print", self._target, may_fail=True), timeout_s=STOP_S)
        with put_back([self._file], lambda _: None):
            write_private(self._file, self._data(paths, environ))
            run("launchctl", "bootstrap", self._domain, str(self._file))
        return [self._file]

    def is_current(self, paths: Paths, environ: Mapping[str, str]) -> bool:
        """Compare the agent with what this version would write, here."""
        return not self.files or self._file.read_bytes() == self._data(paths, environ)

    def _data(self, paths: Paths, environ: Mapping[str, str]) -> bytes:
        return render_agent(paths, serve_command(), places_of(environ), self._home)

    def uninstall(self) -> Removed:
        """Unload the agent and remove it."""
        found, problem = self.files, None
        if found:
            try:
                # It fails where the agent is not loaded, which is what is wanted.
                run("launchctl", "bootout", self._target, may_fail=True)
            except StartFailed as error:
                problem = str(error)
        for path in found:
            path.unlink(missing_ok=True)
        return Removed(found, problem)

    def start(self) -> None:
        """Start the agent; one that was never loaded in this session is loaded."""
        if "pid = " not in run("launchctl", "print", self._target, may_fail=True):
            run("launchctl", "bootstrap", self._domain, str(self._file), may_fail=True)
        run("launchctl", "kickstart", self._target)

    def stop(self) -> None:
        """Tell the agent's process to end: an end without a failure is not made up for."""
        run("launchctl", "kill", "SIGTERM", self._target)

    def main_pid(self) -> int | None:
        """Return the agent's process."""
        found = re.search(r"^\s*pid = (\d+)$", run("launchctl", "print", self._target, may_fail=True), re.MULTILINE)
        return int(found[1]) if found else None

    def failure(self) -> str | None:
        """Return nothing: launchd starts an agent that failed again and again, ten seconds apart."""
        return None

    def status(self) -> str:
        """Return what launchd prints of the agent."""
        return run("launchctl", "print", self._target)

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Show the daemon's own log."""
        return tail_of(paths, lines, follow=follow)
