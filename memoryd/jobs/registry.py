"""Named jobs: work that is asked for by name, runs in the background, once at a time each, and can be watched.

A job is a function that gets its arguments and a handle of its run. It tells the handle how far it is, and by that
also learns that the daemon is going down: ``tell`` and ``check`` end a run that was cancelled.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

import structlog

from episodic.errors import EpisodicError
from memoryd.errors import JobRunning, JobsStopped, MemorydError, UnknownJob
from memoryd.jobs.argument import Argument, read_arguments
from memoryd.jobs.memo import LastRun, RunMemo
from memoryd.jobs.priority import lower_priority
from semantic.errors import SemanticError

log = structlog.get_logger("memoryd.jobs")

NO_ARGUMENTS: Mapping[str, Any] = MappingProxyType({})
CANCELLED = "cancelled: the daemon was stopped"
ENDED_EARLY = "cancelled, as somebody asked"


class RunCancelledError(Exception):
    """The daemon goes down, or somebody asked for it; the run ends here, and nothing is wrong with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: ``done`` of ``total`` (0: not known), and what it does, in words."""

    done: int = 0
    total: int = 0
    text: str = ""


class Run:
    """One run of a job, in the hands of the job's function."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self.progress = Progress()

    @property
    def is_cancelled(self) -> bool:
        """Whether the daemon goes down, or somebody asked for the run to end."""
        return self._cancelled.is_set()

    def tell(self, text: str, done: int = 0, total: int = 0) -> None:
        """Say how far it is.

        Raises:
            RunCancelledError: The daemon goes down; let it through.
        """
        self.check()
        self.progress = Progress(done, total, text)

    def check(self) -> None:
        """End a run that was cancelled.

        Raises:
            RunCancelledError: The daemon goes down; let it through.
        """
        if self._cancelled.is_set():
            raise RunCancelledError

    def rest(self, seconds: float) -> None:
        """Wait, but no longer than until the run is cancelled.

        Raises:
            RunCancelledError: The daemon goes down; let it through.
        """
        self._cancelled.wait(seconds)
        self.check()

    def cancel(self) -> None:
        """Ask the run to end."""
        self._cancelled.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job. ``run`` may return what it came to, as JSON can hold it; what it raises is kept in words.

    ``check`` looks at the arguments before a run begins: whoever asked for the run is told what it raises.
    """

    name: str
    summary: str
    run: Callable[[Mapping[str, Any], Run], Any]
    arguments: tuple[Argument, ...] = ()
    check: Callable[[Mapping[str, Any]], None] = lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """A job as of now. ``last_run`` is when its last run ended; ``result`` is what that one came to."""

    name: str
    summary: str
    state: Literal["idle", "running", "failed"] = "idle"
    last_run: datetime | None = None
    next_run: datetime | None = None
    last_error: str | None = None
    arguments: tuple[Argument, ...] = ()
    progress: Progress | None = None
    result: Any = None


class Jobs:
    """All jobs of the daemon. Every method may be called from any thread."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        next_run: Callable[[str], datetime | None] = lambda _: None,
        memo: RunMemo | None = None,
    ) -> None:
        """Begin without jobs.

        Args:
            clock: Returns the present, aware.
            next_run: Says when a timer will start a job, by name.
            memo: Keeps the last runs over restarts.
        """
        self._memo = memo or RunMemo()
        self._clock = clock
        self._next_run = next_run
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._states: dict[str, JobState] = {}
        self._running: dict[str, tuple[Run, threading.Thread]] = {}
        self._is_stopped = False

    def register(self, job: Job) -> None:
        """Offer a job; one of the same name is replaced."""
        with self._lock:
            self._jobs[job.name] = job
            last = self._memo.get(job.name)
            self._states[job.name] = JobState(
                name=job.name,
                summary=job.summary,
                state="failed" if last is not None and _is_failure(last.error) else "idle",
                last_run=None if last is None else last.at,
                last_error=None if last is None else last.error,
                arguments=job.arguments,
            )

    def start(self, name: str, arguments: Mapping[str, Any] = NO_ARGUMENTS) -> JobState:
        """Begin a run in the background and return the job's state.

        Raises:
            UnknownJob: There is no such job.
            InvalidArguments: It cannot be told this.
            JobRunning: A run of it is under way.
            JobsStopped: The daemon goes down.
            MemorydError: The job does not begin with these arguments, and says why.
        """
        with self._lock:
            job = self._known(name)
        values = read_arguments(job.arguments, arguments)
        job.check(values)
        with self._lock:
            if self._is_stopped:
                raise JobsStopped
            if name in self._running:
                raise JobRunning(f"a run of {name} is under way; GET /v1/jobs/{name} tells how far it is")
            run = Run()
            thread = threading.Thread(target=self._run, args=(job, values, run), name=f"job {name}", daemon=True)
            self._running[name] = (run, thread)
            begun = replace(self._states[name], state="running", result=None)
            self._states[name] = begun
            thread.start()
        return replace(begun, next_run=self._next_run(name), progress=run.progress)

    def start_unless_running(self, name: str) -> None:
        """Begin a run without arguments, as a timer does: nothing happens while one is under way, or at the end."""
        with contextlib.suppress(JobRunning, JobsStopped):
            self.start(name)

    def get(self, name: str) -> JobState:
        """Return a job's state.

        Raises:
            UnknownJob: There is no such job.
        """
        with self._lock:
            self._known(name)
            state = self._states[name]
            running = self._running.get(name)
        progress = None if running is None else running[0].progress
        return replace(state, next_run=self._next_run(name), progress=progress)

    def list(self) -> list[JobState]:
        """Return the states of all jobs, by name."""
        with self._lock:
            names = sorted(self._jobs)
        return [self.get(name) for name in names]

    def is_running(self, name: str) -> bool:
        """Tell whether a run of a job is under way."""
        with self._lock:
            return name in self._running

    def wait(self, name: str, timeout_s: float) -> bool:
        """Wait for the run under way; tell whether none is left."""
        with self._lock:
            running = self._running.get(name)
        if running is not None:
            running[1].join(timeout_s)
        return not self.is_running(name)

    def cancel_run(self, name: str) -> JobState:
        """Ask the run of a job that is under way to end, and return the job's state; without one nothing happens.

        It ends where it next tells how far it is. What it did until then stays done.

        Raises:
            UnknownJob: There is no such job.
        """
        with self._lock:
            self._known(name)
            running = self._running.get(name)
        if running is not None:
            running[0].cancel()
        return self.get(name)

    def cancel(self) -> None:
        """Begin no further run, and ask those under way to end."""
        with self._lock:
            self._is_stopped = True
            for run, _ in self._running.values():
                run.cancel()

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Cancel all runs and wait for them; tell whether they ended within the time."""
        self.cancel()
        with self._lock:
            threads = [thread for _, thread in self._running.values()]
        for thread in threads:
            thread.join(timeout_s)
        return not any(thread.is_alive() for thread in threads)

    def _known(self, name: str) -> Job:
        if name not in self._jobs:
            raise UnknownJob(f"there is no such job; there are: {', '.join(sorted(self._jobs)) or 'none'}")
        return self._jobs[name]

    def _run(self, job: Job, values: Mapping[str, Any], run: Run) -> None:
        lower_priority()
        error, result = None, None
        try:
            result = job.run(values, run)
        except RunCancelledError:
            error = CANCELLED if self._is_stopped else ENDED_EARLY
        except (MemorydError, EpisodicError, SemanticError, OSError) as failure:
            log.warning("job_failed", job=job.name, reason=type(failure).__name__, exc_info=failure)
            error = str(failure)
        except Exception as failure:
            log.exception("job_failed", job=job.name)
            error = f"{type(failure).__name__}: {failure}"
        ended = self._clock()
        with self._lock:
            if error != CANCELLED:  # the next start makes up for a run that the daemon's end cut short
                self._memo.put(job.name, LastRun(ended, error))
            self._running.pop(job.name, None)
            self._states[job.name] = replace(
                self._states[job.name],
                state="failed" if _is_failure(error) else "idle",
                last_run=ended,
                last_error=error,
                result=result,
            )


def _is_failure(error: str | None) -> bool:
    return error not in {None, CANCELLED, ENDED_EARLY}
