"""Other processes of ours: starting a daemon in the background, and ending one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memoryd.errors import StartFailed
from memoryd.paths import FILE_MODE

_POLL_S = 0.05


def is_alive(pid: int) -> bool:
    """Tell whether a process of that number exists."""
    # Zero and less name groups of processes, not one.
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def start_detached(arguments: Sequence[str], *, output: Path, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start our own command line in a session of its own, its output in a fresh private file.

    ``-P`` keeps the working directory off the import path: a project folder called ``semantic`` must not be loaded.

    Raises:
        StartFailed: The file or the process cannot be made.
    """
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
        with open(descriptor, "wb", closefd=True) as log:  # noqa: PTH123 - a descriptor, not a path
            os.fchmod(descriptor, FILE_MODE)
            return subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-P", "-m", "memoryd.cli", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=dict(environ),
                start_new_session=True,
            )
    except OSError as error:
        raise StartFailed(f"cannot start the daemon with its output in {output}: {error.strerror}") from error


def ask_to_stop(pid: int, *, force: bool = False) -> None:
    """Send SIGTERM, or SIGKILL with ``force``; a process that is gone is no error."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL if force else signal.SIGTERM)


def wait_until(met: Callable[[], bool], *, timeout_s: float, tick: Callable[[], None] | None = None) -> bool:
    """Poll until the condition is met; tell whether it was within the time. ``tick`` is called about each second."""
    start = time.monotonic()
    next_tick = start + 1
    while not met():
        now = time.monotonic()
        if now - start >= timeout_s:
            return False
        if tick is not None and now >= next_tick:
            tick()
            next_tick += 1
        time.sleep(_POLL_S)
    return True
