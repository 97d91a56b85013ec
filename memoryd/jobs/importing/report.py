"""What an import came to, told while it runs and as JSON at its end."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from memoryd.jobs.importing.item import Entry, Fact, Folder, Item, Page
from memoryd.jobs.importing.words import line

Outcome = Literal["recorded", "known", "captured", "differs", "forgotten", "empty", "proposed", "refused"]
"""What became of an item: ``captured`` was told by its own session, ``differs`` stands here with another text."""

MOST_NAMED = 20
"""How many problems, and things that differ, an answer names."""
FIRST = 3
"""How many items of a kind an answer shows."""

_KINDS: dict[type[Item], str] = {Entry: "episode", Page: "note", Fact: "decision", Folder: "folder"}
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an item, and where it stands or why it was refused."""

    outcome: Outcome
    said: str = ""


@dataclass(slots=True)
class Report:
    """Counts by what became of things, the first of each kind, and in words what was passed over and why."""

    source: str
    files: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    first: dict[str, list[str]] = field(default_factory=dict)
    differs: list[str] = field(default_factory=list)
    folders: dict[str, str] = field(default_factory=dict)

    def count(self, item: Item, fate: Fate) -> None:
        """Take note of what became of an item."""
        kind = _KINDS[type(item)]
        self.kinds.setdefault(kind, Counter())[fate.outcome] += 1
        shown = shown_as(item)
        match fate.outcome:
            case "recorded" | "proposed":
                first = self.first.setdefault(kind, [])
                first += [shown] if len(first) < FIRST else []
            case "differs":
                self.differs.append(f"{shown}: {fate.said}")
            case "refused":
                self.problems.append(f"{shown}: {fate.said}")
        if isinstance(item, Folder) and fate.outcome == "proposed":
            self.folders[self._free(item.name)] = str(item.path)

    def _free(self, name: str) -> str:
        """Return the name, or where it is taken the first one with a number that is not."""
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        return next(one for one in (name, *itertools.islice(numbered, len(self.folders))) if one not in self.folders)

    @property
    def done(self) -> int:
        """How many items were looked at."""
        return sum(counts.total() for counts in self.kinds.values())

    def body(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        turns = sum(self.kinds.values(), Counter())
        return {
            "source": self.source,
            "files": self.files,
            "turns": dict(sorted(turns.items())),
            "kinds": {kind: dict(sorted(counts.items())) for kind, counts in sorted(self.kinds.items())},
            "first": self.first,
            "skipped": dict(sorted(self.skipped.items())),
            "differs": self.differs[:MOST_NAMED],
            "folders": self.folders,
            "problems": self.problems[:MOST_NAMED],
        }


def shown_as(item: Item) -> str:
    """Return what a person knows an item by: nothing of it that may not be stored is shown either."""
    title = line(item.title)[:_LONGEST]
    if isinstance(item, Entry):
        return f"{item.at:%Y-%m-%d %H:%M} {title}".rstrip()
    return title or line(str(getattr(item, "id", "")))
