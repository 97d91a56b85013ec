"""What a language must say for its spans of time to be read: vocabularies, and templates built from them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from memoryd.router.calendar import Part, Season, Unit

NamedDay = tuple[int, int, int]
"""Month, day, and how many days it lasts."""


@dataclass(frozen=True, slots=True)
class Template:
    """A phrase of time and how to read it.

    Attributes:
        reader: The name of a reader in ``memoryd.router.temporal``.
        text: A regular expression in which ``{n}``, ``{unit}``, ``{weekday}``, ``{month}``, ``{day}``, ``{year}`` …
            stand for a slot, and a space for white space.
        weak: A span only beside a word that makes it one ("in 2023", "since May"): alone it is a number or a verb.
    """

    reader: str
    text: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class TimeWords:
    """The words of time of one language. Vocabularies map a word (lower case) to what it means.

    Attributes:
        relative: Words for a day to its distance from today.
        weak_months: Month names that are also other words.
        spaced: Whether words are set apart by spaces.
        bound_units: Units in words that hold more ("last week" as one word).
        thirds: Words for the beginning (0), the middle (1) and the end (2) of a span.
        halves: Words for the first and the second half of a year, where no ordinal says it.
        named_days: Days of the year that have a name: (month, day, length in days).
        other: Words of templates that no vocabulary holds.
        never_after: Words behind a span that make it none of the past ("lundi prochain").
        before_weak: Words in front of a weak span that make it one.
        before_*: Words in front of a span that turn it into an open one, or merely belong to it.
        after_*: The same behind it, for languages that put them there.
        joins: What stands between the two ends of a range.
        opens: What must stand in front of a range; empty where nothing need.
        closes: What may stand behind a range and belongs to it.
        whole_day: Words that add nothing to a day ("morning to night").
    """

    code: str
    numbers: Mapping[str, int]
    units: Mapping[str, Unit]
    relative: Mapping[str, int]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    parts: Mapping[str, Part]
    seasons: Mapping[str, Season]
    templates: tuple[Template, ...]
    weak_months: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    short_weekdays: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    ordinals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    bound_units: Mapping[str, Unit] = field(default_factory=lambda: MappingProxyType({}))
    thirds: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    halves: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    named_days: Mapping[str, NamedDay] = field(default_factory=lambda: MappingProxyType({}))
    other: tuple[str, ...] = ()
    spaced: bool = True
    before_weak: str = ""
    before_since: str = ""
    before_after: str = ""
    before_until: str = ""
    before_through: str = ""
    before_plain: str = ""
    after_since: str = ""
    after_after: str = ""
    after_until: str = ""
    after_through: str = ""
    after_plain: str = ""
    opens: str = ""
    joins: str = ""
    closes: str = ""
    never_before: str = ""
    never_after: str = ""
    whole_day: str = ""

    def slots(self) -> dict[str, str]:
        """Return the regular expression of each slot, as a named group."""
        months = {**self.months, **self.weak_months}
        return {
            "n": rf"(?P<n>\d{{1,4}}|{alternatives(self.numbers)})" if self.numbers else r"(?P<n>\d{1,4})",
            "unit": f"(?P<unit>{alternatives(self.units)})",
            "relative": f"(?P<relative>{alternatives(self.relative)})",
            "weekday": f"(?P<weekday>{alternatives(self.weekdays)})",
            "any_weekday": f"(?P<weekday>{alternatives({**self.weekdays, **self.short_weekdays})})",
            "month": f"(?P<month>{alternatives(months)})",
            "clear_month": f"(?P<month>{alternatives(self.months)})",
            "weak_month": f"(?P<month>{alternatives(self.weak_months)})",
            "part": f"(?P<part>{alternatives(self.parts)})",
            "season": f"(?P<season>{alternatives(self.seasons)})",
            "third": f"(?P<third>{alternatives(self.thirds)})",
            "half": f"(?P<half>{alternatives(self.halves)})" if self.halves else "(?P<half>[12])",
            "named_day": f"(?P<named_day>{alternatives(self.named_days)})",
            "ordinal": f"(?P<ordinal>{alternatives(self.ordinals)})",
            "day": r"(?P<day>0?[1-9]|[12]\d|3[01])",
            "day2": r"(?P<day2>0?[1-9]|[12]\d|3[01])",
            "mm": r"(?P<mm>0?[1-9]|1[0-2])",
            "year": r"(?P<year>(?:19[7-9]|20\d|21\d)\d)",
            "quarter": r"(?P<quarter>[1-4])",
            "week": r"(?P<week>[1-9]|0[1-9]|[1-4]\d|5[0-3])",
        }

    def compiled(self, template: Template) -> re.Pattern[str]:
        """Return the template as a pattern that starts and ends at the edges of words."""
        text = template.text
        for slot, pattern in self.slots().items():
            text = text.replace("{" + slot + "}", pattern)
        text = text.replace(" ?", r"\s*").replace(" ", r"\s+")
        if not self.spaced:
            return re.compile(rf"(?<![\d.]){text}(?!\d)", re.IGNORECASE)
        return re.compile(rf"(?<![\w.\-/]){text}(?![\w]|[\-/]\w|\.\d)", re.IGNORECASE)

    def unit(self, word: str) -> Unit:
        """Return the unit that a word of ``units`` or ``bound_units`` means."""
        word = " ".join(word.lower().split())
        return self.units[word] if word in self.units else self.bound_units[word]

    def vocabulary(self) -> tuple[str, ...]:
        """Return the words that are hardly anything but words of time."""
        tables = (self.units, self.bound_units, self.relative, self.weekdays, self.months, self.parts, self.seasons)
        return tuple(word for table in tables for word in table)

    def trigger(self) -> re.Pattern[str]:
        """Return a pattern without which no template can match: a digit or any word of the vocabularies."""
        others = (self.short_weekdays, self.weak_months, self.named_days, self.other)
        vocabulary = dict.fromkeys((*self.vocabulary(), *(word for table in others for word in table)))
        return re.compile(rf"\d|{alternatives(vocabulary)}", re.IGNORECASE)


def alternatives(vocabulary: Mapping[str, object]) -> str:
    """Return an alternation of the words, longest first; one that matches nothing for an empty vocabulary."""
    if not vocabulary:
        return "(?!)"
    words = sorted(vocabulary, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in words)


def numbered(*rows: str) -> dict[str, int]:
    """Return words to numbers from rows of ``number word word …``; ``_`` stands for a space."""
    table: dict[str, int] = {}
    for row in rows:
        number, *spellings = row.split()
        table.update({word.replace("_", " "): int(number) for word in spellings})
    return table


def kinds(*rows: str) -> dict[str, str]:
    """Return words to a kind from rows of ``kind word word …``."""
    table: dict[str, str] = {}
    for row in rows:
        kind, *spellings = row.split()
        table.update({word.replace("_", " "): kind for word in spellings})
    return table


def named_days(*rows: str) -> dict[str, NamedDay]:
    """Return named days from rows of ``MM-DD days name name …``."""
    table: dict[str, NamedDay] = {}
    for row in rows:
        date, days, *names = row.split()
        month, day = date.split("-")
        table.update({name.replace("_", " "): (int(month), int(day), int(days)) for name in names})
    return table


def han_numbers(**more: int) -> dict[str, int]:
    """Return the numbers 1 to 99 as written in Chinese characters, and ``more`` words for numbers."""
    digits = ("", *"一二三四五六七八九")
    table = {
        f"{'' if tens == 1 else digits[tens]}{'十' if tens else ''}{digits[ones]}": 10 * tens + ones
        for tens in range(10)
        for ones in range(10)
        if tens or ones
    }
    return {**table, **more}


_Value = TypeVar("_Value")


def with_bare(table: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return a vocabulary with each word also as it is typed without accents."""
    return {**{_bare(word): value for word, value in table.items()}, **table}


def _bare(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
