"""What a daemon costs: memory of its processes, bytes on disk."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

MIB = 2**20
_USER_TIME, _SYSTEM_TIME = 11, 12
"""Places behind the name in ``/proc/<pid>/stat``."""


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    shown = _ps("-o", "rss=", "-p", str(pid)).strip()
    return int(shown) * 1024 / MIB if shown else 0.0


def children_of(pid: int) -> list[int]:
    """Return the ids of a process's children."""
    pairs = (line.split() for line in _ps("-A", "-o", "pid=,ppid=").splitlines())
    return [int(child) for child, parent in pairs if int(parent) == pid]


def disk_mib(path: Path) -> float:
    """Return the bytes of a file with its side files, or of all files below a folder, in MiB."""
    files = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    return sum(file.stat().st_size for file in files if file.is_file()) / MIB


def cpu_ms(pid: int) -> float | None:
    """Return the processor time that a process has taken, in ms; ``None`` where the system does not say it finely."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[_USER_TIME]) + int(fields[_SYSTEM_TIME])) * 1000 / os.sysconf("SC_CLK_TCK")


def _ps(*options: str) -> str:
    return subprocess.run(["/bin/ps", *options], capture_output=True, text=True, check=False).stdout  # noqa: S603 - fixed words and numbers
