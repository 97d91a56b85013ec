"""A child whose parent was killed.

It ends by itself as soon as it gets the lock that its parent held; but a new parent may take that lock first, and then
two servers would work on one file. So the child is noted beside its socket, and a new start ends the one that is left.
Only that very process is ended: its id, its database and its parent must be the noted ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

GRACE_S = 2.0
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    command: str


def note_child(note: Path, child: int) -> None:
    """Note a child of this process."""
    descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"child": child, "parent": os.getpid()}, file)


def end_orphan(note: Path, database: Path) -> None:
    """End the noted child of a database, if it runs and its parent is gone; return when it is gone too."""
    try:
        noted = json.loads(note.read_text())
        child, parent = int(noted["child"]), int(noted["parent"])
    except (OSError, ValueError, KeyError, TypeError):
        return  # nothing was noted, or a kill came before the note was whole: the lock is what is left
    if not _is_orphan(child, parent, database):
        return
    if not _wait_gone(child, parent, database):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _wait_gone(child, parent, database)


def _wait_gone(child: int, parent: int, database: Path) -> bool:
    deadline = time.monotonic() + GRACE_S
    while _is_orphan(child, parent, database):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _is_orphan(child: int, parent: int, database: Path) -> bool:
    process = _look_up(child)
    return process is not None and process.parent != parent and str(database) in process.command


def _look_up(pid: int) -> _Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        if folder.parent.joinpath("self", "stat").exists():
            status = (folder / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()
            return _Process(
                int(status[1]), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        shown = subprocess.run(  # noqa: S603 - a fixed command, for systems without /proc
            ["/bin/ps", "-o", "ppid=,args=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout.split(None, 1)
    except (OSError, IndexError, ValueError):
        return None
    return _Process(int(shown[0]), shown[1]) if len(shown) == 2 else None
