"""Instants as the log writes them: UTC, three decimals, ``Z``. Their text order is their order in time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
Clock = Callable[[], datetime]
"""Says what time it is, with a zone."""

MILLISECOND = timedelta(milliseconds=1)


def write_instant(at: datetime) -> str:
    """Return the log's form of an aware instant, cut (not rounded) to milliseconds."""
    if at.tzinfo is None:
        raise ValueError("an instant of the log needs a zone")
    utc = at.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z" if utc.year >= 1000 else _early(utc)


def read_instant(text: str) -> datetime:
    """Return the aware instant.

    Raises:
        ValueError: The text is not of the log's one form, or not a day of the calendar.
    """
    if _FORM.fullmatch(text) is None:
        raise ValueError("an instant of the log is written as 2026-11-30T13:05:12.345Z")
    return datetime.fromisoformat(text)


def later_than(wall: datetime, seen: datetime | None) -> datetime:
    """Return an instant for a new line: the wall clock, or a millisecond after the latest seen if that is later."""
    wall = wall.astimezone(UTC)
    wall = wall.replace(microsecond=wall.microsecond // 1000 * 1000)
    return wall if seen is None else max(wall, seen + MILLISECOND)


def _early(utc: datetime) -> str:
    # strftime does not pad years before 1000 on every platform.
    return f"{utc.year:04d}-{utc:%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
