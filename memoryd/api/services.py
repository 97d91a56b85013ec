"""What the routes may use: the open stores and a few questions about the daemon's state.

The composition root fills it. Routes hold no state of their own, so a test can build any route around fakes.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, Protocol

from episodic.store import EpisodicStore
from memoryd.api.errors import StillStarting, StoresFailed
from memoryd.capture.collect import Counts
from memoryd.capture.payload import Payload
from memoryd.embedding.shelf import ModelState
from memoryd.render.news import Written
from memoryd.render.seen import Seen
from memoryd.router.recall import Recall
from memoryd.service.logins import Logins
from memoryd.text.embedder import Embedder
from memoryd.text.report import Problem
from semantic.model import Element, Note
from semantic.store import SemanticStore

READY_WAIT_S = 10.0
"""How long a call waits for the stores to open before it is told to come back."""


class Readiness:
    """Whether the stores are open, or why they could not be opened."""

    def __init__(self) -> None:
        self._settled = threading.Event()
        self._failure: BaseException | None = None

    def set_ready(self) -> None:
        """Let waiting calls through."""
        self._settled.set()

    def set_failed(self, error: BaseException) -> None:
        """Remember why the stores could not be opened; every call is told."""
        self._failure = error
        self._settled.set()

    @property
    def is_ready(self) -> bool:
        """Whether the stores are open."""
        return self._settled.is_set() and self._failure is None

    def require(self, timeout_s: float = READY_WAIT_S) -> None:
        """Wait for the stores.

        Raises:
            StillStarting: They are not open yet.
            StoresFailed: They could not be opened; the daemon has to be started again.
        """
        if not self._settled.wait(timeout_s):
            raise StillStarting("the stores are still being opened; ask again in a moment")
        if self._failure is not None:
            raise StoresFailed(str(self._failure)) from self._failure


class ArgumentView(Protocol):
    """What a job may be told; ``kind`` is ``str``, ``bool`` or ``int``."""

    @property
    def name(self) -> str: ...  # noqa: D102 - fields, described above
    @property
    def kind(self) -> type: ...  # noqa: D102 - as above
    @property
    def meaning(self) -> str: ...  # noqa: D102 - as above
    @property
    def choices(self) -> tuple[str, ...]: ...  # noqa: D102 - as above
    @property
    def default(self) -> Any: ...  # noqa: D102 - as above
    @property
    def is_required(self) -> bool: ...  # noqa: D102 - as above


class ProgressView(Protocol):
    """How far a run is: ``done`` of ``total`` (0: not known), in words."""

    @property
    def done(self) -> int: ...  # noqa: D102 - fields, described above
    @property
    def total(self) -> int: ...  # noqa: D102 - as above
    @property
    def text(self) -> str: ...  # noqa: D102 - as above


class JobView(Protocol):
    """A job as of now."""

    @property
    def name(self) -> str: ...  # noqa: D102 - fields, described above
    @property
    def summary(self) -> str: ...  # noqa: D102 - as above
    @property
    def state(self) -> str: ...  # noqa: D102 - as above
    @property
    def last_run(self) -> datetime | None: ...  # noqa: D102 - as above
    @property
    def next_run(self) -> datetime | None: ...  # noqa: D102 - as above
    @property
    def last_error(self) -> str | None: ...  # noqa: D102 - as above
    @property
    def arguments(self) -> Sequence[ArgumentView]: ...  # noqa: D102 - as above
    @property
    def progress(self) -> ProgressView | None: ...  # noqa: D102 - as above
    @property
    def result(self) -> Any: ...  # noqa: D102 - as above


class JobsPort(Protocol):
    """What is done in the background, by name. Errors are those of jobs in :mod:`memoryd.errors`."""

    def start(self, name: str, arguments: Mapping[str, Any] = ...) -> JobView:
        """Begin a run and return the job's state."""
        ...

    def get(self, name: str) -> JobView:
        """Return a job's state."""
        ...

    def cancel_run(self, name: str) -> JobView:
        """Ask the run under way to end, if there is one, and return the job's state."""
        ...

    def list(self) -> Sequence[JobView]:
        """Return the states of all jobs, by name."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The daemon as the routes see it.

    ``query_embedder`` gives the model for a question, waiting for a cold one as long as a question may, or none and
    the reasons. ``stored`` is called when something new wants a vector, ``attended`` when an agent read something.
    ``degraded`` is what does not work as it should, ``shortcomings`` what of it makes an answer the less.
    ``lexical`` is false only where search by meaning is measured alone. ``seen`` is what each session was shown,
    ``written`` what each shard of the log wrote, ``warm_embedder`` the model if it is in memory now: a hook waits for
    none. ``captured`` counts turns by what became of them. ``project_tags`` are those that the settings tie to a
    project's id; ``holds_stops`` holds an agent's stop once a session where code changed and nothing was decided.
    ``met_agent`` is called when the first agent speaks MCP. ``unconfirmed`` tells of elements, by id, since when a file
    that they touch is not what it was when somebody last decided about them; ``session_began`` is called when an
    agent's session begins. ``logins`` lets the page in. ``reading`` says, while notes and journal are read for the
    first time since the start, that something may be missing.
    """

    version: str
    clock: Callable[[], datetime]
    zone: tzinfo
    readiness: Readiness
    episodic: EpisodicStore
    semantic: SemanticStore
    recall: Recall
    model: Callable[[], str]
    pending: Callable[[], int]
    degraded: Callable[[], list[str]]
    shortcomings: Callable[[], list[str]]
    query_embedder: Callable[[], tuple[Embedder | None, tuple[str, ...]]]
    problems: Callable[[], tuple[Problem, ...]]
    stored: Callable[[], None]
    attended: Callable[[], None]
    jobs: JobsPort
    capture: Callable[[Payload], Future[None]]
    models: Callable[[], Sequence[ModelState]]
    seen: Seen
    logins: Logins
    written: Written = field(default_factory=Written)
    lexical: bool = True
    warm_embedder: Callable[[], Embedder | None] = lambda: None
    captured: Callable[[], Counts] = lambda: Counts(Counter(), 0)
    project_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    holds_stops: bool = False
    session_began: Callable[[], None] = lambda: None
    unconfirmed: Callable[[Iterable[Element]], Mapping[str, datetime]] = lambda _: {}
    met_agent: Callable[[], None] = lambda: None
    notes_by_id: Callable[[], Mapping[str, Note]] = dict
    reading: Callable[[], str | None] = lambda: None
