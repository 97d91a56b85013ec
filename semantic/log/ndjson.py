"""A file of lines that only grows, and whose writer may answer only once a line is on the disk.

The daemon is the one writer of its files; the lock is there for the day when two are started against one folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memoryd.text.durable import create_file, sync_folder
from memoryd.text.report import Problem
from semantic.errors import WriteFailed

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
"""The file is ours: in the place of a link, which could have anything written to, it is asked for itself."""
_STEADY_S = 0.05
_STEADY_TRIES = 20
_TEMPORARY = ".tmp"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file is still the one that was read. ``None`` fields: there was no file."""

    inode: int | None = None
    size: int = 0
    mtime_ns: int = 0

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Return the stamp of a path; of nothing if there is no file."""
        try:
            return cls.read(os.stat(path))  # noqa: PTH116 -- one system call in the hot path of a write
        except FileNotFoundError:
            return cls()

    @classmethod
    def read(cls, status: os.stat_result) -> Stamp:
        """Return the stamp that a status holds."""
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Yield a locked descriptor for reading and appending; folders and file are made (0700, 0600) where missing.

    Raises:
        WriteFailed: The folder or the file cannot be made or opened.
    """
    try:
        make_folder(path.parent)
        new = not path.exists()
        descriptor = os.open(path, _OPEN, _FILE_MODE)
        if new:
            path.chmod(_FILE_MODE)
            sync_folder(path.parent)
    except OSError as error:
        is_link = error.errno == errno.ELOOP
        reason = "it is a link; put the file itself in its place" if is_link else error.strerror
        raise WriteFailed(f"{path} cannot be opened for writing ({reason}); nothing was recorded") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def is_below(folder: Path, paths: Iterable[Path]) -> bool:
    """Tell whether any of the paths lies in a folder, named as the folder is or by its real path behind a link."""
    roots = (folder, Path(os.path.realpath(folder)))
    return any(path.is_relative_to(root) for path in paths for root in roots)


def append(descriptor: int, path: Path, data: bytes) -> None:
    """Write the data at the end and wait until it is on the disk; on failure the file is as it was.

    Raises:
        WriteFailed: The data could not be made durable.
    """
    size = os.fstat(descriptor).st_size
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
        os.fsync(descriptor)
    except OSError as error:
        # A full disk may have taken a part of the line: without this the next line would be glued to it.
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise WriteFailed(f"{path} cannot be written ({error.strerror}); nothing was recorded") from error


def cut(descriptor: int, path: Path, count: int) -> None:
    """Take bytes off the end of the file and wait until that is on the disk.

    Raises:
        WriteFailed: The file is as it was.
    """
    try:
        os.ftruncate(descriptor, os.fstat(descriptor).st_size - count)
        os.fsync(descriptor)
    except OSError as error:
        raise WriteFailed(f"{path} cannot be mended ({error.strerror}); nothing was recorded") from error


def wait_until_steady(path: Path) -> None:
    """Wait until nobody seems to be writing a file: an editor empties it before it writes what it has."""
    stamp = Stamp.of(path)
    for _ in range(_STEADY_TRIES):
        time.sleep(_STEADY_S)
        now = Stamp.of(path)
        if now == stamp:
            return
        stamp = now


def is_same_file(descriptor: int, path: Path) -> bool:
    """Tell whether the path still names the opened file: a sync program may have put another in its place."""
    try:
        return Stamp.of(path).inode == os.fstat(descriptor).st_ino
    except OSError:
        return False


def read_all(descriptor: int) -> bytes:
    """Return all bytes of an open file, wherever its position is."""
    size = os.fstat(descriptor).st_size
    parts, offset = [], 0
    while offset < size:
        part = os.pread(descriptor, size - offset, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def replace(path: Path, data: bytes) -> None:
    """Put new bytes in the place of a file, durably and at once: readers see the old or the new whole.

    Raises:
        WriteFailed: The new bytes could not be made durable; the old file is untouched.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}{_TEMPORARY}")
    try:
        create_file(beside, data, mode=_FILE_MODE)
        beside.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise WriteFailed(f"{path} cannot be rewritten ({error.strerror}); it is as it was") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> list[Problem]:
    """Remove the copies that a rewrite left when its process was killed; name those that cannot be removed.

    They hold what was in the file, and a later forgetting would pass them by. Only for the owner of the folder,
    before it writes there.
    """
    stay = []
    for path in sorted(folder.rglob(f".*.ndjson*{_TEMPORARY}")):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            place = str(path.relative_to(folder.parent))
            reason = f"a copy left by an unfinished write cannot be removed ({error.strerror}); remove it yourself"
            stay.append(Problem(place, reason))
    return stay


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each private and each known to the disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=_FOLDER_MODE)
        folder.chmod(_FOLDER_MODE)
        sync_folder(folder.parent)


def split_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole lines (without line ends) and the unfinished rest after the last one."""
    lines = data.split(b"\n")
    return lines[:-1], lines[-1]
