"""Two stores opened at once: each is waited for, and neither's failure is lost."""

from __future__ import annotations

import threading

import pytest

from memoryd.jobs.opening import open_both


def test_both_are_under_way_at_once_and_the_rest_is_not_waited_for() -> None:
    meeting, released, rest_ended = threading.Barrier(2, timeout=10), threading.Event(), threading.Event()

    def rest() -> None:
        released.wait(10)
        rest_ended.set()

    open_both(meeting.wait, meeting.wait, meanwhile=rest)  # type: ignore[arg-type] # what it returns is of no interest
    assert not rest_ended.is_set()
    released.set()
    assert rest_ended.wait(10)


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failure_is_raised_when_both_have_ended(failing: int) -> None:
    ended = threading.Event()

    def fail() -> None:
        raise OSError("the disk is gone")

    stores = [ended.set, ended.set]
    stores[failing] = fail
    with pytest.raises(OSError, match="the disk is gone"):
        open_both(*stores, meanwhile=lambda: None)
    assert ended.is_set()
