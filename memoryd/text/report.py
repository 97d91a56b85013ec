"""What a pass over files came to: counts, and each file that could not be read whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A file (``path`` as a hit shows it) and, in words, what was wrong and what was done about it.

    ``happened`` tells of something that was done once and is no state of the file: looking at the file again does
    not settle it. ``is_read`` says that no answer is the less for it: the text of the file is read all the same.
    """

    path: str
    reason: str
    happened: bool = False
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Files looked at, files whose pieces changed, files that are gone, and the problems met.

    ``looked_at`` are the paths, as problems name them, of which the problems met are all there are: what was said
    of them or of anything below them before is settled.
    """

    files: int = 0
    changed: int = 0
    removed: int = 0
    problems: tuple[Problem, ...] = ()
    looked_at: tuple[str, ...] = ()

    def __add__(self, other: Report) -> Report:
        return Report(
            self.files + other.files,
            self.changed + other.changed,
            self.removed + other.removed,
            self.problems + other.problems,
            self.looked_at + other.looked_at,
        )
