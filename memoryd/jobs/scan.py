"""Bringing the indexes up to the files: once at the start, after file events, and now and then in between."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

import structlog

from memoryd.jobs.registry import RunCancelledError
from memoryd.text.report import Problem, Report
from memoryd.text.stop import stoppable

log = structlog.get_logger("memoryd.scan")

MANY_PATHS = 1_000
"""A burst of so many paths may have overrun the system's queue of events, and not all of them are told of."""
MOST_HAPPENED = 50
"""So much of what was done about files is remembered; a pass over everything does not undo it."""


class Scanned(Protocol):
    """A store whose index follows files."""

    def reconcile(self) -> Report:
        """Look at every file and bring the index up to date."""
        ...

    def refresh(self, paths: Iterable[Path]) -> Report:
        """Look at these paths only (a folder means all below it)."""
        ...


class Scan:
    """Runs one pass at a time over all stores and keeps what it met.

    A store that fails is named in ``failures`` and does not keep the others from being read. ``after`` is called when
    something was indexed: the embedding queue wants to know. ``clock`` returns the present in the zone of the person.
    """

    def __init__(
        self, stores: Mapping[str, Scanned], *, clock: Callable[[], datetime], after: Callable[[], None] | None = None
    ) -> None:
        self._stores = stores
        self._clock = clock
        self._after = after
        self._one_at_a_time = threading.Lock()
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._failures: dict[str, str] = {}
        self._last_good: dict[str, datetime] = {}
        self._missed: dict[str, set[Path]] = {}
        self._whole: set[str] = set()
        self._looked_at = 0
        self._is_stopping = False

    def stop(self) -> None:
        """End the pass under way at the next file and begin no further one; the next start looks at everything."""
        self._is_stopping = True

    @property
    def is_complete(self) -> bool:
        """Whether a pass over every store has ended since the start; a store that failed is named in ``failures``."""
        return self._whole == self._stores.keys()

    @property
    def reading(self) -> str | None:
        """In words, that not everything was looked at since the start; ``None`` once it was."""
        if self.is_complete:
            return None
        return (
            "the notes and the journal are still being read since the start, "
            f"{self._looked_at} files and folders so far: what is missing here may be found in a moment"
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Each file that could not be read whole, as of the last look at it, and what was done about files since.

        A vault that is away is away for both stores, and told once: by the one that keeps its notes.
        """
        problems = [problem for found in self._problems.values() for problem in found]
        told = {f"vault {problem.path.removesuffix(':')}" for problem in problems if problem.path.endswith(":")}
        return tuple(problem for problem in problems if problem.path not in told)

    @property
    def failures(self) -> Mapping[str, str]:
        """Stores whose last pass failed, with the reason and when they were last read whole."""
        return dict(self._failures)

    def run(self, check: Callable[[], None] = lambda: None) -> None:
        """Look at every file of every store. ``check`` is called before each file; what it raises ends the pass.

        Raises:
            RunCancelledError: The daemon goes down.
        """

        def go_on() -> None:
            check()
            self._check()
            self._looked_at += 1

        with self._one_at_a_time, stoppable(go_on):
            for name, store in self._stores.items():
                go_on()
                self._reconcile(name, store)
        self._tell()

    def catch_up(self) -> None:
        """Look at everything, as :meth:`run`; that the daemon goes down meanwhile is no failure."""
        with contextlib.suppress(RunCancelledError):
            self.run()

    def follow(self, paths: set[Path]) -> None:
        """Look at changed paths; after very many, at everything, since the system may have dropped some events."""
        with self._one_at_a_time, stoppable(self._check), contextlib.suppress(RunCancelledError):
            for name, store in self._stores.items():
                self._check()
                self._refresh(name, store, paths | self._missed.pop(name, set()))
                if len(paths) >= MANY_PATHS:
                    self._reconcile(name, store)
        self._tell()

    def _check(self) -> None:
        if self._is_stopping:
            raise RunCancelledError

    def _refresh(self, name: str, store: Scanned, paths: set[Path]) -> None:
        try:
            report = store.refresh(paths)
        except RunCancelledError:
            raise
        except Exception as error:
            # The other store must hear of the paths all the same; this one hears of them again with the next burst,
            # or looks at everything.
            log.exception("refresh_failed", store=name, paths=len(paths))
            self._fail(name, error)
            self._missed[name] = paths
            return
        self._failures.pop(name, None)
        if report.changed or report.removed:
            log.info("refreshed", store=name, changed=report.changed, removed=report.removed)
        self._problems[name] = _joined(self._problems.get(name, ()), report)

    def _fail(self, name: str, error: Exception) -> None:
        good = self._last_good.get(name)
        when = "not yet since the start" if good is None else f"{good:%Y-%m-%d %H:%M}"
        self._failures[name] = f"{type(error).__name__}: {error} (last read whole: {when})"

    def _tell(self) -> None:
        if self._after is not None:
            self._after()

    def _reconcile(self, name: str, store: Scanned) -> None:
        try:
            report = store.reconcile()
        except RunCancelledError:
            raise
        except Exception as error:
            self._whole.add(name)
            # The other store must be read all the same; the failure is kept for `degraded` and told in the log.
            log.exception("scan_failed", store=name)
            self._fail(name, error)
            return
        self._whole.add(name)
        self._last_good[name] = self._clock()
        self._failures.pop(name, None)
        self._missed.pop(name, None)
        happened = [one for one in self._problems.get(name, ()) if one.happened and one not in report.problems]
        self._problems[name] = (*happened[-MOST_HAPPENED:], *report.problems)
        log.info("scanned", store=name, files=report.files, changed=report.changed, problems=len(report.problems))


def _joined(old: tuple[Problem, ...], report: Report) -> tuple[Problem, ...]:
    """Return the problems with one entry a path, the newer one winning, without those that are settled."""
    looked_at = frozenset(report.looked_at)
    kept = (problem for problem in old if problem.happened or not _is_settled(problem.path, looked_at))
    return tuple({problem.path: problem for problem in (*kept, *report.problems)}.values())


def _is_settled(path: str, looked_at: frozenset[str]) -> bool:
    """Tell whether a path was looked at, by itself or as a part of a folder or a vault."""
    edges = (at + 1 for at, sign in enumerate(path) if sign in "/:")
    return path in looked_at or any(path[:edge] in looked_at for edge in edges)
