"""What the daemon does to stay in order: the jobs ``active``, ``propose``, ``verify`` and ``retention``."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from episodic.journal.excerpt import EXCERPTS
from memoryd.errors import IndexDiffers
from memoryd.jobs.backup import Plan
from memoryd.jobs.index import Indexed
from memoryd.jobs.registry import Job, Jobs, Run
from memoryd.jobs.regular import Regular, schedule_regular
from memoryd.jobs.retention import drop_old
from memoryd.jobs.schedule import Schedule
from memoryd.settings import JobsSettings
from semantic.model import Cost
from semantic.store import SemanticStore

MOST_NAMED = 50
_NAMED_IN_WORDS = 3
_REST_S = 0.2


def look_after(
    schedule: Schedule,
    jobs: Jobs,
    chosen: JobsSettings,
    *,
    semantic: SemanticStore,
    episodic: Indexed,
    memory: Path,
    backups: Plan,
    cost: Cost,
    clock: Callable[[], datetime],
) -> None:
    """Register these jobs, and set the timers of all that begin by themselves; ``scan`` and ``share`` are known."""
    jobs.register(active_job(semantic, cost))
    jobs.register(propose_job(semantic))
    jobs.register(
        verify_job(
            {"episodic": episodic, "semantic": semantic},
            is_quiet=lambda: not any(jobs.is_running(name) for name in ("scan", "index")),
        )
    )
    jobs.register(
        retention_job(
            memory,
            backups=backups.folder,
            keep_backups=backups.keep,
            keep_excerpts_days=chosen.keep_excerpts_days,
            clock=clock,
        )
    )
    for name in ("scan", "share"):
        schedule.every(chosen.scan_minutes, name, partial(jobs.start_unless_running, name))
    hours = {
        "active": chosen.active_hours,
        "propose": chosen.propose_hours,
        "verify": chosen.verify_hours,
        "retention": chosen.retention_hours,
    }
    schedule_regular(schedule, jobs, [Regular(name, timedelta(hours=one)) for name, one in hours.items()], clock=clock)


def active_job(semantic: SemanticStore, cost: Cost) -> Job:
    """Return the job ``active``: a pass over the active set of every scope, as a context would make it when asked.

    Args:
        semantic: The store.
        cost: What an element takes in the rendered text, in UTF-16 units.
    """

    def run(_: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        projects = [project.id for project in semantic.projects()]
        passed, active = 0, 0
        for number, project in enumerate([None, *projects]):
            handle.tell("weighs what is known", number, len(projects) + 1)
            scope = "user" if project is None else "project"
            settled = semantic.settle_active(scope, project, cost=cost)  # type: ignore[arg-type] # one of the two
            passed, active = passed + 1, active + len(settled.active)
        return {"scopes": passed, "active": active}

    return Job(name="active", summary="Bring the active set of every scope within its budget.", run=run)


def propose_job(semantic: SemanticStore) -> Job:
    """Return the job ``propose``: look for elements that are one, facts that recur, evidence; nothing is recorded."""

    def run(_: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        handle.tell("looks for what could be tidied")
        proposed = [plan for plan in semantic.planning.list() if plan.state == "proposed"]
        return {
            "proposed": dict(Counter(plan.kind for plan in proposed)),
            "items": [{"id": plan.id, "title": plan.title} for plan in proposed[:MOST_NAMED]],
        }

    return Job(name="propose", summary="Look for what could be tidied; `memoryd plan list` shows it.", run=run)


def verify_job(stores: Mapping[str, Indexed], *, is_quiet: Callable[[], bool]) -> Job:
    """Return the job ``verify``: compare the indexes with the files; a difference is the run's failure.

    Args:
        stores: By name.
        is_quiet: Says whether nothing else is at the indexes: what is half done differs.
    """

    def run(_: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        while not is_quiet():
            handle.tell("waits for the scan of the files")
            handle.rest(_REST_S)
        found = [problem for store in stores.values() for problem in store.verify(handle.tell)]
        if found:
            named = "; ".join(f"{one.path}: {one.reason}" for one in found[:_NAMED_IN_WORDS])
            raise IndexDiffers(
                f"{len(found)} differences between files and index, such as {named}; `memoryd index verify` lists "
                "them, `memoryd index rebuild` mends them"
            )
        return {"differences": 0}

    return Job(name="verify", summary="Compare the indexes with the files.", run=run)


def retention_job(
    memory: Path, *, backups: Path | None, keep_backups: int, keep_excerpts_days: int, clock: Callable[[], datetime]
) -> Job:
    """Return the job ``retention``: take away what is kept no longer. The journal itself is always kept.

    Args:
        memory: The folder of the truth.
        backups: The folder of backups, if there is one.
        keep_backups: How many of them stay.
        keep_excerpts_days: How old an account of a turn may become; 0: all stay.
        clock: Returns the present, aware.
    """

    def run(_: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        dropped = drop_old(backups, keep=keep_backups) if backups is not None else []
        gone = 0
        if keep_excerpts_days:
            before = (clock() - timedelta(days=keep_excerpts_days)).timestamp()
            for file in _excerpts(memory / EXCERPTS):
                handle.check()
                if file.stat(follow_symlinks=False).st_mtime < before:
                    file.unlink(missing_ok=True)
                    gone += 1
        return {"backups": [path.name for path in dropped], "excerpts": gone}

    return Job(name="retention", summary="Take away backups and accounts of turns that are kept no longer.", run=run)


def _excerpts(folder: Path) -> Iterator[Path]:
    """Yield the accounts of turns; what is no file of its own is none of ours."""
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place) / name
            if name.endswith(".md") and stat.S_ISREG(file.lstat().st_mode):
                yield file
