"""Rows that are stamped in the future."""

from __future__ import annotations

from episodic.engine.stamp import TOLERANCE_S, Stamps


class Wall:
    def __init__(self) -> None:
        self.now = 10_000.0

    def __call__(self) -> float:
        return self.now


def test_only_a_step_behind_the_last_write_is_told() -> None:
    wall = Wall()
    stamps = Stamps(wall=wall)
    assert stamps.ahead_s() is None
    stamps.note()
    wall.now += 7_200
    assert stamps.ahead_s() is None
    wall.now -= 7_000  # the last write still lies in the past
    assert stamps.ahead_s() is None
    wall.now -= 1_000
    assert stamps.ahead_s() == 800
    stamps.note()  # what is written now changes nothing about the older rows
    assert stamps.ahead_s() == 800
    stamps.forget()
    assert stamps.ahead_s() is None


def test_what_passes_in_a_moment_is_let_pass() -> None:
    wall = Wall()
    stamps = Stamps(wall=wall)
    stamps.note(wall.now + TOLERANCE_S)
    assert stamps.ahead_s() is None
    stamps.note(wall.now + TOLERANCE_S + 1)
    assert stamps.ahead_s() is not None
