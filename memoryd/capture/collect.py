"""From the events of sessions to turns: one thread takes them in order, and an agent never waits for it.

A prompt and the stop that follows it make a turn; what was done in between is read from the session's file. What no
event told of (the daemon was down, a turn was interrupted) is read from the file at the next start, stop, compaction
or end of the session. An event may come twice, late or never.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from episodic.errors import EpisodicError
from memoryd.capture.missed import Missed
from memoryd.capture.payload import Payload
from memoryd.capture.record import Recorder
from memoryd.capture.sessions import Known, Sessions
from memoryd.capture.told import Told

log = structlog.get_logger("memoryd.capture")

MOST_WAITING = 10_000
"""Events that may wait; more come only while the stores cannot be opened, and the session files have it all."""
_LOOK_AGAIN_S = 0.2
_SHOWN = 60
"""Characters of a name that a message shows."""
STUCK_S = 30.0
"""A turn that takes so long is named: something below it does not answer, such as a folder on a network."""

CAPTURING = frozenset({
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure", "SubagentStop",
    "PreCompact", "PostCompact", "SessionEnd",
})  # fmt: skip
"""The events that capture listens to."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Since the start: turns by what became of them, and how many of those recorded no stop had told of."""

    outcomes: Counter[str]
    missed: int


class Collector:
    """Takes events and makes turns.

    Args:
        sessions: The open ends, opened before ``start``.
        recorder: Writes the turns.
        clock: Returns the present, aware.
        is_scanned: Tells whether the journal was read once; missed turns are looked for only then.
        on_touched: Called with a file that a tool wrote.
        timer: Returns seconds that only grow.
    """

    def __init__(
        self,
        *,
        sessions: Sessions,
        recorder: Recorder,
        clock: Callable[[], datetime],
        is_scanned: Callable[[], bool] = lambda: True,
        on_touched: Callable[[Path], None] = lambda _: None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._recorder = recorder
        self._timer = timer
        self._under_way: tuple[str, float] | None = None
        self._is_scanned = is_scanned
        self._told = Told(sessions, recorder, clock=clock, on_touched=on_touched, timer=timer)
        self._missed = Missed(sessions, recorder, clock=clock)
        self._events: queue.Queue[tuple[Payload, Future[None]] | None] = queue.Queue()
        self._behind: deque[Known] = deque()
        self._waiting: list[tuple[str, Future[None]]] = []
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)
        self._is_busy = False
        self._problem: str | None = None

    def start(self) -> None:
        """Begin to take events in; those that came before are taken first."""
        self._thread.start()

    def close(self, timeout_s: float = 5.0) -> None:
        """Take in what waits, then end. What is not done in time is found in the session files at the next start."""
        if self._thread.is_alive():
            self._events.put(None)
            self._thread.join(timeout_s)

    def submit(self, payload: Payload) -> Future[None]:
        """Hand over an event; the future is done when it was taken in, whatever came of it."""
        done: Future[None] = Future()
        if payload.event not in CAPTURING or payload.session is None or self._events.qsize() >= MOST_WAITING:
            done.set_result(None)
        else:
            self._events.put((payload, done))
        return done

    @property
    def pending(self) -> int:
        """How many events and sessions wait."""
        return self._events.qsize() + len(self._behind) + self._is_busy

    @property
    def problem(self) -> str | None:
        """Why turns are not written right now, in words: one takes too long, or the last one failed."""
        under_way = self._under_way
        if under_way is not None and (seconds := self._timer() - under_way[1]) >= STUCK_S:
            return f"{under_way[0]} has not come to an end for {seconds:.0f} s, and {self.pending - 1} more wait"
        return self._problem

    def counts(self) -> Counts:
        """Return what became of the turns since the start."""
        return Counts(self._told.outcomes + self._missed.outcomes, self._missed.outcomes["recorded"])

    def _run(self) -> None:
        self._behind.extend(self._sessions.known())
        while True:
            event = self._next()
            if event is None:
                self._release(is_final=True)
                self._is_busy = False
                break
            if isinstance(event, Known):
                what = f"reading the file of session {event.session[:_SHOWN]}"
                self._take(what, lambda known=event: self._fill(known))  # type: ignore[misc] # bound early
                self._finish()
                continue
            payload, done = event
            what = f"the event {payload.event[:_SHOWN]} of session {(payload.session or '')[:_SHOWN]}"
            self._take(what, lambda payload=payload: self._take_in(payload))  # type: ignore[misc] # bound early
            self._waiting.append((payload.session or "", done))
            self._finish()

    def _next(self) -> tuple[Payload, Future[None]] | Known | None:
        """Return the next event, or while there is none a session that may have turns that nobody told of."""
        self._is_busy = False
        while self._behind:
            is_scanned = self._is_scanned()
            with contextlib.suppress(queue.Empty):
                event = self._events.get(block=not is_scanned, timeout=_LOOK_AGAIN_S)
                self._is_busy = True
                return event
            if is_scanned:
                self._is_busy = True
                return self._behind.popleft()
        while True:
            try:
                event = self._events.get(timeout=self._told.patience_s)
            except queue.Empty:
                self._is_busy = True
                self._release()
                self._is_busy = False
            else:
                self._is_busy = True
                return event

    def _release(self, *, is_final: bool = False) -> None:
        """Take the stops whose prompt did not come."""
        what = "a stop that no prompt came before"
        self._take(what, lambda: self._behind.extend(self._told.release(is_final=is_final)))
        self._finish()

    def _take(self, what: str, action: Callable[[], None]) -> None:
        self._under_way = (what, self._timer())
        try:
            action()
        except (EpisodicError, OSError) as error:
            self._problem = str(error)
            log.warning("turn_not_written", reason=type(error).__name__)
        except Exception as error:
            # One event that nobody thought of must not end the capture of all others.
            self._problem = f"{type(error).__name__}: {error}"
            log.exception("capture_failed")
        else:
            self._problem = None
        finally:
            self._under_way = None

    def _fill(self, known: Known) -> None:
        if self._missed.fill(known):
            self._behind.append(known)

    def _take_in(self, payload: Payload) -> None:
        if payload.event == "SessionStart":
            self._behind.extend(self._told.begin(payload))
        else:
            self._behind.extend(self._told.take(payload))

    def _finish(self) -> None:
        waiting, self._waiting = self._waiting, []
        for session, done in waiting:
            if self._told.holds(session):
                self._waiting.append((session, done))  # it is not on the disk yet
            else:
                done.set_result(None)
        try:
            self._recorder.flush()
        except (EpisodicError, OSError) as error:  # the watcher takes the file in
            log.warning("excerpt_not_indexed", reason=type(error).__name__)
        self._sessions.wipe()
