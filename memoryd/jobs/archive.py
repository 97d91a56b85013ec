"""A backup as a file: every file of ``memory/`` in one compressed archive, with a list of what each should hold.

Written under another name and then put in place, so that a file of its name is a whole backup. Read back, each file
is compared with the list: a backup that is damaged is refused before anything of it is used.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from memoryd.errors import BackupFailed
from memoryd.paths import FILE_MODE
from memoryd.text.durable import sync_folder

LIST_NAME = "memoryd-backup.json"
VERSION = 1
_TOP = "memory"
_LEVEL = 6
_TRIES = 5
_PASSED_FOLDERS = frozenset({".git", ".stfolder", ".stversions"})
_TEMPORARY = ".memoryd-tmp"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it stands in a backup."""

    data: bytes
    mtime_s: float


@dataclass(frozen=True, slots=True)
class Archived:
    """What a backup came to: how many files, their bytes, and in words what was passed over."""

    files: int
    size_bytes: int
    passed: tuple[str, ...]


def write_archive(
    memory: Path, file: Path, *, at: datetime, tell: Callable[[str], None], may_replace: bool = False
) -> Archived:
    """Write a backup of a memory folder while others write in it; it is durable when this returns.

    Raises:
        BackupFailed: There is such a file already, or it cannot be written. Nothing of it is left.
    """
    if file.exists() and not may_replace:
        raise BackupFailed(f"{file} is there already; name another file, or say that it may be replaced")
    if file.is_relative_to(memory):
        raise BackupFailed(f"{file} lies inside the memory, and would hold itself; name a file outside")
    beside = file.with_name(f".{file.name}.{os.getpid()}{_TEMPORARY}")
    try:
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with open(descriptor, "wb", closefd=True) as out:  # noqa: PTH123 - a descriptor, not a path
            archived = _write(memory, out, at, tell)
            out.flush()
            os.fsync(descriptor)
        if file.exists() and not may_replace:
            raise BackupFailed(f"{file} was made by somebody else at this moment; name another file")
        beside.replace(file)
        sync_folder(file.parent)
    except OSError as error:
        raise BackupFailed(f"cannot write {file}: {error.strerror or error}; nothing was kept of it") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return archived


def read_archive(file: Path, tell: Callable[[str], None]) -> dict[str, Kept]:
    """Return the files of a backup by their path below ``memory/``, each as its list has it.

    Raises:
        BackupFailed: It cannot be read, is no backup of ours, or is damaged.
    """
    found: dict[str, Kept] = {}
    listed: dict[str, Any] | None = None
    try:
        with tarfile.open(file, "r:gz") as archive:
            for member in archive:
                tell(f"reads {member.name}")
                source = archive.extractfile(member) if member.isreg() else None
                if source is None:
                    raise BackupFailed(f"{file} holds {member.name!r}, which is no plain file; it is no backup of ours")
                if member.name == LIST_NAME:
                    listed = json.load(source)
                else:
                    found[_place(file, member.name)] = Kept(source.read(), float(member.mtime))
    except FileNotFoundError as error:
        raise BackupFailed(f"there is no {file}") from error
    except (OSError, EOFError, tarfile.TarError, ValueError, RecursionError, zlib.error) as error:
        raise BackupFailed(f"{file} cannot be read: {type(error).__name__}; it is damaged, or no backup") from error
    _compare(file, found, listed)
    return found


def _write(memory: Path, out: IO[bytes], at: datetime, tell: Callable[[str], None]) -> Archived:
    listed: dict[str, str] = {}
    passed: list[str] = []
    size = 0
    with (
        gzip.GzipFile(fileobj=out, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in _files(memory, passed):
            shown = path.relative_to(memory).as_posix()
            tell(f"keeps {shown}")
            try:
                kept = _read(path)
            except FileNotFoundError:
                continue  # deleted this moment
            except OSError as error:
                raise BackupFailed(
                    f"cannot read {path}: {error.strerror}; a backup without it would be no backup"
                ) from error
            _add(archive, f"{_TOP}/{shown}", kept)
            listed[shown] = hashlib.sha256(kept.data).hexdigest()
            size += len(kept.data)
        body = {"v": VERSION, "at": at.isoformat(), "files": listed}
        _add(archive, LIST_NAME, Kept(json.dumps(body, ensure_ascii=False).encode(), at.timestamp()))
    return Archived(len(listed), size, tuple(passed))


def _files(memory: Path, passed: list[str]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise BackupFailed(f"cannot look into {error.filename}: {error.strerror}; nothing was kept") from error

    for folder, below, names in os.walk(memory, onerror=refuse):
        below[:] = sorted(name for name in below if name not in _PASSED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            if name.endswith(_TEMPORARY):
                continue
            if path.is_symlink() or not path.is_file():
                passed.append(f"{path.relative_to(memory).as_posix()} is no plain file")
            else:
                yield path


def _read(path: Path) -> Kept:
    """Read a file that others may write to: as it stood at one moment, where there is such a moment."""
    before, data, after = path.stat(), path.read_bytes(), path.stat()
    for _ in range(_TRIES):
        if (before.st_mtime_ns, before.st_size, before.st_ino) == (after.st_mtime_ns, after.st_size, after.st_ino):
            break
        before, data, after = after, path.read_bytes(), path.stat()
    if path.suffix == ".ndjson":
        # An unfinished line was not acknowledged yet.
        data = data[: data.rfind(b"\n") + 1]
    return Kept(data, after.st_mtime)


def _add(archive: tarfile.TarFile, name: str, kept: Kept) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(kept.data)
    member.mtime = int(kept.mtime_s)
    member.mode = FILE_MODE
    archive.addfile(member, io.BytesIO(kept.data))


def _place(file: Path, name: str) -> str:
    """Return a member's path below ``memory/``; one that leads elsewhere is refused."""
    parts = PurePosixPath(name).parts
    if parts[:1] != (_TOP,) or len(parts) < 2 or ".." in parts or name.startswith("/") or "\0" in name:
        raise BackupFailed(f"{file} holds {name!r}, which lies outside the memory; it is no backup of ours")
    return "/".join(parts[1:])


def _compare(file: Path, found: dict[str, Kept], listed: dict[str, Any] | None) -> None:
    if not isinstance(listed, dict) or not isinstance(listed.get("files"), dict):
        raise BackupFailed(f"{file} has no list of what it holds; it is cut off, or no backup of ours")
    if listed.get("v") != VERSION:
        raise BackupFailed(f"{file} was written by a later version of memoryd; use that one")
    wanted = listed["files"]
    wrong = sorted(
        path
        for path in wanted.keys() | found.keys()
        if path not in found or hashlib.sha256(found[path].data).hexdigest() != wanted.get(path)
    )
    if wrong:
        raise BackupFailed(f"{file} is damaged: {', '.join(wrong[:5])} ({len(wrong)} in all) are not what they were")
