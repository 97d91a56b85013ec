"""What a pass over files came to: counts, and each file that could not be read whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A file (``path`` as a hit shows it) and, in words, what was wrong and what was done about it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """Files looked at, files whose pieces changed, files that are gone, and the problems met."""

    files: int = 0
    changed: int = 0
    removed: int = 0
    problems: tuple[Problem, ...] = ()

    def __add__(self, other: Report) -> Report:
        return Report(
            self.files + other.files,
            self.changed + other.changed,
            self.removed + other.removed,
            self.problems + other.problems,
        )
