"""What the routes may use: the open stores and a few questions about the daemon's state.

The composition root fills it. Routes hold no state of their own, so a test can build any route around fakes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from episodic.store import EpisodicStore
from memoryd.errors import MemorydError
from memoryd.router.recall import Recall
from memoryd.text.embedder import Embedder
from memoryd.text.report import Problem
from semantic.store import SemanticStore

READY_WAIT_S = 10.0
"""How long a call waits for the stores to open before it is told to come back."""


class StillStarting(MemorydError):
    """The stores are not open yet."""


class StoresFailed(MemorydError):
    """The stores could not be opened."""


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
            raise StoresFailed(f"the stores could not be opened: {self._failure}") from self._failure


@dataclass(frozen=True, slots=True)
class Services:
    """The daemon as the routes see it.

    ``query_embedder`` gives the model for a question, waiting for a cold one as long as a question may, or none and
    the reasons. ``stored`` is called when something new wants a vector. ``lexical`` is false only where search by
    meaning is measured alone.
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
    query_embedder: Callable[[], tuple[Embedder | None, tuple[str, ...]]]
    problems: Callable[[], tuple[Problem, ...]]
    stored: Callable[[], None]
    lexical: bool = True
