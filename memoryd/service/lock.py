"""The lock that makes one daemon the owner of a memory.

It is an advisory ``flock`` on ``state/lock``: the kernel drops it with the process, so a kill leaves nothing to
clean up. The file also names its holder; it is never removed, because a second opener would then lock a new file
while the first still holds the old one.
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

from memoryd.errors import AlreadyRunning, PathError
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

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        self._holder = holder

    @classmethod
    def acquire(cls, path: Path, *, version: str, started: datetime) -> OwnerLock:
        """Take the lock and write down who has it.

        Raises:
            AlreadyRunning: Another process holds it; the message names it and how to stop it.
            PathError: The file cannot be opened.
        """
        descriptor = _open(path, os.O_RDWR | os.O_CREAT)
        # Someone who only asks who the holder is locks the file for a moment, too; so one refusal proves nothing.
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_BETWEEN_TRIES_S)
            if _try_lock(descriptor, fcntl.LOCK_EX):
                lock = cls(path, descriptor, Holder(os.getpid(), version, None, started.isoformat()))
                lock._write()
                return lock
        holder = _describe(descriptor)
        os.close(descriptor)
        raise AlreadyRunning(_explain(holder, path))

    @property
    def held(self) -> bool:
        """Whether this process still holds the lock."""
        return self._descriptor is not None

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


def find_holder(path: Path) -> Holder | None:
    """Return who holds the lock, ``None`` if nobody does.

    Raises:
        PathError: The file is there and cannot be read.
    """
    if not path.exists():
        return None
    if not path.is_file():
        raise PathError(f"cannot open the lock {path}: it is no file; move it away")
    descriptor = _open(path, os.O_RDONLY)
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else _describe(descriptor)
    finally:
        os.close(descriptor)


def _open(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
        if flags & os.O_CREAT:
            os.fchmod(descriptor, FILE_MODE)
    except OSError as error:
        raise PathError(f"cannot open the lock {path}: {error.strerror}") from error
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
