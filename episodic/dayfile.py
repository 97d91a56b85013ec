"""Writing to day files so that nothing acknowledged is lost and nothing is left half-written.

An append is one write to the end of the file and one fsync. Before it, what is about to be written is noted beside
the index, so that a torn tail left by a kill is recognised and cut off at the next start. After it, the file's inode
is compared: an editor that saved by renaming has taken the file away, and the entry is written again to the new one.
Folders are 0700 and files 0600 whatever the umask.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from episodic.errors import JournalUnwritable

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_ATTEMPTS = 20
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells a file as it was from a file as it is."""

    inode: int
    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class Written:
    """A done append: the file before (``None`` where it was made) and after, and the byte where the section starts."""

    before: Stamp | None
    after: Stamp
    ended_in_newline: bool
    offset: int


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a stat result."""
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, each new one 0700.

    Raises:
        JournalUnwritable: It cannot be made, or something else has its name.
    """
    missing = []
    folder = path
    while not folder.exists() and not folder.is_symlink():
        missing.append(folder)
        folder = folder.parent
    try:
        for folder in reversed(missing):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
            folder.chmod(FOLDER_MODE)
            sync_folder(folder.parent)
        if not path.is_dir():
            raise NotADirectoryError("it is no folder")
    except OSError as error:
        raise JournalUnwritable(f"the folder {path} cannot be made: {_reason(error)}") from error


def append(path: Path, section: str, *, heading: str, mark: bytes, intent: Path) -> Written:
    """Append a section to a day file; it is on the disk when this returns.

    Args:
        path: The day file. A new one starts with ``heading``.
        section: Text that ends in a newline. A blank line sets it off.
        heading: The first line of a new file, with its end.
        mark: Bytes that stand in the section and nowhere else, to find it after an editor's save.
        intent: A file beside the index in which the append is noted first.

    Raises:
        JournalUnwritable: The file cannot be written; it is as it was.
    """
    for _ in range(_ATTEMPTS):
        try:
            descriptor, is_new = _opened(path)
        except OSError as error:
            raise JournalUnwritable(f"{path} cannot be opened for writing: {_reason(error)}") from error
        try:
            written = _append_once(descriptor, path, section, heading, intent)
            if is_new:
                sync_folder(path.parent)
        except OSError as error:
            if is_new:
                _remove_empty(path)
            raise JournalUnwritable(
                f"{path} could not be written: {_reason(error)}; the entry is not in it. "
                "Make room, or make the folder writable, and send it again"
            ) from error
        finally:
            os.close(descriptor)
        if _is_still(path, written.after.inode) or _holds(path, mark):
            return written
    raise JournalUnwritable(f"{path} is being replaced again and again by another program; the entry is not in it")


def recover(intent: Path) -> str | None:
    """Cut off the torn tail that an append left when its process was killed, and say so in words.

    A tail is cut only where it is exactly the beginning of what was noted, and stands at the noted place.
    """
    try:
        noted = json.loads(intent.read_bytes())
        path, size, data = Path(noted["path"]), int(noted["size"]), str(noted["data"]).encode()
        with path.open("r+b") as file:
            file.seek(size)
            tail = file.read(len(data) + 1)
            if not tail or len(tail) >= len(data) or not data.startswith(tail):
                return None
            file.truncate(size)
            os.fsync(file.fileno())
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nothing was noted, or the file is gone: there is no tail to cut
    return f"{path.name}: the last write was interrupted before it was confirmed; its {len(tail)} bytes were cut off"


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace a file by a changed copy in one step. A save that comes between is taken in and changed too.

    Raises:
        JournalUnwritable: It cannot be written; it is as it was.
    """
    temporary = path.with_name(f".{path.name}.memoryd-tmp")
    try:
        for _ in range(_ATTEMPTS):
            with path.open("rb") as file:
                before = os.fstat(file.fileno())
                old = file.read()
            new = change(old)
            if new == old:
                return
            write_file(temporary, new, mode=stat.S_IMODE(before.st_mode))
            if stamp_of(path.stat()) == stamp_of(before):
                temporary.replace(path)
                sync_folder(path.parent)
                return
    except OSError as error:
        raise JournalUnwritable(f"{path} could not be rewritten: {_reason(error)}; it is as it was") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    raise JournalUnwritable(f"{path} is being saved again and again by another program; it is as it was")


def write_file(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Write a whole new file with this mode and fsync it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make a folder's entries durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> tuple[int, bool]:
    try:
        return os.open(path, _APPEND & ~os.O_CREAT), False
    except FileNotFoundError:
        descriptor = os.open(path, _APPEND, FILE_MODE)
        os.fchmod(descriptor, FILE_MODE)
        return descriptor, True


def _append_once(descriptor: int, path: Path, section: str, heading: str, intent: Path) -> Written:
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise OSError("it is no regular file")
    size = before.st_size
    ended = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
    lead = f"{heading}\n" if size == 0 else "\n" if ended else "\n\n"
    data = (lead + section).encode()
    _note(intent, path, size, lead + section)
    try:
        _write_at_once(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        _take_back(descriptor, size, data)
        raise
    after = os.fstat(descriptor)
    return Written(stamp_of(before) if size else None, stamp_of(after), ended, after.st_size - len(section.encode()))


def _write_at_once(descriptor: int, data: bytes) -> None:
    done = os.write(descriptor, data)
    if done != len(data):
        raise OSError(f"only {done} of {len(data)} bytes fitted")


def _remove_empty(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def _take_back(descriptor: int, size: int, data: bytes) -> None:
    """Cut off a part of a write, unless something else was appended behind it since."""
    with contextlib.suppress(OSError):
        tail = os.pread(descriptor, len(data) + 1, size)
        if tail and data.startswith(tail):
            os.ftruncate(descriptor, size)


def _note(intent: Path, path: Path, size: int, data: str) -> None:
    """Note an append that is about to be made. No fsync: it must outlive a kill, not the machine."""
    descriptor = os.open(intent, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"path": str(path), "size": size, "data": data}, file, ensure_ascii=False)


def _is_still(path: Path, inode: int) -> bool:
    try:
        return path.stat().st_ino == inode
    except FileNotFoundError:
        return False


def _holds(path: Path, mark: bytes) -> bool:
    try:
        return mark in path.read_bytes()
    except OSError:
        return False


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
