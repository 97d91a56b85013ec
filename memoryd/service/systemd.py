"""The daemon in the hands of systemd: units of the user, asked for by ``systemctl --user``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memoryd.errors import StartFailed
from memoryd.paths import Paths, write_private
from memoryd.service.program import Removed, put_back, run, tail_of
from memoryd.service.units import SOCKET, UNIT, places_of, render_socket, render_unit, serve_command

_SHOWN = "ActiveState,SubState,UnitFileState,MainPID,StatusText,NRestarts,Result"


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
        """Write the units, enable and start what begins: the service, or with ``socket`` the socket alone.

        Where that fails, the units are as they were. A socket of an earlier install goes where none is wanted now.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        unit, listening = self._folder / UNIT, self._folder / SOCKET
        written = self._texts(paths, environ, socket=socket)
        with put_back([unit, listening], self._forget, _reread):
            if not socket and listening.exists():
                run("systemctl", "--user", "disable", "--now", SOCKET)
                listening.unlink()
            for path, text in written.items():
                write_private(path, text.encode())
            run("systemctl", "--user", "daemon-reload")
            if socket:
                # One that was installed for the login before would go on beginning there.
                run("systemctl", "--user", "disable", UNIT)
                # A service that runs has the socket's name already.
                run("systemctl", "--user", "stop", UNIT)
            begins = SOCKET if socket else UNIT
            run("systemctl", "--user", "enable", begins)
            run("systemctl", "--user", "restart", begins)
        return [*written]

    def is_current(self, paths: Paths, environ: Mapping[str, str]) -> bool:
        """Compare the units with what this version would write, here."""
        wanted = self._texts(paths, environ, socket=(self._folder / SOCKET).exists())
        return all(path.read_text(errors="replace") == text for path, text in wanted.items() if path.exists())

    def _texts(self, paths: Paths, environ: Mapping[str, str], *, socket: bool) -> dict[Path, str]:
        unit = {self._folder / UNIT: render_unit(paths, serve_command(), places_of(environ))}
        return {**unit, self._folder / SOCKET: render_socket(paths)} if socket else unit

    def uninstall(self) -> Removed:
        """Stop and disable the units, and remove them."""
        found = self.files
        if not found:
            return Removed([])
        problem = self._forget(found)
        for path in found:
            path.unlink(missing_ok=True)
        _reread()
        return Removed(found, problem)

    def _forget(self, files: Sequence[Path]) -> str | None:
        """Stop and disable units; return why that could not be, if it could not."""
        names = [path.name for path in reversed(files)]
        try:
            run("systemctl", "--user", "disable", "--now", *names)
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
        run("systemctl", "--user", "reset-failed", *names, may_fail=True)
        run("systemctl", "--user", "--no-block", "start", *names)

    def stop(self) -> None:
        """Stop the units; with the socket left there, the next hook would start the service again."""
        run("systemctl", "--user", "--no-block", "stop", *self._names())

    def main_pid(self) -> int | None:
        """Return the unit's main process."""
        said = run("systemctl", "--user", "show", UNIT, "--property=MainPID").strip().removeprefix("MainPID=")
        return int(said) if said.isdecimal() and said != "0" else None

    def _names(self) -> list[str]:
        return [path.name for path in reversed(self.files)]

    def failure(self) -> str | None:
        """Return how the service ended, once systemd starts it no more."""
        said = _shown_of(UNIT)
        if said.get("ActiveState") != "failed":
            return None
        return f"ended by {said.get('Result')}; `journalctl --user -u {UNIT} -n 30` has its last words"

    def status(self) -> str:
        """Return a line for each unit, in systemd's words, and where it says more of one that failed."""
        lines = [f"{name}: {_describe(_shown_of(name))}" for name in self._names()]
        failure = self.failure()
        return "\n".join([*lines, *([f"it is started no more: {failure}"] if failure else [])])

    def log_command(self, paths: Paths, lines: int, *, follow: bool) -> list[str]:
        """Show the daemon's own log; what it says before that is in the journal of systemd."""
        return tail_of(paths, lines, follow=follow)


def _reread() -> None:
    with suppress(StartFailed):  # the call before it said why
        run("systemctl", "--user", "daemon-reload")


def _shown_of(unit: str) -> dict[str, str]:
    """Return what systemd knows of a unit, by property."""
    said = run("systemctl", "--user", "show", unit, f"--property={_SHOWN}")
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def _describe(said: Mapping[str, str]) -> str:
    """Return what `systemctl show` said of a unit as one line."""
    parts = [f"{said.get('ActiveState', 'unknown')} ({said.get('SubState', 'unknown')})"]
    if said.get("UnitFileState"):
        parts.append(said["UnitFileState"])
    if said.get("Result", "success") != "success":
        parts.append(f"ended by {said['Result']}")
    if said.get("MainPID", "0") != "0":
        # What a process said of itself outlives it.
        parts += [f"pid {said['MainPID']}", *filter(None, [said.get("StatusText")])]
    if said.get("NRestarts", "0") != "0":
        parts.append(f"restarted {said['NRestarts']} times")
    return ", ".join(parts)
