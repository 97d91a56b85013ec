"""Loading what takes long to load before anybody waits for it, where it was wanted before.

The protocol of agents costs a second of loading and about 30 MB. Whoever never speaks it should not pay for it; who
once did will again, and should not wait for it after each start. That it was wanted stands in ``state/``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import structlog

from memoryd.errors import MemorydError
from memoryd.jobs.later import Later
from memoryd.jobs.priority import lower_priority
from memoryd.paths import write_private

log = structlog.get_logger("memoryd.warm")

DELAY_S = 5.0
"""After a start other things are more urgent: the scan, and whoever waited for the daemon."""


class Warmth:
    """Loads something in the background after a start, if ``note`` was called in an earlier life.

    Args:
        memo: The file that says so; it may be deleted.
        load: Loads it; it may be loaded already.
        delay_s: How long after ``start``.
    """

    def __init__(self, memo: Path, load: Callable[[], None], *, delay_s: float = DELAY_S) -> None:
        self._memo = memo
        self._load = load
        self._later = Later(self._warm, delay_s=delay_s)

    def note(self) -> None:
        """Remember that it is wanted here. Without the file the next start just loads it when it is asked for."""
        try:
            if not self._memo.exists():
                write_private(self._memo, b"")
        except (MemorydError, OSError) as error:
            log.warning("wish_not_noted", reason=type(error).__name__)

    def start(self) -> None:
        """Load it soon, if it was wanted before."""
        if self._memo.exists():
            self._later.ask()

    def stop(self) -> None:
        """Do not begin any more."""
        self._later.stop()

    def _warm(self) -> None:
        lower_priority()
        self._load()
