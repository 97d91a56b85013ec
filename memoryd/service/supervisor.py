"""The service manager of this system: what the daemon needs of one, and which one there is."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from memoryd.errors import StartFailed
from memoryd.paths import Paths
from memoryd.service.launchd import Launchd
from memoryd.service.program import Removed
from memoryd.service.systemd import Systemd


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

    def is_current(self, paths: Paths, environ: Mapping[str, str]) -> bool:
        """Tell whether the files are those that an install would write now."""
        ...

    def failure(self) -> str | None:
        """Return why the manager gave the daemon up, with the way to its last words; ``None`` while it has not."""
        ...

    def status(self) -> str:
        """Return what the manager says of the daemon."""
        ...

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Return the program that shows the log, with its arguments."""
        ...


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
