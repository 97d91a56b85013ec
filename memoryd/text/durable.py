"""Bytes on the disk: written whole, and there after a loss of power, before the caller goes on.

The stores and the daemon write different files for different reasons, and each says in its own words what failed.
The system calls below that are the same, so they stand here once.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PRIVATE_MODE = 0o600
"""Of a file that nobody but its owner reads or writes."""

LEFT_S = 3_600.0
"""A copy beside a file that is older than this is nobody's who is still writing, on whatever machine."""

_LEFT = re.compile(r"\..+\.memoryd-tmp|\.memoryd-note-[0-9a-f]{12}\.tmp", re.DOTALL)

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC


def in_64_bits(number: int) -> int:
    """Return what the system tells of a file, its number or its time, as a database can hold it.

    Some file systems number files beyond that, and some programs give them a time centuries from now. It is only
    compared with what it was before.
    """
    return (number + 2**63) % 2**64 - 2**63


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


@contextmanager
def beside(path: Path, data: bytes, *, mode: int = PRIVATE_MODE) -> Iterator[Path]:
    """Yield a hidden file in the same folder that holds these bytes: to be renamed, and removed if it was not.

    Its name is its own, so that two writers of one file do not write into each other's copy.

    Raises:
        OSError: It cannot be written whole; nothing is left of it.
    """
    copy = path.with_name(f".{secrets.token_hex(6)}.memoryd-tmp")
    _in_use.add(copy.name)
    try:
        create_file(copy, data, mode=mode)
        yield copy
    finally:
        with suppress(OSError):
            copy.unlink(missing_ok=True)
        _in_use.discard(copy.name)


_in_use: set[str] = set()
"""Names of copies that this process is writing."""


def replace_file(path: Path, data: bytes, *, mode: int = PRIVATE_MODE) -> None:
    """Put other bytes in the place of a file in one step, or make it: a reader sees all of the old or of the new.

    Raises:
        OSError: It cannot be written whole; the file is as it was.
    """
    with beside(path, data, mode=mode) as copy:
        copy.replace(path)
        sync_folder(path.parent)


def is_leftover(name: str) -> bool:
    """Tell whether a name is one that ``beside`` gives: of a copy that stays where its writer is killed."""
    return _LEFT.fullmatch(name) is not None


def remove_leftover(path: Path, *, older_than_s: float = LEFT_S) -> None:
    """Remove a copy that was left, unless it is young or this process is writing it.

    Raises:
        OSError: It cannot be removed.
    """
    with suppress(FileNotFoundError):
        if path.name not in _in_use and time.time() - path.lstat().st_mtime >= older_than_s:
            path.unlink()


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
