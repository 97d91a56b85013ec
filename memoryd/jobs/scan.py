"""Bringing the indexes up to the files: once at the start, after file events, and now and then in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

import structlog

from memoryd.text.report import Problem, Report

log = structlog.get_logger("memoryd.scan")


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
    something was indexed: the embedding queue wants to know.
    """

    def __init__(self, stores: Mapping[str, Scanned], *, after: Callable[[], None] | None = None) -> None:
        self._stores = stores
        self._after = after
        self._one_at_a_time = threading.Lock()
        self._unfinished = threading.Event()
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._failures: dict[str, str] = {}
        self._thread: threading.Thread | None = None
        self._is_stopping = False

    def start(self) -> None:
        """Begin a full pass in the background; the answers grow while it runs."""
        self._unfinished.set()
        self._thread = threading.Thread(target=self.run, name="scan", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the pass that ``start`` began; tell whether it is over."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_running

    def stop(self, timeout_s: float = 30.0) -> None:
        """Begin no further pass; the one under way is waited for."""
        self._is_stopping = True
        if self._thread is not None:
            self._thread.join(timeout_s)

    @property
    def is_running(self) -> bool:
        """Whether a full pass is under way."""
        return self._unfinished.is_set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Each file that could not be read whole, as of the last full pass."""
        return tuple(problem for found in self._problems.values() for problem in found)

    @property
    def failures(self) -> Mapping[str, str]:
        """Stores whose last pass failed, with the reason."""
        return dict(self._failures)

    def run(self) -> None:
        """Look at every file of every store."""
        self._unfinished.set()
        try:
            with self._one_at_a_time:
                for name, store in self._stores.items():
                    if not self._is_stopping:
                        self._reconcile(name, store)
        finally:
            self._unfinished.clear()
        self._tell()

    def follow(self, paths: set[Path]) -> None:
        """Look at changed paths."""
        with self._one_at_a_time:
            for name, store in self._stores.items():
                report = store.refresh(paths)
                if report.changed or report.removed:
                    log.info("refreshed", store=name, changed=report.changed, removed=report.removed)
                if report.problems:
                    self._problems[name] = _joined(self._problems.get(name, ()), report.problems)
        self._tell()

    def _tell(self) -> None:
        if self._after is not None:
            self._after()

    def _reconcile(self, name: str, store: Scanned) -> None:
        try:
            report = store.reconcile()
        except Exception as error:
            # The other store must be read all the same; the failure is kept for `degraded` and told in the log.
            log.exception("scan_failed", store=name)
            self._failures[name] = f"{type(error).__name__}: {error}"
            return
        self._failures.pop(name, None)
        self._problems[name] = report.problems
        log.info("scanned", store=name, files=report.files, changed=report.changed, problems=len(report.problems))


def _joined(old: tuple[Problem, ...], new: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return the problems with one entry a path, the newer one winning."""
    return tuple({problem.path: problem for problem in (*old, *new)}.values())
