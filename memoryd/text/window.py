"""A half-open span of time, ``since <= at < until``, in which either end may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Window:
    """Instants from ``since`` (included) to ``until`` (excluded); both are aware, ``None`` is unbounded."""

    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        for end in (self.since, self.until):
            if end is not None and end.tzinfo is None:
                raise ValueError("a window needs instants with a zone")
        if self.since is not None and self.until is not None and self.until < self.since:
            raise ValueError("a window cannot end before it starts")

    def __bool__(self) -> bool:
        return self.since is not None or self.until is not None

    def holds(self, at: datetime) -> bool:
        """Tell whether the instant lies inside."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)

    def narrowed(self, other: Window) -> Window:
        """Return the span that lies in both windows; an empty overlap gives an empty span at the later start."""
        since = max((w for w in (self.since, other.since) if w is not None), default=None)
        until = min((w for w in (self.until, other.until) if w is not None), default=None)
        if since is not None and until is not None and until < since:
            until = since
        return Window(since, until)


def is_in_calendar(day: date) -> bool:
    """Tell whether a day, or the day of an instant, is one in every zone.

    The first and the last year that a date can have hold moments that lie beyond them elsewhere.
    """
    return date.min.year < day.year < date.max.year
