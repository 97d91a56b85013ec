"""Noticing that rows are stamped in the future, because the machine's clock was set back.

Milvus Lite stamps each row with the wall clock, keeps the stamp in its file, and shows a search the rows up to the
present. After a step back of an hour nothing that was written is seen for an hour: a search finds less or nothing, a
delete passes rows by, a row that is replaced is there twice, and a new process changes nothing about it. Such a file
is of no use; it is thrown away and filled again.

Asking whether the present lies before the last write needs no second clock, and tells of no step that hides nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TOLERANCE_S = 0.5
"""What is hidden for no longer than this is not worth a new file."""


class Stamps:
    """When a database was written last, by the clock that stamps its rows."""

    def __init__(self, *, wall: Callable[[], float] = time.time) -> None:
        """Know of no write yet.

        Args:
            wall: The wall clock, in seconds.
        """
        self._wall = wall
        self._newest_s = float("-inf")

    def note(self, at_s: float | None = None) -> None:
        """Note a write: at a time, or just now."""
        self._newest_s = max(self._newest_s, self._wall() if at_s is None else at_s)

    def forget(self) -> None:
        """Know of no write: the database is a new one."""
        self._newest_s = float("-inf")

    def ahead_s(self) -> float | None:
        """Return by how many seconds the newest row lies in the future, ``None`` where it is not worth a word."""
        ahead_s = self._newest_s - self._wall()
        return ahead_s if ahead_s > TOLERANCE_S else None
