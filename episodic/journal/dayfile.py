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
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from episodic.errors import JournalUnwritable
from memoryd.text.durable import beside, in_64_bits, remove_leftover, sync_folder

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_ATTEMPTS = 20
_COPIES = ".*.memoryd-tmp"
_rewriting = threading.Lock()
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


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
    return Stamp(in_64_bits(status.st_ino), in_64_bits(status.st_mtime_ns), status.st_size)


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
        real = Path(os.path.realpath(path)) if path.is_symlink() else path
        with os.fdopen(os.open(real, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW), "r+b") as file:
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

    A link is followed, and the file behind it is replaced. A file that has other names would keep its old text there,
    so it is refused.

    Raises:
        JournalUnwritable: It cannot be written; it is as it was.
    """
    name, real = str(path), path
    try:
        real = path.resolve(strict=True)
        name = str(path) if real == path or not path.is_symlink() else f"{path}, a link to {real},"
        for _ in range(_ATTEMPTS):
            # A forgetting and a synchronisation may meet here: the later one changes what the first one made.
            with _rewriting:
                old, before = _read_regular(real)
                new = change(old)
                if new == old:
                    return
                if before.st_nlink > 1:
                    raise JournalUnwritable(
                        f"{name} has {before.st_nlink} names, and the text would stay under the others (find them with "
                        f"`find … -samefile {real}`); it is as it was. Remove the other names, then do it again"
                    )
                with beside(real, new, mode=stat.S_IMODE(before.st_mode)) as copy:
                    if stamp_of(real.stat()) == stamp_of(before):
                        copy.replace(real)
                        sync_folder(real.parent)
                        return
    except (OSError, RuntimeError) as error:  # a link that leads to itself is a RuntimeError
        raise JournalUnwritable(f"{name} could not be rewritten: {_reason(error)}; it is as it was") from error
    raise JournalUnwritable(f"{name} is being saved again and again by another program; it is as it was")


def remove_whole(path: Path, folder: Path) -> None:
    """Remove a file, and the file behind it where it is a link to one in ``folder``; one that is gone is no trouble.

    Raises:
        JournalUnwritable: Its text would stay: it is a link to a file elsewhere, it has other names, or it cannot be
            removed.
    """
    try:
        real = path.resolve()
        if not real.exists():
            path.unlink(missing_ok=True)
            return
        if not real.is_relative_to(folder.resolve()):
            raise JournalUnwritable(
                f"{path} is a link to {real}, which is not memoryd's to remove; remove that file, then do it again"
            )
        if (names := real.stat().st_nlink) > 1:
            raise JournalUnwritable(f"{path} has {names} names; remove the other ones, then do it again")
        real.unlink()
        path.unlink(missing_ok=True)
        sync_folder(real.parent)
    except (OSError, RuntimeError) as error:
        raise JournalUnwritable(f"{path} cannot be removed: {_reason(error)}") from error


def remove_leftovers(folder: Path) -> None:
    """Remove the copies that a rewrite left when its process was killed; they hold what was in the file.

    Raises:
        JournalUnwritable: One of them cannot be removed.
    """
    try:
        for path in folder.rglob(_COPIES):
            remove_leftover(path, older_than_s=0)
    except OSError as error:
        raise JournalUnwritable(f"a leftover below {folder} cannot be removed: {_reason(error)}") from error


def _read_regular(path: Path) -> tuple[bytes, os.stat_result]:
    # Opening a pipe would wait for somebody who writes to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no regular file")
        return file.read(), status


def lines_before(path: Path, offset: int) -> int:
    """Return how many lines end before a byte of a file; 0 where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(offset).count(b"\n")
    except OSError:
        return 0


def _opened(path: Path) -> tuple[int, bool]:
    # Whoever asks has seen where a link leads; what takes the place of its file meanwhile is not followed.
    real = Path(os.path.realpath(path)) if path.is_symlink() else path
    try:
        return os.open(real, _APPEND & ~os.O_CREAT), False
    except FileNotFoundError:
        descriptor = os.open(real, _APPEND, FILE_MODE)
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
    if intent.is_symlink():
        intent.unlink()  # it is ours alone, and a link would have it written elsewhere
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(intent, flags, FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"path": str(path), "size": size, "data": data}, file, ensure_ascii=False)


def _is_still(path: Path, inode: int) -> bool:
    try:
        return stamp_of(path.stat()).inode == inode
    except FileNotFoundError:
        return False


def _holds(path: Path, mark: bytes) -> bool:
    try:
        return mark in path.read_bytes()
    except OSError:
        return False


def _reason(error: OSError | RuntimeError) -> str:
    return getattr(error, "strerror", None) or str(error)
