"""What lies in a vault's folder: every note and file, and everything that could not be looked at."""

from __future__ import annotations

import os
import stat
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memoryd.text.durable import in_64_bits, is_leftover, remove_leftover
from memoryd.text.report import Problem
from memoryd.text.stop import stop_point
from semantic.vault.ignore import Ignore
from semantic.vault.resolve import NOTE_SUFFIX

MAX_NOTE_BYTES = 32 * 2**20
"""A larger file is no note that a person wrote; it is named and left alone."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A note file as the scan saw it: where it is on the disk, and what changes when its bytes do."""

    disk: Path
    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int

    @classmethod
    def of(cls, disk: Path, status: os.stat_result) -> Seen:
        """Return what a status says, in numbers that a database can hold."""
        mtime_ns, inode, ctime_ns = map(in_64_bits, (status.st_mtime_ns, status.st_ino, status.st_ctime_ns))
        return cls(disk, mtime_ns, status.st_size, inode, ctime_ns)

    @property
    def newest_ns(self) -> int:
        """The last change that the file system recorded."""
        return max(self.mtime_ns, self.ctime_ns)


@dataclass(slots=True)
class Scan:
    """Notes and other files by NFC path relative to the vault.

    ``complete`` is false if any folder could not be read: then nothing may be concluded from what is missing.
    ``unclear`` are notes that are there and could not be looked at. ``linked`` tells whether a folder was reached by a
    link: then a part of the vault may lie in two places, and only a whole scan says which of them counts.
    """

    notes: dict[str, Seen] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    complete: bool = True
    linked: bool = False


def see(disk: Path) -> Seen | None:
    """Return the state of a file, ``None`` where there is none."""
    try:
        status = disk.stat()
    except OSError:
        return None
    return Seen.of(disk, status)


def is_note(path: str) -> bool:
    """Tell whether a path has a note's ending."""
    return path.lower().endswith(NOTE_SUFFIX)


def scan_folder(vault: str, root: Path, ignore: Ignore, *, under: str = "", folder: Path | None = None) -> Scan:
    """Walk a vault, or the part of it below ``under``.

    Links to folders are followed, each real folder once, and never out of the vault: what lies elsewhere was not given
    to us to read. A file that is neither a regular file nor readable is a problem. A copy that a write of ours left
    when it was killed is removed once it is old.

    Args:
        vault: The vault's name, for the paths of problems.
        root: The vault's folder.
        ignore: What is left alone.
        under: A relative folder, empty for the whole.
        folder: That folder on the disk, where its spelling differs.
    """
    scan = Scan()
    waiting = [(under, folder or root / under)]
    visited: set[tuple[int, int]] = set()
    real_root = root.resolve()
    while waiting:
        stop_point()
        relative, here = waiting.pop()
        try:
            status = here.stat()
            if (status.st_dev, status.st_ino) in visited:
                continue
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(here) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            scan.complete = False
            reason = f"the folder cannot be read ({error.strerror}); what was known of it is kept"
            scan.problems.append(Problem(f"{vault}:{relative}", reason))
            continue
        for entry in listed:
            path = relative_path(relative, entry.name)
            if path is None:
                shown = f"{relative}/{os.fsencode(entry.name)!r}" if relative else repr(os.fsencode(entry.name))
                scan.problems.append(Problem(f"{vault}:{shown}", "the file name is not UTF-8; rename it to be read"))
                continue
            if _is_folder(entry):
                if not ignore.hides(path, folder=True) and may_be_read(scan, vault, path, Path(entry.path), real_root):
                    scan.linked = scan.linked or entry.is_symlink()
                    waiting.append((path, Path(entry.path)))
            elif is_leftover(entry.name):
                with suppress(OSError):  # it is hidden from every reader; the next scan tries again
                    remove_leftover(Path(entry.path))
            elif not ignore.hides(path):
                add_file(scan, vault, path, Path(entry.path), real_root)
    return scan


def is_inside(disk: Path, real_root: Path) -> bool:
    """Tell whether a path lies in the vault once every link on it is followed; one that leads nowhere does."""
    try:
        return disk.resolve(strict=True).is_relative_to(real_root)
    except (OSError, RuntimeError):
        return True  # whoever looks at it says what is wrong


def may_be_read(scan: Scan, vault: str, path: str, disk: Path, real_root: Path) -> bool:
    """Tell whether a path is no link out of the vault; one that is becomes a problem."""
    if not disk.is_symlink() or is_inside(disk, real_root):
        return True
    reason = "is a link that leads out of the vault, and is not followed; vault.paths can name its target as a vault"
    scan.problems.append(Problem(f"{vault}:{path}", reason))
    return False


def relative_path(folder: str, name: str) -> str | None:
    """Return the NFC path of a name in a folder; ``None`` if the name's bytes are not UTF-8."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return None
    name = unicodedata.normalize("NFC", name)
    return f"{folder}/{name}" if folder else name


def add_file(scan: Scan, vault: str, path: str, disk: Path, real_root: Path) -> None:
    """Look at one file and file it under notes, files or problems."""
    if not is_note(path):
        scan.files.add(path)
        return
    if not may_be_read(scan, vault, path, disk, real_root):
        return
    try:
        status = disk.stat()
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            scan.unclear.add(path)
        scan.problems.append(Problem(f"{vault}:{path}", f"cannot be looked at ({error.strerror})"))
        return
    if not stat.S_ISREG(status.st_mode):
        scan.problems.append(Problem(f"{vault}:{path}", "is no regular file and is not read"))
    elif status.st_size > MAX_NOTE_BYTES:
        megabytes = status.st_size // 2**20
        reason = f"has {megabytes} MiB, more than the {MAX_NOTE_BYTES // 2**20} MiB of a note, and is not read"
        scan.problems.append(Problem(f"{vault}:{path}", reason))
    elif path in scan.notes:
        reason = f"is there twice, in two Unicode spellings; only {scan.notes[path].disk.name!a} is read"
        scan.problems.append(Problem(f"{vault}:{path}", reason))
    else:
        scan.notes[path] = Seen.of(disk, status)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
