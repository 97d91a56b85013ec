"""The asker's calendar: days, weeks, months and parts of a day as half-open windows in the asker's zone.

Every end is a wall-clock time of its own day, never "24 hours later", so that days on which clocks change are as
long as they are. Instants carry the offset that holds at them, as a fixed zone: two of them then compare as instants
(Python compares wall clocks where the zone objects are the same).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Literal

from memoryd.text.window import Window

Unit = Literal["minute", "hour", "day", "week", "month", "quarter", "year"]
Part = Literal["morning", "noon", "afternoon", "evening", "night"]
Season = Literal["spring", "summer", "autumn", "winter"]

FIRST_YEAR, LAST_YEAR = 1970, 2199
"""Years outside are no dates of a memory; the bounds keep arithmetic inside what ``date`` can hold."""

PARTS: dict[Part, tuple[int, int]] = {
    "morning": (4, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
}
"""Hours from the day's midnight; people draw these lines differently, so neighbours overlap. 30 is six the next day."""

_SEASON_START: dict[Season, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def instant(day: date, zone: tzinfo | None, at: time = time()) -> datetime:
    """Return the instant of a wall-clock time; a time that a clock change skips is the instant of the change."""
    aware = datetime.combine(day, at, tzinfo=zone).astimezone(UTC).astimezone(zone)
    return aware.replace(tzinfo=timezone(aware.utcoffset() or timedelta()), fold=0)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The calendar of someone whose present is ``now`` (aware)."""

    now: datetime

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.date()

    def span(self, first: date, end: date) -> Window:
        """Return the days from ``first`` up to and without ``end``."""
        return Window(instant(first, self.now.tzinfo), instant(end, self.now.tzinfo))

    def day(self, offset: int) -> Window:
        """Return today (0), yesterday (-1) and so on."""
        first = self.today + timedelta(days=offset)
        return self.span(first, first + timedelta(days=1))

    def unit(self, unit: Unit, offset: int) -> Window | None:
        """Return the whole calendar unit ``offset`` units from the present one; weeks start on Monday."""
        if unit == "day":
            return self.day(offset)
        if unit == "week":
            first = self.today - timedelta(days=self.today.weekday()) + timedelta(weeks=offset)
            return self.span(first, first + timedelta(days=7))
        if unit == "month":
            return self._months(self.today.year * 12 + self.today.month - 1 + offset, 1)
        if unit == "quarter":
            return self._months(self.today.year * 12 + 3 * ((self.today.month - 1) // 3) + 3 * offset, 3)
        if unit == "year":
            return self.year(self.today.year + offset)
        step = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        return self._around(step * -offset, step)

    def ago(self, count: int, unit: Unit) -> Window | None:
        """Return the unit that lies ``count`` units back: a day, a calendar week; for hours, an hour to each side."""
        return self.unit(unit, -count)

    def last(self, count: int, unit: Unit) -> Window:
        """Return the last ``count`` units up to the end of today; hours and minutes up to now."""
        if unit in {"hour", "minute"}:
            step = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
            return self._to_now(step)
        days = count * {"day": 1, "week": 7}.get(unit, 0)
        first = self.today - timedelta(days=days)
        months = count * {"month": 1, "quarter": 3, "year": 12}.get(unit, 0)
        if months:
            first = _months_before(self.today, months)
        return self.span(first, self.tomorrow)

    @property
    def tomorrow(self) -> date:
        """The day after today: the end of spans that reach into the present."""
        return self.today + timedelta(days=1)

    def weekday(self, weekday: int, week: int | None = None) -> Window:
        """Return the latest such day before today (0 is Monday), or that of the week ``week`` weeks from this one."""
        if week is None:
            back = (self.today.weekday() - weekday - 1) % 7 + 1
            return self.day(-back)
        return self.day(weekday - self.today.weekday() + 7 * week)

    def weekend(self, week: int) -> Window:
        """Return Saturday and Sunday of the week ``week`` weeks from this one."""
        first = self.today + timedelta(days=5 - self.today.weekday() + 7 * week)
        return self.span(first, first + timedelta(days=2))

    def day_named(self, day: int, month: int, year: int | None = None) -> Window | None:
        """Return one day; without a year the latest such day that has begun. ``None`` if there is no such date."""
        if year is not None and not FIRST_YEAR <= year <= LAST_YEAR:
            return None
        for candidate in (year,) if year is not None else range(self.today.year, self.today.year - 8, -1):
            try:
                first = date(candidate, month, day)
            except ValueError:
                continue
            if year is not None or first <= self.today:
                return self.span(first, first + timedelta(days=1))
        return None

    def month(self, month: int, year: int | None = None, *, ended: bool = False) -> Window | None:
        """Return a month; without a year the latest that has begun, or with ``ended`` the latest that is over."""
        if year is None:
            begun = month < self.today.month or (month == self.today.month and not ended)
            year = self.today.year if begun else self.today.year - 1
        return self._months(year * 12 + month - 1, 1)

    def quarter(self, quarter: int, year: int | None = None) -> Window | None:
        """Return a quarter (1 to 4); without a year the latest that has begun."""
        if year is None:
            year = self.today.year if 3 * quarter - 2 <= self.today.month else self.today.year - 1
        return self._months(year * 12 + 3 * (quarter - 1), 3)

    def half(self, half: int, year: int | None = None) -> Window | None:
        """Return a half of a year (1 or 2); without a year the latest that has begun."""
        if half not in {1, 2}:
            return None
        if year is None:
            year = self.today.year if 6 * half - 5 <= self.today.month else self.today.year - 1
        return self._months(year * 12 + 6 * (half - 1), 6)

    def day_of_month(self, day: int) -> Window | None:
        """Return the latest day of this number, of any month, that has begun."""
        index = self.today.year * 12 + self.today.month - 1
        for month in range(index, index - 3, -1):
            try:
                first = date(month // 12, month % 12 + 1, day)
            except ValueError:
                continue  # there is no 31 June
            if first <= self.today:
                return self.span(first, first + timedelta(days=1))
        return None

    def week_holding(self, window: Window) -> Window | None:
        """Return the week in which a window starts."""
        if window.since is None:
            return None
        first = window.since.date() - timedelta(days=window.since.weekday())
        return self.span(first, first + timedelta(days=7))

    def third(self, window: Window, third: int) -> Window:
        """Return the beginning (0), the middle (1) or the end (2) of a week, a month, or some months."""
        if window.since is None or window.until is None:
            return window
        first, end = window.since.date(), (window.until - timedelta(hours=12)).date() + timedelta(days=1)
        days = (end - first).days
        if days > 31:
            step = ((end.year - first.year) * 12 + end.month - first.month) // 3
            index = first.year * 12 + first.month - 1 + third * step
            return self._months(index, step) or window
        cuts = (0, 2, 4, days) if days <= 7 else (0, 10, 20, days)
        return self.span(first + timedelta(days=cuts[third]), first + timedelta(days=cuts[third + 1]))

    def year(self, year: int) -> Window | None:
        """Return a year."""
        return self._months(year * 12, 12)

    def week(self, week: int, year: int | None = None) -> Window | None:
        """Return an ISO week; without a year the latest that has begun."""
        for candidate in (year,) if year is not None else (self.today.year + 1, self.today.year, self.today.year - 1):
            if not FIRST_YEAR <= candidate <= LAST_YEAR:
                return None
            try:
                first = date.fromisocalendar(candidate, week, 1)
            except ValueError:
                continue
            if year is not None or first <= self.today:
                return self.span(first, first + timedelta(days=7))
        return None

    def season(self, season: Season, year: int | None = None, *, ended: bool = False) -> Window | None:
        """Return three months of the northern year; winter belongs to the year in which it starts."""
        month = _SEASON_START[season]
        if year is not None:
            return self._months(year * 12 + month - 1, 3)
        for candidate in (self.today.year, self.today.year - 1, self.today.year - 2):
            window = self._months(candidate * 12 + month - 1, 3)
            if window is None or window.since is None or window.until is None:
                return None
            if window.since <= self.now and not (ended and window.until > self.now):
                return window
        return None

    def part(self, window: Window, part: Part) -> Window:
        """Return a part of the day with which the window starts."""
        if window.since is None:
            return window
        first = window.since.date()
        start, end = PARTS[part]
        return Window(self._hour(first, start), self._hour(first, end))

    def _hour(self, day: date, hour: int) -> datetime:
        return instant(day + timedelta(days=hour // 24), self.now.tzinfo, time(hour % 24))

    def _months(self, index: int, count: int) -> Window | None:
        if not FIRST_YEAR * 12 <= index <= LAST_YEAR * 12 + 11:
            return None
        return self.span(date(index // 12, index % 12 + 1, 1), date((index + count) // 12, (index + count) % 12 + 1, 1))

    def _around(self, back: timedelta, slack: timedelta) -> Window:
        centre = self.now.astimezone(UTC) - back
        return self._local(centre - slack, centre + slack)

    def _to_now(self, back: timedelta) -> Window:
        end = self.now.astimezone(UTC)
        return self._local(end - back, end)

    def _local(self, since: datetime, until: datetime) -> Window:
        return Window(_fixed(since.astimezone(self.now.tzinfo)), _fixed(until.astimezone(self.now.tzinfo)))


def _fixed(aware: datetime) -> datetime:
    return aware.replace(tzinfo=timezone(aware.utcoffset() or timedelta()), fold=0)


def _months_before(day: date, months: int) -> date:
    index = max(day.year * 12 + day.month - 1 - months, FIRST_YEAR * 12)
    year, month = divmod(index, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")
