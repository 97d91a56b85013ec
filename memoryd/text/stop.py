"""Ending long work in between: who starts it says how it is told to end, and its loops ask.

The check belongs to the thread that works, so no signature on the way from a job to a loop deep inside a store has to
carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """Have ``stop_point`` in this thread call ``check``; what that raises ends the work."""
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


def stop_point() -> None:
    """Mark a place where work may end: between two files or two batches, with nothing half done."""
    check = _CHECK.get()
    if check is not None:
        check()
