"""A simulated year of a small team, drawn from a seed: a journal, decisions that replace each other, notes, questions.

All sentences stand in ``year.toml`` and below, written without regard to how the router reads. Each question has the
ids of what answers it, and each statement of a value is known, so that what an answer calls current can be judged.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 365
CHORES = 600
"""Entries of which no question asks."""

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "decided": "Talked with {person} about the {subject}. We take {value}: {why}.",
        "stated": "{person} set up a test machine. The {subject} is {value}, so the guide had to be changed twice.",
        "trial": "{person} tried {value} for an afternoon and liked it.",
        "title": "The {subject} is {value}",
        "now": "What is our {subject}?|Which {subject} do we use?",
        "why": "Why is {value} our {subject}?",
        "then": "What is our {subject}?|Which {subject} do we use?",
        "when": "When did we decide on {value} for the {subject}?",
        "changed": "What happened around the change of the {subject} to {value}, and why is it so?",
    },
    "de": {
        "decided": "Mit {person} über das Thema {subject} gesprochen. Wir nehmen {value}: {why}.",
        "stated": "{person} hat einen Testplatz eingerichtet. {subject} ist {value}, die Anleitung war falsch.",
        "trial": "{person} hat {value} einen Nachmittag lang ausprobiert.",
        "title": "{subject}: {value}",
        "now": "Was ist unsere aktuelle Lösung für {subject}?|Welche Lösung haben wir für {subject}?",
        "why": "Warum nehmen wir {value} für {subject}?",
        "then": "Was ist unsere aktuelle Lösung für {subject}?|Welche Lösung haben wir für {subject}?",
        "when": "Wann haben wir uns bei {subject} für {value} entschieden?",
        "changed": "Was geschah beim Wechsel von {subject} zu {value}, und warum ist das so?",
    },
}


@dataclass(frozen=True, slots=True)
class Written:
    """An entry of the journal; ``states`` is the subject and the value that it gives it, where it does."""

    key: str
    text: str
    at: datetime
    session: str
    states: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision and the entry of its own session."""

    key: str
    title: str
    why: str
    subject: str
    value: str
    at: datetime
    session: str
    entry: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A note of the vault."""

    key: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question; ``wanted`` are keys of what answers it, none where nothing does; ``subject`` is what it is about."""

    text: str
    kind: str
    wanted: frozenset[str]
    subject: str | None = None
    as_of: datetime | None = None


@dataclass(slots=True)
class Year:
    """All of it, entries and decisions in the order of time."""

    entries: list[Written] = field(default_factory=list)
    decisions: list[Decided] = field(default_factory=list)
    notes: list[Noted] = field(default_factory=list)
    questions: list[Asked] = field(default_factory=list)

    def value_of(self, subject: str, at: datetime | None) -> str | None:
        """Return what a subject was at an instant, or is in the end; ``None`` before anything was decided."""
        held = [one for one in self.decisions if one.subject == subject and (at is None or one.at < at)]
        return held[-1].value if held else None


def make_year(seed: int) -> Year:
    """Return the year of a seed."""
    drawn = random.Random(seed)  # noqa: S311 - no secret
    told = tomllib.loads(resources.files("memoryd.bench").joinpath("year.toml").read_text("utf-8"))
    year = Year()
    for number, subject in enumerate(told["subject"]):
        _decide(year, subject, number, told["people"], drawn)
    for number, event in enumerate(told["event"]):
        text = event["text"].format(person=drawn.choice(told["people"]))
        key = f"event {number}"
        year.entries.append(Written(key, text, _some_time(drawn), key))
        year.questions += [Asked(ask, "event", frozenset({key})) for ask in event["asks"]]
    for number, note in enumerate(told["note"]):
        key = f"note {number}"
        year.notes.append(Noted(key, note["title"], note["body"]))
        year.questions += [Asked(ask, "note", frozenset({key})) for ask in note["asks"]]
    year.entries += _chores(told, drawn)
    year.questions += [Asked(ask, "unanswered", frozenset()) for ask in told["unanswered"]["asks"]]
    year.entries.sort(key=lambda one: (one.at, one.key))
    year.decisions.sort(key=lambda one: (one.at, one.key))
    return year


def _decide(year: Year, subject: Mapping[str, Any], number: int, people: list[str], drawn: random.Random) -> None:
    """Let a subject take its values one after the other, with the entries around each and the questions about it."""
    texts = _TEXTS[subject.get("language", "en")]
    name, values = subject["name"], subject["values"]
    days = sorted(drawn.sample(range(10, DAYS - 40, 25), len(values)))
    for place, ((value, why), day) in enumerate(zip(values, days, strict=True)):
        at = FIRST_DAY + timedelta(days=day, hours=drawn.randrange(9, 17), minutes=drawn.randrange(60))
        words = {"person": drawn.choice(people), "subject": name, "value": value, "why": why}
        key = f"{number}.{place}"
        session = f"session {key}"
        entries = {
            f"entry {key}": ("decided", at - timedelta(minutes=20), session, True),
            f"trial {key}": ("trial", at - timedelta(days=3), f"trial {key}", False),
            f"later {key}": ("stated", at + timedelta(days=9), f"later {key}", True),
        }
        for id_, (form, when, of, is_stated) in entries.items():
            states = (name, value) if is_stated else None
            year.entries.append(Written(id_, texts[form].format(**words), when, of, states))
        title = texts["title"].format(**words)
        year.decisions.append(Decided(f"decision {key}", title, f"{why}.", name, value, at, session, f"entry {key}"))
        both = frozenset({f"decision {key}", f"entry {key}"})
        ask = texts["then"].split("|")[place % 2].format(**words)
        year.questions.append(Asked(ask, "as of", both, name, at + timedelta(days=12)))
        year.questions.append(Asked(texts["when"].format(**words), "change", both, name))
        if place == len(values) - 1:
            year.questions += [Asked(one.format(**words), "current", both, name) for one in texts["now"].split("|")]
            year.questions.append(Asked(texts["why"].format(**words), "why", both, name))
            year.questions.append(Asked(texts["changed"].format(**words), "two asks", both, name))


def _chores(told: Mapping[str, Any], drawn: random.Random) -> Iterator[Written]:
    for number in range(CHORES):
        person, system = drawn.choice(told["people"]), drawn.choice(told["systems"])
        text = f"{person} {drawn.choice(told['chores'])} {system}; {drawn.choice(told['remarks'])}."
        yield Written(f"chore {number}", text, _some_time(drawn), f"chore {number}")


def _some_time(drawn: random.Random) -> datetime:
    return FIRST_DAY + timedelta(days=drawn.randrange(DAYS), minutes=drawn.randrange(8 * 60, 18 * 60))
