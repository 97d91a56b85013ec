"""``memoryd up``: the daemon in the background."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import click

from clients.endpoint import DaemonUnreachable, Places
from clients.http import Client, ProblemError
from memoryd.cli.frame import Command, Frame, pass_frame
from memoryd.cli.service import service_of
from memoryd.errors import StartFailed
from memoryd.paths import Paths, find_paths
from memoryd.service.lock import find_holder
from memoryd.service.process import start_detached, wait_until
from memoryd.service.supervisor import Manager

OUTPUT_NAME = "start.log"
_TAIL_BYTES = 4000
_ASK_S = 5.0
_LOOK_S = 2.0
"""How often the service manager is asked whether it has given up."""


@click.command(cls=Command)
@click.option("--port", type=click.IntRange(0, 65535), help="TCP port; 0 takes any free one.")
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds to wait."
)
@pass_frame
def command(frame: Frame, port: int | None, timeout_s: float) -> None:
    """Start the daemon in the background, by the service where one is installed, and wait until it answers."""
    paths = find_paths()
    paths.make()
    paths.require_writable()
    paths.down_marker.unlink(missing_ok=True)
    places = Places(str(paths.state), str(paths.config))
    started = None
    is_absent = find_holder(paths.lock_file, paths.memory) is None
    manager = _start_service(paths, port) if is_absent else None
    if is_absent and manager is None:
        environ = (
            {**os.environ, "MEMORYD_HOME": str(paths.memory.parent)} if os.environ.get("MEMORYD_HOME") else os.environ
        )
        arguments = ["serve", *(["--port", str(port)] if port is not None else [])]
        started = start_detached(arguments, output=paths.log / OUTPUT_NAME, environ=environ)
    _wait(paths, places, started, timeout_s, manager)
    client = Client.find(places)
    said = (
        "is up"
        if manager is not None or (started is not None and started.pid == client.endpoint.pid)
        else "already runs"
    )
    if frame.as_json:
        frame.ask("GET", "/v1/status")
    else:
        click.echo(f"memoryd {said} (pid {client.endpoint.pid}) at {client.endpoint.url}")


def _start_service(paths: Paths, port: int | None) -> Manager | None:
    """Have the service manager start the daemon where our service is installed; return it if it was asked.

    A daemon that is started by hand beside an installed service would be watched by nobody, and the service's own
    would find the memory taken.
    """
    manager = service_of(paths, os.environ)
    if manager is None:
        return None
    if port is not None:
        raise StartFailed(
            "--port is for a daemon that is started by hand, and here a service starts it; set [service] port in "
            f"{paths.config_file} instead"
        )
    try:
        manager.start()
    except StartFailed as error:
        click.echo(f"the service could not be started, so the daemon starts without it: {error}", err=True)
        return None
    return manager


def _wait(
    paths: Paths, places: Places, started: subprocess.Popen[bytes] | None, timeout_s: float, manager: Manager | None
) -> None:
    reason = "it does not answer"
    next_look = time.monotonic() + _LOOK_S

    def is_settled() -> bool:
        nonlocal reason, next_look
        # Somebody else may have been a moment faster; then theirs is the daemon to wait for.
        if started is not None and started.poll() is not None and find_holder(paths.lock_file, paths.memory) is None:
            raise StartFailed(_last_words(paths, started.returncode))
        if manager is not None and time.monotonic() >= next_look:
            next_look = time.monotonic() + _LOOK_S
            if failure := manager.failure():
                raise StartFailed(f"the service did not start the daemon: it {failure}")
        try:
            Client.find(places, timeout_s=_ASK_S).call("GET", "/readyz")
        except DaemonUnreachable as error:
            reason = str(error)
            return False
        except ProblemError as problem:
            if problem.slug != "not-ready":
                raise StartFailed(
                    f"the daemon runs, but cannot serve: {problem} ({paths.log} holds its log)"
                ) from problem
            reason = str(problem)
            return False
        return True

    shows_progress = sys.stderr.isatty()
    in_time = wait_until(
        is_settled, timeout_s=timeout_s, tick=lambda: click.echo(".", nl=False, err=True) if shows_progress else None
    )
    if shows_progress:
        click.echo("\r\033[K", nl=False, err=True)
    if not in_time:
        way = "`memoryd service status`" if manager is not None else "`memoryd status`"
        raise StartFailed(
            f"the daemon is not ready after {timeout_s:g} s: {reason}; it goes on starting: "
            f"{way} shows how far it is, {paths.log} holds its log"
        )


def _last_words(paths: Paths, code: int) -> str:
    try:
        text = (paths.log / OUTPUT_NAME).read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace").strip()
    except OSError:
        text = ""
    last = text.splitlines()[-1].removeprefix("memoryd: ") if text else f"it ended with exit code {code} and no word"
    return f"the daemon did not start: {last} (more in {paths.log / OUTPUT_NAME})"
