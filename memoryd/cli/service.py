"""``memoryd service``: the daemon in the hands of the system's service manager."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping

import click

from clients.endpoint import Places
from clients.start import find_unit
from memoryd.cli.frame import FAILED, NOT_FOUND, Failure, Frame, Group, clean, local_time, pass_frame
from memoryd.errors import StartFailed
from memoryd.paths import Paths, find_paths
from memoryd.service.lock import find_holder
from memoryd.service.supervisor import Manager, find_manager


@click.group(cls=Group)
def command() -> None:
    """Have systemd or launchd start the daemon and watch it."""


@command.command("install")
@click.option("--socket", is_flag=True, help="systemd only: start at the first connection instead of the login.")
@pass_frame
def install(frame: Frame, socket: bool) -> None:
    """Install the service for this user, and start it. No privileges are needed.

    It ends with the user's last session; `loginctl enable-linger` keeps it running, if that is wanted.
    """
    paths = find_paths()
    manager = find_manager(os.environ)
    if manager.files and not _is_of(paths):
        raise StartFailed(
            f"{manager.files[0]} serves another memory than {paths.memory}; `memoryd service uninstall` takes it away"
        )
    if not manager.files and find_holder(paths.lock_file, paths.memory) is not None:
        raise StartFailed("a daemon runs already, by hand; `memoryd down` stops it, then repeat")
    paths.make()
    # Whoever installs a service wants it up.
    was_down = paths.down_marker.exists()
    paths.down_marker.unlink(missing_ok=True)
    try:
        files = manager.install(paths, os.environ, socket=socket)
    except StartFailed as error:
        if was_down:
            paths.down_marker.touch(0o600)
        raise StartFailed(
            f"{error}; nothing was installed, and `memoryd up` starts the daemon without a service"
        ) from error
    said = "the service starts at the first connection" if socket else "the service is up"
    _tell(frame, {"files": [str(path) for path in files]}, *(f"wrote {path}" for path in files), said)


@command.command("uninstall")
@pass_frame
def uninstall(frame: Frame) -> None:
    """Stop the service and take its files away; the memory stays."""
    removed = find_manager(os.environ, needs_program=False).uninstall()
    said = [f"removed {path}" for path in removed.files] or ["there was no service"]
    if removed.problem:
        said.append(f"the service manager was not reached, and may run the daemon on: {removed.problem}")
        said.append("`memoryd down` stops a daemon that runs")
    _tell(frame, {"files": [str(path) for path in removed.files], "problem": removed.problem}, *said)


@command.command("status")
@pass_frame
def status(frame: Frame) -> None:
    """Show what the service manager says."""
    manager = find_manager(os.environ, needs_program=False)
    if not manager.files:
        raise Failure("no service is installed; `memoryd service install` does it", NOT_FOUND)
    try:
        said = manager.status().strip()
    except StartFailed as error:
        raise StartFailed(
            f"{manager.files[0]} is there, but the service manager does not answer, so the service does not run by it: "
            f"{error}; `memoryd service uninstall` takes the file away"
        ) from error
    _tell(frame, {"files": [str(path) for path in manager.files], "state": said}, said, *_beside(find_paths(), manager))


@command.command("logs")
@click.option("-n", "--lines", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many.")
@click.option("-f", "--follow", is_flag=True, help="Go on as lines come.")
@click.pass_context
def logs(ctx: click.Context, lines: int, follow: bool) -> None:
    """Show the end of the daemon's log. It holds no text of the memory; with --json the lines come as they are."""
    words = find_manager(os.environ, needs_program=False).log_command(find_paths(), lines, follow=follow)
    if ctx.ensure_object(Frame).as_json:
        os.execvp(words[0], words)  # noqa: S606 - a fixed program
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace") as shown:  # noqa: S603 - as above
        for line in shown.stdout or ():
            click.echo(clean(describe_line(line.rstrip("\n"))))
    ctx.exit(FAILED if shown.returncode else 0)


def describe_line(line: str) -> str:
    """Return a line of the log for a person: when, how grave, what, and all that stands with it. Others stay."""
    try:
        read = json.loads(line)
    except ValueError:
        return line
    if not isinstance(read, dict) or "event" not in read:
        return line
    at = read.pop("timestamp", None)
    head = [local_time(str(at)) if at else "", str(read.pop("level", "")), str(read.pop("event"))]
    for name in ("logger", "request_id"):
        read.pop(name, None)
    return " ".join([*filter(None, head), *(f"{name}={value}" for name, value in read.items())])


def service_of(paths: Paths, environ: Mapping[str, str]) -> Manager | None:
    """Return the manager whose service is this memory's; ``None`` where none is installed, or it is another's.

    Only a file is read: nobody is asked whether the service runs.
    """
    if not _is_of(paths, environ):
        return None
    try:
        return find_manager(environ)
    except StartFailed:
        # The unit was written where there was a manager; here, in a container perhaps, there is none.
        return None


def _is_of(paths: Paths, environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether the service that is installed is this memory's."""
    return (
        find_unit(Places(str(paths.state), str(paths.config)), os.environ if environ is None else environ) is not None
    )


def _beside(paths: Paths, manager: Manager) -> list[str]:
    """Return what the service manager does not know."""
    if not _is_of(paths):
        return [f"this service is that of another memory, not of {paths.memory}"]
    said = ["the daemon is down on purpose; `memoryd up` starts it"] if paths.down_marker.exists() else []
    if not manager.is_current(paths, os.environ):
        said.append("it was written by another version, or with other variables; `memoryd service install` renews it")
    return said


def _tell(frame: Frame, body: dict[str, object], *lines: str) -> None:
    if frame.as_json:
        click.echo(json.dumps(body, ensure_ascii=False))
    for line in () if frame.as_json else lines:
        click.echo(line)
