from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memoryd.text.window import Window

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_is_half_open() -> None:
    window = Window(NOON, NOON + HOUR)
    assert window.holds(NOON)
    assert not window.holds(NOON + HOUR)
    assert not window.holds(NOON - timedelta(microseconds=1))


def test_missing_ends_are_unbounded() -> None:
    assert Window().holds(NOON)
    assert Window(since=NOON).holds(NOON + 1000 * HOUR)
    assert Window(until=NOON).holds(NOON - 1000 * HOUR)


def test_is_true_when_it_says_anything() -> None:
    assert not Window()
    assert Window(since=NOON)
    assert Window(until=NOON)


def test_compares_instants_not_clock_faces() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=9)))
    assert Window(NOON, NOON + HOUR).holds(elsewhere)


def test_refuses_naive_ends() -> None:
    with pytest.raises(ValueError, match="zone"):
        Window(since=NOON.replace(tzinfo=None))
    with pytest.raises(ValueError, match="zone"):
        Window(until=NOON.replace(tzinfo=None))


def test_refuses_an_end_before_its_start() -> None:
    with pytest.raises(ValueError, match="end before"):
        Window(NOON, NOON - HOUR)
    assert not Window(NOON, NOON).holds(NOON)


def test_narrowed_is_the_overlap() -> None:
    wide = Window(NOON, NOON + 4 * HOUR)
    assert wide.narrowed(Window(NOON + HOUR, None)) == Window(NOON + HOUR, NOON + 4 * HOUR)
    assert wide.narrowed(Window(None, NOON + 2 * HOUR)) == Window(NOON, NOON + 2 * HOUR)
    assert wide.narrowed(Window()) == wide
    assert Window().narrowed(wide) == wide


def test_narrowed_without_overlap_is_empty() -> None:
    early, late = Window(NOON, NOON + HOUR), Window(NOON + 2 * HOUR, NOON + 3 * HOUR)
    for overlap in (early.narrowed(late), late.narrowed(early)):
        assert overlap == Window(NOON + 2 * HOUR, NOON + 2 * HOUR)
        assert not overlap.holds(NOON + 2 * HOUR)
