from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from semantic.log.instant import later_than, read_instant, write_instant


def test_an_instant_is_utc_with_three_decimals_cut_not_rounded() -> None:
    at = datetime(2026, 11, 30, 14, 5, 12, 345_999, tzinfo=timezone(timedelta(hours=1)))
    assert write_instant(at) == "2026-11-30T13:05:12.345Z"


def test_years_before_1000_keep_four_digits_and_so_their_order() -> None:
    assert write_instant(datetime(33, 4, 3, tzinfo=UTC)) == "0033-04-03T00:00:00.000Z"


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        write_instant(datetime(2026, 1, 1))


@pytest.mark.parametrize("text", ["2026-11-30", "2026-11-30T13:05:12Z", "2026-11-30T25:05:12.000Z", "x"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_instant(text)


def test_a_new_instant_is_the_wall_clock_or_a_millisecond_after_the_latest_seen() -> None:
    wall = datetime(2026, 11, 30, 12, 0, 0, 999, tzinfo=UTC)
    assert later_than(wall, None) == wall.replace(microsecond=0)
    seen = datetime(2026, 11, 30, 12, 5, tzinfo=UTC)
    assert later_than(wall, seen) == seen + timedelta(milliseconds=1)
