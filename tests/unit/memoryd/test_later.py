"""What is done a little later is done once."""

from __future__ import annotations

import threading

from memoryd.jobs.later import Later


def test_many_who_ask_get_one_run() -> None:
    runs: list[int] = []
    done = threading.Event()

    def run() -> None:
        runs.append(1)
        done.set()

    later = Later(run, delay_s=0.05)
    for _ in range(20):
        later.ask()
    assert done.wait(5)
    assert runs == [1]
    done.clear()
    later.ask()
    assert done.wait(5)
    assert runs == [1, 1]


def test_a_failure_does_not_keep_the_next_from_running() -> None:
    tries: list[int] = []
    done = threading.Event()

    def run() -> None:
        tries.append(1)
        done.set()
        raise RuntimeError("once")

    later = Later(run, delay_s=0.01)
    for count in (1, 2):
        done.clear()
        later.ask()
        assert done.wait(5)
        assert len(tries) == count


def test_what_was_stopped_is_not_done() -> None:
    done = threading.Event()
    later = Later(done.set, delay_s=0.05)
    later.ask()
    later.stop()
    assert not done.wait(0.3)
