"""``memoryd service``: the daemon in the hands of the system's service manager."""

from __future__ import annotations

import json
import os

import click

from memoryd.cli.frame import NOT_FOUND, Failure, Frame, Group, pass_frame
from memoryd.errors import StartError
from memoryd.paths import find_paths
from memoryd.service.lock import find_holder
from memoryd.service.supervisor import find_manager


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
    if not manager.files and find_holder(paths.lock_file, paths.memory) is not None:
        raise StartError("a daemon runs already, by hand; `memoryd down` stops it, then repeat")
    paths.make()
    # Whoever installs a service wants it up.
    paths.down_marker.unlink(missing_ok=True)
    files = manager.install(paths, os.environ, socket=socket)
    _tell(frame, {"files": [str(path) for path in files]}, *(f"wrote {path}" for path in files), "the service is up")


@command.command("uninstall")
@pass_frame
def uninstall(frame: Frame) -> None:
    """Stop the service and take its files away; the memory stays."""
    files = find_manager(os.environ).uninstall()
    said = [f"removed {path}" for path in files] or ["there was no service"]
    _tell(frame, {"files": [str(path) for path in files]}, *said)


@command.command("status")
@pass_frame
def status(frame: Frame) -> None:
    """Show what the service manager says."""
    manager = find_manager(os.environ)
    if not manager.files:
        raise Failure("no service is installed; `memoryd service install` does it", NOT_FOUND)
    said = manager.status().strip()
    _tell(frame, {"files": [str(path) for path in manager.files], "state": said}, said)


@command.command("logs")
@click.option("-n", "--lines", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many.")
@click.option("-f", "--follow", is_flag=True, help="Go on as lines come.")
@click.pass_context
def logs(ctx: click.Context, lines: int, follow: bool) -> None:
    """Show the end of the daemon's log. It holds no text of the memory."""
    words = find_manager(os.environ).log_command(find_paths(), lines, follow=follow)
    if ctx.ensure_object(Frame).as_json:
        ctx.fail("logs has no --json; the log's lines are JSON as they are.")
    os.execvp(words[0], words)  # noqa: S606 - a fixed program


def _tell(frame: Frame, body: dict[str, object], *lines: str) -> None:
    if frame.as_json:
        click.echo(json.dumps(body, ensure_ascii=False))
    for line in () if frame.as_json else lines:
        click.echo(line)
