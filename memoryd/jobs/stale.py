"""How old the graph is: when it was last made from nothing, in ``state/graph.json``, and what is done about it.

The graph is kept up with every change. Making it anew from time to time proves that: should the two ever differ, the
job says so, and the new one stands. Where nobody ever asked for a graph, none is made.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from memoryd.errors import PathUnusable
from memoryd.paths import write_private

log = structlog.get_logger("memoryd.graph")


class Stamp:
    """When the graph was last made from nothing. The file may be deleted: then the time counts anew.

    Args:
        file: Where it is kept.
        clock: Returns the present, aware.
        days: How old a graph may become.
    """

    def __init__(self, file: Path, clock: Callable[[], datetime], days: int) -> None:
        self._file = file
        self._clock = clock
        self._age = timedelta(days=days)

    @property
    def made(self) -> datetime | None:
        """When that was; ``None`` where it is not known."""
        try:
            made = datetime.fromisoformat(json.loads(self._file.read_text("utf-8"))["made"])
        except (OSError, ValueError, TypeError, LookupError):
            return None
        return made if made.tzinfo is not None else None

    def set(self, digest: str) -> None:
        """Note that the graph was made now."""
        try:
            write_private(self._file, json.dumps({"made": self._clock().isoformat(), "digest": digest}).encode())
        except PathUnusable as error:  # it is made once more, sooner than it had to be
            log.warning("no_stamp", reason=str(error))

    @property
    def is_old(self) -> bool:
        """Whether it is time to make the graph anew. A time to come is none that a clock could have told."""
        made = self.made
        return made is not None and not timedelta() <= self._clock() - made < self._age


def renewing(stamp: Stamp, held: Callable[[], str | None], start: Callable[[], None]) -> Callable[[], None]:
    """Return what is to be called when a session begins: it has an old graph made anew, in the background.

    Args:
        stamp: Says how old the graph is.
        held: Returns the digest of a graph that is there though no stamp is, or nothing.
        start: Begins the job, unless it runs.
    """

    def session_began() -> None:
        if stamp.is_old:
            start()
        elif stamp.made is None and (digest := held()) is not None:
            stamp.set(digest)  # from here on its age counts

    return session_began
