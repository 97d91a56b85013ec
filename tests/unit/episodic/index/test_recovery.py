"""A thread that tries until it succeeds, and once more where it was asked meanwhile."""

from __future__ import annotations

import threading

import pytest

from episodic.errors import EngineUnavailable
from episodic.index.recovery import Recovery

SOON_S = 10.0


@pytest.mark.parametrize(("repeats", "attempts"), [(False, 1), (True, 2)])
def test_what_is_asked_for_during_an_attempt(*, repeats: bool, attempts: int) -> None:
    begun, may_end, counted = threading.Event(), threading.Event(), list[int]()

    def attempt() -> None:
        counted.append(len(counted))
        begun.set()
        assert may_end.wait(SOON_S)

    recovery = Recovery(attempt, rests_s=(0.0,), repeats=repeats)
    recovery.begin()
    assert begun.wait(SOON_S)
    thread = recovery._thread
    assert thread is not None
    recovery.begin()
    may_end.set()
    thread.join(SOON_S)
    assert not thread.is_alive()
    assert len(counted) == attempts
    recovery.stop()


def test_it_goes_on_until_it_succeeds_and_can_begin_again() -> None:
    left = [3]
    done = threading.Event()

    def attempt() -> None:
        if left[0]:
            left[0] -= 1
            raise EngineUnavailable("gone fishing")
        done.set()

    recovery = Recovery(attempt, rests_s=(0.0,))
    for _ in range(2):
        recovery.begin()
        assert done.wait(SOON_S)
        recovery.stop()
        recovery.reopen()
        done.clear()
        left[0] = 2
