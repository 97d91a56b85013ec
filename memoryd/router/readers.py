"""How each kind of phrase of time is read: from its slots and a calendar to a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from memoryd.router.calendar import Calendar, Part
from memoryd.router.timewords.table import Template, TimeWords
from memoryd.text.window import Window

ABSOLUTE = (
    Template("date", r"{year}-{mm}-{day}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"),
    Template("date", r"{year}/{mm}/{day}"),
    Template("date", r"{day}\.{mm}\.{year}"),
    Template("date_slashed", r"(?P<a>\d\d?)/(?P<b>\d\d?)/{year}"),
    Template("week", r"{year}-?w{week}"),
    Template("month", r"{year}-(?P<mm>0[1-9]|1[0-2])"),
)
"""Dates that are written alike in every language."""

_FEW = (2, 7)
_MOST_WEEKS = 1_000
_YEARS_BACK = {"今年": 0, "去年": -1, "昨年": -1, "前年": -2, "一昨年": -2, "おととし": -2}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A template's reader, and the words that stood in its slots."""

    reader: str
    slots: Mapping[str, str | None]

    def word(self, slot: str) -> str:
        """Return a slot's word, lower case, single spaces; empty where the phrase left it out."""
        return " ".join((self.slots.get(slot) or "").lower().split())

    def number(self, slot: str) -> int | None:
        """Return a slot's digits as a number, ``None`` where the phrase left it out."""
        text = self.slots.get(slot)
        return int(text) if text else None

    def with_year(self, year: int) -> Phrase:
        """Return the phrase as if it had named a year."""
        return Phrase(self.reader, {**self.slots, "year": str(year)})


Reader = Callable[[Phrase, TimeWords, Calendar], Window | None]


def read(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    """Return the window that a phrase means, or ``None`` if it means none (there is no 31 June)."""
    window = READERS[phrase.reader](phrase, words, calendar)
    if window is None:
        return None
    third = words.thirds.get(phrase.word("third"))
    return _in_part(window if third is None else calendar.third(window, third), phrase, words, calendar)


def _in_part(window: Window, phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window:
    part = words.parts.get(phrase.word("part"))
    return calendar.part(window, part) if part is not None else window


def _count(phrase: Phrase, words: TimeWords) -> int:
    word = phrase.word("n")
    return words.numbers[word] if word in words.numbers else int(word)


def _month(phrase: Phrase, words: TimeWords) -> int:
    number = phrase.number("mm")
    if number is not None:
        return number
    word = phrase.word("month")
    return words.months[word] if word in words.months else words.weak_months[word]


def _weekday(phrase: Phrase, words: TimeWords) -> int:
    word = phrase.word("weekday")
    if word in words.weekdays:
        return words.weekdays[word]
    return words.short_weekdays[word]


def _relative(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    if phrase.word("tonight"):
        return calendar.part(calendar.day(0), "evening")
    return calendar.day(words.relative[phrase.word("relative").replace("’", "'")])


def _part_today(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.day(0)


def _part_last(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.day(-1)


def _last_night(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    night: Part = "night"
    return calendar.part(calendar.day(-1), night)


def _ago(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.ago(_count(phrase, words), words.unit(phrase.word("unit")))


def _ago_range(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    """Read "a few days ago" as two to seven of them."""
    unit = words.unit(phrase.word("unit")) if phrase.word("unit") else "day"
    near, far = (calendar.ago(count, unit) for count in _FEW)
    return Window(far.since, near.until) if near is not None and far is not None else None


def _last_n(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.last(_count(phrase, words), words.unit(phrase.word("unit")))


def _last_range(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.last(_FEW[1], words.unit(phrase.word("unit")))


def _last_n_one(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.last(1, words.unit(phrase.word("unit")))


def _weekday_in_last_week(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.weekday(_weekday(phrase, words), -1)


def _weekday_ago(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    count = _count(phrase, words)
    return calendar.weekday(_weekday(phrase, words), -count) if count < _MOST_WEEKS else None


def _weekday_before_last(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    latest = calendar.weekday(_weekday(phrase, words)).since
    return None if latest is None else calendar.day((latest.date() - calendar.today).days - 7)


def _unit_before_last(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.unit(words.unit(phrase.word("unit")), -2)


def _unit_latest(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    """Read "the end of the month" as the latest that has begun."""
    unit, third = words.unit(phrase.word("unit")), words.thirds.get(phrase.word("third"))
    for offset in (0, -1):
        window = calendar.unit(unit, offset)
        part = window if window is None or third is None else calendar.third(window, third)
        if part is not None and part.since is not None and part.since <= calendar.now:
            return window
    return None


def _half_year_ago(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.ago(6, "month")


def _fortnight(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.last(2, "week")


def _fortnight_ago(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.ago(2, "week")


def _unit_last(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.unit(words.unit(phrase.word("unit")), -1)


def _unit_this(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.unit(words.unit(phrase.word("unit")), 0)


def _year_named(phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.unit("year", _YEARS_BACK[phrase.word("which")])


def _weekend_last(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.weekend(-1)


def _weekend_this(_phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    """Read "the weekend" before it has begun as the one before."""
    this = calendar.weekend(0)
    return this if this.since is not None and this.since <= calendar.now else calendar.weekend(-1)


def _weekday_latest(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.weekday(_weekday(phrase, words))


def _weekday_this(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    """Read "this Friday" only once it has begun: a memory holds nothing of a day to come."""
    this = calendar.weekday(_weekday(phrase, words), 0)
    return this if this.since is not None and this.since <= calendar.now else None


def _date(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    day = phrase.number("day")
    return calendar.day_named(day, _month(phrase, words), phrase.number("year")) if day is not None else None


def _date_slashed(phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    """Read 3/15/2024 and 15/3/2024, whose halves can be told apart; 3/5/2024 is two dates, so it is none."""
    first, second, year = phrase.number("a") or 0, phrase.number("b") or 0, phrase.number("year")
    if first == second or (first > 12 and second <= 12):
        return calendar.day_named(first, second, year) if 1 <= second <= 12 else None
    return calendar.day_named(second, first, year) if second > 12 and 1 <= first <= 12 else None


def _date_range(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    month, year = _month(phrase, words), phrase.number("year")
    last = calendar.day_named(phrase.number("day2") or 0, month, year)
    if last is None or last.since is None:
        return None
    first = calendar.day_named(phrase.number("day") or 0, month, last.since.year)
    if first is None or first.since is None or last.until is None or first.since >= last.until:
        return None
    return Window(first.since, last.until)


def _month_named(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.month(_month(phrase, words), phrase.number("year"))


def _month_last(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.month(_month(phrase, words), ended=True)


def _month_this(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.month(_month(phrase, words), calendar.today.year)


def _quarter(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    quarter = phrase.number("quarter") or words.ordinals[phrase.word("ordinal")]
    return calendar.quarter(quarter, phrase.number("year"))


def _half(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    word = phrase.word("half")
    half = (
        words.halves[word] if word in words.halves else phrase.number("half") or words.ordinals[phrase.word("ordinal")]
    )
    which = phrase.word("which")
    return calendar.half(half, calendar.today.year + _YEARS_BACK[which] if which else phrase.number("year"))


def _week_of(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    day = _date(phrase, words, calendar)
    return None if day is None else calendar.week_holding(day)


def _day_of_month(phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.day_of_month(phrase.number("day") or 0)


def _named_day(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    month, day, days = words.named_days[phrase.word("named_day").replace("’", "'")]
    first = calendar.day_named(day, month, phrase.number("year"))
    if first is None or first.since is None:
        return None
    return calendar.span(first.since.date(), first.since.date() + timedelta(days=days))


def _week(phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.week(phrase.number("week") or 0, phrase.number("year"))


def _season(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.season(words.seasons[phrase.word("season")], phrase.number("year"))


def _season_named(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    year = calendar.today.year + _YEARS_BACK[phrase.word("which")]
    return calendar.season(words.seasons[phrase.word("season")], year)


def _season_last(phrase: Phrase, words: TimeWords, calendar: Calendar) -> Window | None:
    return calendar.season(words.seasons[phrase.word("season")], ended=True)


def _year(phrase: Phrase, _words: TimeWords, calendar: Calendar) -> Window | None:
    year = phrase.number("year")
    return calendar.year(year) if year is not None else None


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "relative": _relative,
        "part_today": _part_today,
        "part_last": _part_last,
        "last_night": _last_night,
        "ago": _ago,
        "ago_range": _ago_range,
        "since_n": _last_n,
        "last_n": _last_n,
        "last_range": _last_range,
        "last_n_one": _last_n_one,
        "weekday_in": _weekday_in_last_week,
        "weekday_ago": _weekday_ago,
        "weekday_before_last": _weekday_before_last,
        "unit_before_last": _unit_before_last,
        "unit_latest": _unit_latest,
        "half_year_ago": _half_year_ago,
        "fortnight": _fortnight,
        "fortnight_ago": _fortnight_ago,
        "half": _half,
        "week_of": _week_of,
        "day_of_month": _day_of_month,
        "named_day": _named_day,
        "season_named": _season_named,
        "unit_last": _unit_last,
        "unit_this": _unit_this,
        "year_named": _year_named,
        "weekend_last": _weekend_last,
        "weekend_this": _weekend_this,
        "weekday": _weekday_latest,
        "weekday_this": _weekday_this,
        "date": _date,
        "date_dotted": _date,
        "date_slashed": _date_slashed,
        "date_range": _date_range,
        "month": _month_named,
        "month_last": _month_last,
        "month_this": _month_this,
        "quarter": _quarter,
        "week": _week,
        "season": _season,
        "season_last": _season_last,
        "year": _year,
    }
)
