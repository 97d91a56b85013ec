"""Bytes on the disk: written whole, and there after a loss of power, before the caller goes on.

The stores and the daemon write different files for different reasons, and each says in its own words what failed.
The system calls below that are the same, so they stand here once.
"""

from __future__ import annotations

import os
from pathlib import Path

PRIVATE_MODE = 0o600
"""Of a file that nobody but its owner reads or writes."""

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC


def create_file(path: Path, data: bytes, *, mode: int = PRIVATE_MODE) -> None:
    """Make a file that holds these bytes, with this mode whatever the umask.

    Raises:
        FileExistsError: Something is there.
        OSError: It cannot be written whole; what there is of it is left to the caller.
    """
    _fill(os.open(path, _WRITE | os.O_EXCL, mode), data, mode)


def write_file(path: Path, data: bytes, *, mode: int = PRIVATE_MODE) -> None:
    """Make a file hold these bytes and no others, with this mode whatever the umask.

    A reader may see it half-written, so write beside the file that counts and rename. A link of its name is refused.

    Raises:
        OSError: It cannot be written whole; what there is of it is left to the caller.
    """
    _fill(os.open(path, _WRITE | os.O_TRUNC | os.O_NOFOLLOW, mode), data, mode)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk: of files made, renamed or removed there.

    Raises:
        OSError: It is no folder, or the disk failed.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes, mode: int) -> None:
    with open(descriptor, "wb", closefd=True) as file:
        os.fchmod(descriptor, mode)
        file.write(data)
        file.flush()
        os.fsync(descriptor)
