"""The job ``sync``: bring this memory and a remote copy of it together, by the rules of :mod:`memoryd.jobs.trees`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from episodic.errors import Unmergeable
from episodic.journal.dayfile import rewrite
from episodic.journal.merge import merge_day
from episodic.journal.primary import NAME as PRIMARY
from episodic.journal.primary import day_of
from memoryd.errors import SyncFailed, SyncRefused
from memoryd.jobs.argument import Argument
from memoryd.jobs.registry import Job, Jobs, Run, RunCancelledError
from memoryd.jobs.remote import MARKER, is_missing_folder, remote_of, write_whole
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.trees import Marks, Tree, is_synced, marks_of, merge_trees
from memoryd.text.canonical import digest, sha256_hex
from memoryd.text.report import Report

_ROUNDS = 5
_MOST_NAMED = 200

Stamps = dict[str, tuple[int, int, int]]
"""Inode, size and last change of each file."""


class Files(Protocol):
    """Takes in files of the log and the attention record."""

    def take(self, files: Tree) -> list[str]:
        """Bring files together with those that are here; return those that changed."""
        ...


class Knows(Protocol):
    """The semantic memory, as far as this job asks it."""

    @property
    def taking(self) -> Files:
        """What takes in files."""
        ...

    def forgotten(self) -> frozenset[str]:
        """Return every id that was forgotten."""
        ...

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at changed paths."""
        ...


class Remembers(Protocol):
    """The episodic memory, as far as this job asks it."""

    def set_refused(self, ids: Iterable[str]) -> None:
        """Refuse ids that were forgotten."""
        ...

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at changed paths."""
        ...


class Sync:
    """Brings the memory and a remote together. One run at a time.

    Args:
        memory: The folder ``memory/``.
        folder: Below the state: our copy of a git remote, and what was in common the last time.
        semantic: Takes in the log and the attention record.
        episodic: Learns what is forgotten, and which files changed.
    """

    def __init__(self, memory: Path, folder: Path, semantic: Knows, episodic: Remembers) -> None:
        self._memory = memory
        self._folder = folder
        self._semantic = semantic
        self._episodic = episodic
        self._alike: dict[str, tuple[Stamps, Stamps]] = {}  # by address: both sides when there was nothing to do
        self.problem: str | None = None

    def run(
        self,
        address: str,
        tell: Callable[[str], None] = lambda _: None,
        *,
        is_new: bool = False,
        makes_folder: bool = True,
    ) -> dict[str, Any]:
        """Merge, write what changed here, and hand over what changed there; return what it came to.

        ``is_new`` takes nothing as removed; ``makes_folder`` makes the folder of a copy where there is none.

        Raises:
            SyncFailed: The remote cannot be used, or others kept writing it.
            WriteFailed: A file here could not be written; the next run goes on from there.
        """
        remote = remote_of(address, self._folder / "git", os.environ, makes_folder=makes_folder)
        marks_file = self._folder / f"base-{digest(address, length=16)}.json"
        base = {} if is_new else _read_marks(marks_file)
        taken: set[str] = set()
        conflicts: dict[tuple[str, str], None] = {}
        for _ in range(_ROUNDS):
            tell("reads the remote")
            with remote.opened(is_known=bool(base)) as place:
                # Taken before the files are read: what is written meanwhile is seen by the next run.
                stamps = _stamps(self._memory), _stamps(place)
                if base and self._alike.get(address) == stamps:
                    return _came_to((), (), ())
                theirs, ours = _read_tree(place), _read_tree(self._memory)
                merged = merge_trees(ours, theirs, base)
                conflicts |= dict.fromkeys((one.path, one.reason) for one in merged.conflicts)
                tell("writes what is new here")
                taken |= self._write_here(ours, merged.files)
                tell("writes what is new there")
                given = _write_there(place, theirs, merged.files)
                if remote.publish():
                    if not taken and not given:
                        self._alike[address] = stamps
                    write_whole(marks_file, json.dumps(marks_of(merged.files)).encode())
                    return _came_to(taken, given, conflicts)
        raise SyncFailed("others kept writing the remote; nothing is lost, run it again")

    def take_in(self, theirs: Tree, *, keeps_both: bool) -> dict[str, Any]:
        """Bring in what a copy holds and is not here, such as a backup; nothing here is removed.

        Of a file that differs the one here stays; with ``keeps_both`` the other gets a place beside it. Shards,
        records and days are united.
        """
        ours = _read_tree(self._memory)
        differ = [path for path, data in theirs.items() if path in ours and ours[path] != data and _is_plain(path)]
        # What the copy has counts as known before, so that only ours is new.
        base = {} if keeps_both else {path: (f"file {sha256_hex(theirs[path])}",) for path in differ}
        merged = merge_trees(ours, theirs, base)
        taken = self._write_here(ours, merged.files)
        conflicts = dict.fromkeys((one.path, one.reason) for one in merged.conflicts)
        return _came_to(taken, (), conflicts) | {"kept": [] if keeps_both else sorted(differ)}

    def _write_here(self, ours: Tree, merged: Tree) -> set[str]:
        lines = {path: data for path, data in merged.items() if _is_lines(path) and ours.get(path) != data}
        changed = set(self._semantic.taking.take(lines))
        # What was forgotten elsewhere is refused before a file could bring it back.
        self._episodic.set_refused(self._semantic.forgotten())
        for path, data in merged.items():
            if not _is_lines(path) and ours.get(path) != data and self._write_file(path, ours.get(path), data):
                changed.add(path)
        for path in ours.keys() - merged.keys():
            place = self._memory / path
            with suppress(OSError):
                if place.read_bytes() == ours[path]:
                    place.unlink()
                    changed.add(path)
        paths = [self._memory / path for path in changed]
        if paths:
            self._semantic.refresh(paths)
            self._episodic.refresh(paths)
        return changed

    def _write_file(self, path: str, before: bytes | None, data: bytes) -> bool:
        place = self._memory / path
        day = day_of(path.removeprefix("journal/")) if path.startswith("journal/") else None
        if before is None:
            if place.exists():
                return False  # written this moment: the next run merges it
            write_whole(place, data)
            return True

        def change(now: bytes) -> bytes:
            if now == before:
                return data
            if day is None:
                return now
            try:
                return merge_day(now, data, file=path, day=day, forgotten=self._semantic.forgotten()).data
            except Unmergeable:
                return now

        rewrite(place, change)
        return True


def sync_job(sync: Sync, *, remote: str | None, choose: Callable[[str], None]) -> Job:
    """Return the job.

    Args:
        sync: Does it.
        remote: The address that the settings name, if any.
        choose: Writes an address into the settings.
    """
    chosen = remote

    def check(arguments: Mapping[str, Any]) -> None:
        address = arguments["remote"]
        if address is None:
            return
        if chosen is not None and chosen != address and not arguments["force"]:
            raise SyncRefused(
                f"this memory is synchronised with {chosen}; send force: true to choose {address} instead"
            )
        if not arguments["create"] and is_missing_folder(address):
            raise SyncRefused(f"there is no folder {address}; mount it, or send create: true to have it made")

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        nonlocal chosen
        address = arguments["remote"] or chosen
        if address is None:
            raise SyncFailed("no remote is set; name one with `memoryd sync setup FOLDER-OR-ADDRESS`")
        is_new = bool(arguments["remote"])
        try:
            result = sync.run(address, handle.tell, is_new=is_new, makes_folder=arguments["create"])
        except RunCancelledError:
            raise
        except Exception as error:
            sync.problem = f"the last synchronisation failed: {error}"
            raise
        sync.problem = None
        if is_new:
            choose(address)
            chosen = address
        return result

    return Job(
        name="sync",
        summary="Bring this memory together with its remote copy.",
        run=run,
        check=check,
        arguments=(
            Argument(name="remote", meaning="A folder or a git address to begin with; it is kept in the settings."),
            Argument(name="create", kind=bool, default=False, meaning="Make the folder if it is not there."),
            Argument(name="force", kind=bool, default=False, meaning="Replace the copy that was chosen before."),
        ),
    )


def schedule_sync(schedule: Schedule, jobs: Jobs, every_minutes: int | None) -> None:
    """Set the timer of the job, if there is to be one. A run that is due while one is under way is left out."""
    if every_minutes is not None:
        schedule.every(every_minutes, "sync", partial(jobs.start_unless_running, "sync"))


def _is_plain(path: str) -> bool:
    """Tell whether a file has no form that two versions of it could be united in."""
    return not _is_lines(path) and path != PRIMARY and day_of(path.removeprefix("journal/")) is None


def _is_lines(path: str) -> bool:
    return path.startswith(("log/", "attention/"))


def _read_tree(root: Path) -> dict[str, bytes]:
    return {shown: path.read_bytes() for shown, path in _files(root)}


def _stamps(root: Path) -> Stamps:
    """Return what tells of each file whether it is still the one that was read."""
    found: Stamps = {}
    for shown, path in _files(root):
        with suppress(OSError):
            status = path.stat()
            found[shown] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in names:
            path = Path(folder) / name
            shown = path.relative_to(root).as_posix()
            if name != MARKER and is_synced(shown) and path.is_file() and not path.is_symlink():
                yield shown, path


def _write_there(root: Path, theirs: Tree, merged: Tree) -> list[str]:
    given = [path for path, data in merged.items() if theirs.get(path) != data]
    for path in given:
        write_whole(root / path, merged[path])
    gone = [path for path in theirs if path not in merged]
    for path in gone:
        (root / path).unlink(missing_ok=True)
    return [*given, *gone]


def _read_marks(path: Path) -> Marks:
    try:
        read = json.loads(path.read_bytes())
        return {str(name): tuple(map(str, marks)) for name, marks in read.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}  # without it nothing is taken as removed


def _came_to(taken: Iterable[str], given: Iterable[str], conflicts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    taken, given = sorted(taken), sorted(given)
    return {
        "taken": taken[:_MOST_NAMED],
        "taken_count": len(taken),
        "given": given[:_MOST_NAMED],
        "given_count": len(given),
        "conflicts": [{"path": path, "reason": reason} for path, reason in conflicts][:_MOST_NAMED],
    }
