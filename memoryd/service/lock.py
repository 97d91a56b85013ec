"""The lock that makes one daemon the owner of a memory.

It is an advisory ``flock``, on two things at once: the kernel drops it with the process, so a kill leaves nothing to
clean up. The file ``state/lock`` names its holder. But whoever deletes ``state`` deletes that name, and a second
opener would lock a new file while the first still holds the old one; so the folder of the truth itself is locked,
too. It cannot go away without the memory that the lock is about.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd.errors import AlreadyRunning, PathUnusable
from memoryd.paths import FILE_MODE

_TRIES = 10
_BETWEEN_TRIES_S = 0.01
_RECORD_BYTES = 4096
_KERNEL_LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock. A field is ``None`` where neither the file nor the kernel tells it."""

    pid: int | None = None
    version: str | None = None
    url: str | None = None
    started: str | None = None


class OwnerLock:
    """The lock, held from :meth:`acquire` to :meth:`release` or the end of the process."""

    def __init__(self, path: Path, descriptor: int, holder: Holder, truth: Path | None, guard: int | None) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        self._holder = holder
        self._truth = truth
        self._guard = guard

    @classmethod
    def acquire(cls, path: Path, *, version: str, started: datetime, truth: Path | None = None) -> OwnerLock:
        """Take the lock and write down who has it.

        Args:
            path: ``state/lock``.
            version: Ours, for whoever asks who holds it.
            started: When we started.
            truth: The folder of the memory, to be locked beside the file.

        Raises:
            AlreadyRunning: Another process holds it; the message names it and how to stop it.
            PathUnusable: The file cannot be opened.
        """
        guard = _lock_folder(truth) if truth is not None else None
        try:
            descriptor = _open(path, os.O_RDWR | os.O_CREAT)
        except PathUnusable:
            _close(guard)
            raise
        if not _try_again(descriptor):
            holder = _describe(descriptor)
            os.close(descriptor)
            _close(guard)
            raise AlreadyRunning(_explain(holder, path))
        try:
            lock = cls(path, descriptor, Holder(os.getpid(), version, None, started.isoformat()), truth, guard)
            lock._write()
        except OSError as error:
            os.close(descriptor)
            _close(guard)
            raise PathUnusable(f"cannot write the lock {path}: {error.strerror}") from error
        return lock

    @property
    def held(self) -> bool:
        """Whether this process still holds the lock."""
        return self._descriptor is not None

    @property
    def is_in_place(self) -> bool:
        """Whether the file that is locked still stands under its name."""
        if self._descriptor is None:
            return False
        try:
            there = self.path.stat()
        except OSError:
            return False
        ours = os.fstat(self._descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    @property
    def guards_truth(self) -> bool:
        """Whether the folder that is locked is still the memory's; one that is away just now is not another one."""
        if self._guard is None or self._truth is None:
            return True
        try:
            there = self._truth.stat()
        except OSError:
            return True
        ours = os.fstat(self._guard)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def renew(self) -> None:
        """Lock file and folder anew where they were replaced. One of the two stayed locked, so nobody else could.

        Raises:
            AlreadyRunning: A program that does not look at both was faster.
            PathUnusable: The file cannot be made or written.
        """
        if self._descriptor is None:
            return
        if not self.guards_truth:
            guard = _lock_folder(self._truth) if self._truth is not None else None
            _close(self._guard)
            self._guard = guard
        if self.is_in_place:
            return
        descriptor = _open(self.path, os.O_RDWR | os.O_CREAT)
        if not _try_again(descriptor):
            holder = _describe(descriptor)
            os.close(descriptor)
            raise AlreadyRunning(_explain(holder, self.path))
        os.close(self._descriptor)
        self._descriptor = descriptor
        try:
            self._write()
        except OSError as error:
            raise PathUnusable(f"cannot write the lock {self.path}: {error.strerror}") from error

    def publish(self, url: str) -> None:
        """Add the address to what the lock says of its holder."""
        self._holder = Holder(self._holder.pid, self._holder.version, url, self._holder.started)
        self._write()

    def release(self) -> None:
        """Give the lock back; harmless if that was done before."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None
        _close(self._guard)
        self._guard = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.release()

    def _write(self) -> None:
        if self._descriptor is None:
            return
        held = self._holder
        record = {"pid": held.pid, "version": held.version, "url": held.url, "started": held.started}
        # The old holder's record goes first: a pid of the past must never stand beside a live lock.
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(record).encode() + b"\n", 0)


def find_holder(path: Path, truth: Path | None = None) -> Holder | None:
    """Return who holds the lock, ``None`` if nobody does.

    Args:
        path: ``state/lock``.
        truth: The folder of the memory; its owner is found even where ``state`` was deleted.

    Raises:
        PathUnusable: The file is there and cannot be read.
    """
    found = _holder_of_file(path)
    return found if found is not None or truth is None else _holder_of_folder(truth)


def _holder_of_file(path: Path) -> Holder | None:
    if not path.exists():
        return None
    if not path.is_file():
        raise PathUnusable(f"cannot open the lock {path}: it is no file; move it away")
    descriptor = _open(path, os.O_RDONLY)
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else _describe(descriptor)
    finally:
        os.close(descriptor)


def _holder_of_folder(truth: Path) -> Holder | None:
    try:
        descriptor = os.open(truth, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else Holder(_kernel_pid(descriptor))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _lock_folder(truth: Path) -> int | None:
    """Lock the folder of the memory; ``None`` on a file system where a folder cannot be locked."""
    try:
        descriptor = os.open(truth, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise PathUnusable(f"cannot open the folder {truth}: {error.strerror}") from error
    try:
        is_ours = _try_again(descriptor)
    except OSError:
        # Some network file systems lock files alone; there the lock file has to do.
        os.close(descriptor)
        return None
    if is_ours:
        return descriptor
    holder = Holder(_kernel_pid(descriptor))
    os.close(descriptor)
    raise AlreadyRunning(_explain(holder, truth))


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def _try_again(descriptor: int) -> bool:
    # Someone who only asks who the holder is locks it for a moment, too; so one refusal proves nothing.
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_BETWEEN_TRIES_S)
        if _try_lock(descriptor, fcntl.LOCK_EX):
            return True
    return False


def _open(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
        if flags & os.O_CREAT:
            os.fchmod(descriptor, FILE_MODE)
    except OSError as error:
        raise PathUnusable(f"cannot open the lock {path}: {error.strerror}") from error
    return descriptor


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _describe(descriptor: int) -> Holder:
    try:
        record = json.loads(os.pread(descriptor, _RECORD_BYTES, 0))
    except ValueError:
        record = None
    record = record if isinstance(record, dict) else {}
    said = record.get("pid")
    pid = _kernel_pid(descriptor) or (said if isinstance(said, int) and said > 1 else None)
    if pid != said:
        return Holder(pid)
    version, url, started = (_text(record.get(key)) for key in ("version", "url", "started"))
    return Holder(pid, version, url, started)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _kernel_pid(descriptor: int) -> int | None:
    """Return the pid that the kernel has for the lock's holder, where it tells (Linux)."""
    info = os.fstat(descriptor)
    # 3: FLOCK  ADVISORY  WRITE 4242 fe:01:131 0 EOF
    place = f"{os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x}:{info.st_ino}"
    with contextlib.suppress(OSError):
        found = re.search(rf"FLOCK +ADVISORY +WRITE +(\d+) +{place} ", _KERNEL_LOCKS.read_text("ascii"))
        if found and int(found.group(1)) > 1:
            return int(found.group(1))
    return None


def _explain(holder: Holder, path: Path) -> str:
    who = f"another memoryd (pid {holder.pid})" if holder.pid else "another process, whose record cannot be read,"
    where = f" at {holder.url}" if holder.url else ""
    stop = "`memoryd down` stops it" if holder.pid else f"`fuser {path}` names it"
    return f"{who} already owns this memory{where} and holds {path}; {stop}"
