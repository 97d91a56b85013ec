"""How an instant is written in a request, and what it means.

Three forms: RFC 3339 (``2026-11-30T14:05:12+01:00``; without an offset in the daemon's zone), a bare date, which is
that whole local day, and, for ranges, a span back from now such as ``2w``. Anything else is refused: a range that
is quietly ignored would return more than was asked for.
"""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from memoryd.api.errors import BadParameter
from memoryd.text.window import Window

Edge = Literal["start", "end"]

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
# The space in the offset is a "+" that was not percent-encoded in a query string.
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?([Zz]|[+\- ][0-9]{2}:[0-9]{2})?",
)
_AGO = re.compile(r"([0-9]{1,6})([hdwmy])")


def parse_instant(
    text: str, *, field: str, zone: tzinfo, edge: Edge = "start", now: datetime | None = None
) -> datetime:
    """Return the instant that a request means, aware.

    Args:
        text: As sent.
        field: Where it was sent, such as ``query/since``; named in the error.
        zone: The daemon's zone, for what has no offset.
        edge: Which end of the day a bare date stands for; the end is the next local midnight.
        now: The present, where spans back from it are allowed.

    Raises:
        BadParameter: It has none of the forms, or is no date.
    """
    try:
        found = _read(text.strip(), zone, edge, now)
        found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadParameter(field, "instant", f"not an instant; {_forms(now)}") from error
    return found


def parse_window(since: str | None, until: str | None, *, now: datetime, zone: tzinfo, place: str = "query") -> Window:
    """Return the half-open range of ``since`` and ``until``, either of which may be missing.

    Raises:
        BadParameter: One is not an instant, or the range ends before it starts.
    """
    start = None if since is None else parse_instant(since, field=f"{place}/since", zone=zone, now=now)
    end = None if until is None else parse_instant(until, field=f"{place}/until", zone=zone, edge="end", now=now)
    if start is not None and end is not None and end < start:
        raise BadParameter(f"{place}/until", "range", "the range ends before it starts; until must not be before since")
    return Window(start, end)


def day_start(year: int, month: int, day: int, zone: tzinfo) -> datetime:
    """Return the first instant of a local day. Where the clock skips midnight, that is the moment of the skip."""
    return datetime(year, month, day, tzinfo=zone)


def _read(text: str, zone: tzinfo, edge: Edge, now: datetime | None) -> datetime:
    if now is not None and (ago := _AGO.fullmatch(text)):
        return _back(now.astimezone(zone), int(ago.group(1)), ago.group(2))
    if day := _DATE.fullmatch(text):
        first = datetime(int(day.group(1)), int(day.group(2)), int(day.group(3)))  # noqa: DTZ001 - a calendar day
        wanted = first + timedelta(days=1) if edge == "end" else first
        return day_start(wanted.year, wanted.month, wanted.day, zone)
    day, time = _DATE.match(text), _TIME.fullmatch(text[11:])
    if day is None or time is None or text[10] not in "Tt ":
        raise ValueError(text)
    year, month, date = (int(part) for part in day.groups())
    hour, minute, second, fraction, offset = time.groups()
    microsecond = int((fraction or "0").ljust(6, "0")[:6])
    return datetime(
        year, month, date, int(hour), int(minute), int(second or 0), microsecond, tzinfo=_offset(offset) or zone
    )


def _offset(text: str | None) -> tzinfo | None:
    if text is None:
        return None
    if text in "Zz":
        return UTC
    parsed = datetime.fromisoformat("2000-01-01T00:00:00" + text.replace(" ", "+")).tzinfo
    assert parsed is not None
    return parsed


def _back(now: datetime, count: int, unit: str) -> datetime:
    """Go back on the local calendar; a day of the month that does not exist becomes the month's last."""
    if unit == "h":
        return (now.astimezone(UTC) - timedelta(hours=count)).astimezone(now.tzinfo)
    if unit in "dw":
        return now - timedelta(days=count * (7 if unit == "w" else 1))
    months = now.year * 12 + now.month - 1 - count * (12 if unit == "y" else 1)
    year, month = divmod(months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return now.replace(year=year, month=month + 1, day=min(now.day, last))


def _forms(now: datetime | None) -> str:
    forms = "write 2026-11-30T14:05:12+01:00 (without an offset it is local), or a date such as 2026-11-30"
    return forms if now is None else f"{forms}, or a span back from now such as 36h, 10d, 2w, 3m or 1y"
