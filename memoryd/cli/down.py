"""``memoryd down``: stop, and stay stopped."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from memoryd.cli.frame import Command, Frame, pass_frame
from memoryd.cli.service import service_of
from memoryd.errors import StartFailed, StopFailed
from memoryd.paths import Paths, find_paths, make_private, write_private
from memoryd.service.lock import find_holder
from memoryd.service.process import ask_to_stop, wait_until


@click.command(cls=Command)
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(min=0), default=30.0, show_default=True, help="Seconds to wait."
)
@click.option("--kill", is_flag=True, help="Kill it if it has not stopped by then; what it acknowledged is safe.")
@pass_frame
def command(frame: Frame, timeout_s: float, kill: bool) -> None:
    """Stop the daemon; nothing but `memoryd up` or `serve` starts it again."""
    paths = find_paths()
    make_private(paths.config)
    write_private(paths.down_marker, b"")
    holder = find_holder(paths.lock_file, paths.memory)
    is_told = _stop_service(paths, None if holder is None else holder.pid)
    if holder is None:
        _tell(frame, "memoryd is not running", pid=None, killed=False)
        return
    if holder.pid is None:
        raise StopFailed(
            f"a process that does not tell its pid holds {paths.lock_file}; `fuser {paths.lock_file}` names it"
        )

    def is_free() -> bool:
        return find_holder(paths.lock_file, paths.memory) is None

    if not is_told:
        # A second word from us would cut off the requests that the daemon still answers.
        ask_to_stop(holder.pid)
    if wait_until(is_free, timeout_s=timeout_s):
        _tell(frame, f"memoryd is down (was pid {holder.pid})", pid=holder.pid, killed=False)
        return
    if not kill:
        raise StopFailed(
            f"memoryd (pid {holder.pid}) has not stopped within {timeout_s:g} s; it may still be finishing its work: "
            f"wait, or repeat with --kill"
        )
    click.echo(f"memoryd (pid {holder.pid}) did not stop within {timeout_s:g} s: killing it", err=True)
    ask_to_stop(holder.pid, force=True)
    if not wait_until(is_free, timeout_s=timeout_s):
        raise StopFailed(f"{paths.lock_file} is still held although pid {holder.pid} was killed")
    _tell(frame, f"memoryd is down (pid {holder.pid} was killed)", pid=holder.pid, killed=True)


def _stop_service(paths: Paths, pid: int | None) -> bool:
    """Tell an installed service to stop, with the socket that would start it again; tell whether it runs ``pid``."""
    manager = service_of(paths, os.environ)
    if manager is None:
        return False
    try:
        runs = pid is not None and manager.main_pid() == pid
        manager.stop()
    except StartFailed as error:
        click.echo(f"the service manager was not told: {error}", err=True)
        return False
    return runs


def _tell(frame: Frame, words: str, **members: Any) -> None:
    click.echo(json.dumps({"state": "down", **members}) if frame.as_json else words)
