"""The jobs ``backup`` and ``restore``: the memory as one file, and back without losing or reviving anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from memoryd.errors import BackupFailed
from memoryd.jobs.archive import Kept, read_archive, write_archive
from memoryd.jobs.argument import Argument
from memoryd.jobs.registry import Job, Jobs, Run
from memoryd.jobs.remote import write_whole
from memoryd.jobs.retention import backup_name, drop_old, is_due
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.trees import Tree, is_synced

LOOK_MINUTES = 30
"""How often to see whether a backup is due."""
_MOST_NAMED = 200


class TakesIn(Protocol):
    """What brings the files of another copy into this memory."""

    def take_in(self, theirs: Tree, *, keeps_both: bool) -> dict[str, Any]:
        """Bring in what is not here; nothing is removed, and nothing that was forgotten comes back."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """Where backups go by themselves, how often, and how many stay; without a folder none are made."""

    folder: Path | None
    every: timedelta
    keep: int


def backup_job(memory: Path, plan: Plan, *, clock: Callable[[], datetime]) -> Job:
    """Return the job that writes a backup: to the file that it is told, else into the folder of the plan."""

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        now = clock()
        given = arguments["file"]
        if given is None and plan.folder is None:
            raise BackupFailed("no folder for backups is set; name a file, or set backup.folder in config.toml")
        file = Path(given) if given is not None else (plan.folder or Path()) / backup_name(now)
        if not file.is_absolute():
            raise BackupFailed("file: must be a full path")
        done = write_archive(memory, file, at=now, tell=handle.tell, may_replace=arguments["replace"])
        dropped = drop_old(plan.folder, keep=plan.keep) if given is None and plan.folder is not None else []
        return {
            "file": str(file),
            "files": done.files,
            "bytes": done.size_bytes,
            "file_bytes": file.stat().st_size,
            "passed": list(done.passed[:_MOST_NAMED]),
            "dropped": [path.name for path in dropped],
        }

    return Job(
        name="backup",
        summary="Write the memory into one file.",
        run=run,
        arguments=(
            Argument(name="file", meaning="Full path of the file; without it, into the folder of the settings."),
            Argument(name="replace", kind=bool, default=False, meaning="Whether a file of that name may be replaced."),
        ),
    )


def restore_job(memory: Path, takes_in: TakesIn, *, after: Callable[[], None], is_scanned: Callable[[], bool]) -> Job:
    """Return the job that takes a backup in.

    Args:
        memory: The memory folder.
        takes_in: Unites log and days, and keeps what was forgotten from coming back.
        after: Called when files came: vectors are wanting.
        is_scanned: Says whether the files were looked at since the start.
    """

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        while not is_scanned():
            handle.tell("waits for the scan of the files")
            handle.rest(0.2)
        kept = read_archive(Path(arguments["file"]), handle.tell)
        handle.tell("takes in what is not here")
        theirs = {path: one.data for path, one in kept.items() if is_synced(path)}
        came = takes_in.take_in(theirs, keeps_both=arguments["keep_both"])
        hidden = _put_hidden(memory, kept)
        _set_times(memory, kept, came["taken"])
        after()
        return {
            "files": len(kept),
            "taken": [*came["taken"], *hidden][:_MOST_NAMED],
            "taken_count": came["taken_count"] + len(hidden),
            "kept": came["kept"][:_MOST_NAMED],
            "kept_count": len(came["kept"]),
            "conflicts": came["conflicts"],
        }

    return Job(
        name="restore",
        summary="Take in what a backup holds and is not here; nothing here is removed or replaced.",
        run=run,
        arguments=(
            Argument(name="file", is_required=True, meaning="Full path of the backup."),
            Argument(
                name="keep_both",
                kind=bool,
                default=False,
                meaning="Put the backup's version of a changed file beside it, instead of leaving it out.",
            ),
        ),
    )


def add_backups(jobs: Jobs, memory: Path, plan: Plan, takes_in: TakesIn, *, clock: Callable[[], datetime]) -> None:
    """Register both jobs; the scan that follows a restore is the one of everything."""
    jobs.register(backup_job(memory, plan, clock=clock))
    jobs.register(
        restore_job(
            memory,
            takes_in,
            after=partial(jobs.start_unless_running, "scan"),
            is_scanned=lambda: not jobs.is_running("scan"),
        )
    )


def schedule_backups(schedule: Schedule, jobs: Jobs, plan: Plan, *, clock: Callable[[], datetime]) -> None:
    """Have a backup made whenever the last one is old enough, after a sleep once, or the last try failed."""
    folder = plan.folder
    if folder is None:
        return

    def look() -> None:
        with suppress(OSError):
            has_failed = jobs.get("backup").state == "failed"
            if not has_failed and not is_due(folder, every=plan.every, now=clock()):
                return
        jobs.start_unless_running("backup")

    schedule.every(LOOK_MINUTES, "backup", look)


def _put_hidden(memory: Path, kept: Mapping[str, Kept]) -> list[str]:
    """Put back files that no merge knows, such as a vault's own settings, where they are missing."""
    put = []
    for path, one in kept.items():
        place = memory / path
        if not is_synced(path) and not path.startswith("log/") and not place.exists():
            write_whole(place, one.data)
            put.append(path)
    return put


def _set_times(memory: Path, kept: Mapping[str, Kept], taken: list[str]) -> None:
    """Give files that came back whole the time at which they were last changed."""
    for path in taken:
        place = memory / path
        with suppress(OSError, KeyError):
            if place.read_bytes() == kept[path].data:
                os.utime(place, (kept[path].mtime_s, kept[path].mtime_s))
