"""How long an engine call may take, where somebody waits for it.

A bound holds for the thread that set it: every wait below it (for a connection, for a lock, for an answer) asks what
is left. Without one, background work has the time that a call is given at the most.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from episodic.errors import EngineUnavailable

LEAST_S = 0.05
"""A call that begins with less left would only fail."""


class _Bounds(threading.local):
    def __init__(self) -> None:
        self.until: float | None = None


_bounds = _Bounds()


@contextlib.contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Bound the engine calls of this thread inside the block; an outer bound that ends sooner holds on."""
    before = _bounds.until
    if seconds is not None:
        until = time.monotonic() + seconds
        _bounds.until = until if before is None else min(before, until)
    try:
        yield
    finally:
        _bounds.until = before


def is_over() -> bool:
    """Tell whether this thread's time is up."""
    return _bounds.until is not None and _bounds.until - time.monotonic() < LEAST_S


def remaining(most_s: float) -> float:
    """Return how many seconds a call may take: ``most_s``, or what is left.

    Raises:
        EngineUnavailable: Nothing is left.
    """
    if _bounds.until is None:
        return most_s
    if is_over():
        raise EngineUnavailable("the index did not answer in time")
    return min(most_s, _bounds.until - time.monotonic())
