"""The job ``index``: compare the index with the files, or fill it anew from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from memoryd.jobs.argument import Argument
from memoryd.jobs.registry import Job, Run
from memoryd.text.report import Problem, Report

MOST_NAMED = 1_000
"""So many differences are named one by one; the others are counted."""

Tell = Callable[[str, int, int], None]


class Indexed(Protocol):
    """A store whose index can be compared with its files and filled anew. ``tell`` may raise to end the work."""

    def verify(self, tell: Tell) -> list[Problem]:
        """Return each difference between files, bookkeeping and index."""
        ...

    def rebuild(self, tell: Tell, *, accept_loss: bool = False) -> Report:
        """Read every file again and fill the index anew; with ``accept_loss`` what is missing is gone for good."""
        ...


def index_job(
    stores: Mapping[str, Indexed],
    *,
    after: Callable[[], None],
    is_scanned: Callable[[], bool],
) -> Job:
    """Return the job.

    Args:
        stores: By name; each is done in turn.
        after: Called when the index was filled anew: vectors are wanting.
        is_scanned: Says whether the files were looked at since the start. Before that they differ from what is known.
    """

    def run(arguments: Mapping[str, Any], handle: Run) -> dict[str, Any]:
        while not is_scanned():
            handle.tell("waits for the scan of the files")
            handle.rest(0.2)
        if arguments["action"] == "verify":
            return _verify(stores, handle)
        return _rebuild(stores, handle, after, accept_loss=arguments["accept_loss"])

    return Job(
        name="index",
        summary="Compare the index with the files, or fill it anew from them.",
        run=run,
        arguments=(
            Argument(name="action", choices=("verify", "rebuild"), is_required=True, meaning="What to do."),
            Argument(
                name="accept_loss",
                kind=bool,
                default=False,
                meaning="With rebuild: files that are missing are gone for good, even where most of them are.",
            ),
        ),
    )


def _verify(stores: Mapping[str, Indexed], run: Run) -> dict[str, Any]:
    found = [problem for store in stores.values() for problem in store.verify(run.tell)]
    return {
        "action": "verify",
        "differences": len(found),
        "items": [{"path": one.path, "reason": one.reason} for one in found[:MOST_NAMED]],
    }


def _rebuild(
    stores: Mapping[str, Indexed], run: Run, after: Callable[[], None], *, accept_loss: bool
) -> dict[str, Any]:
    report = Report()
    try:
        for store in stores.values():
            report += store.rebuild(run.tell, accept_loss=accept_loss)
    finally:
        after()
    return {
        "action": "rebuild",
        "files": report.files,
        "changed": report.changed,
        "removed": report.removed,
        "items": [{"path": one.path, "reason": one.reason} for one in report.problems[:MOST_NAMED]],
    }
