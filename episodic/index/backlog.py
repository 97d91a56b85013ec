"""What was put off so that nobody waits for it: long entries are cut, and files taken in, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from episodic.errors import EngineError, StoreClosed
from episodic.index.cutting import Cutter
from episodic.index.recovery import RESTS_S, Recovery
from episodic.index.upkeep import Index


class Backlog:
    """Works off what waits, when it is told that something does. Methods may be called from any thread."""

    def __init__(self, cutter: Cutter, index: Index, *, rests_s: Sequence[float] = RESTS_S) -> None:
        """Prepare, without starting anything.

        Args:
            cutter: Knows what is uncut.
            index: Gets the pieces.
            rests_s: The pauses before each try, where the manifest cannot be written.
        """
        self._cutter = cutter
        self._index = index
        self._recovery = Recovery(self._work_off, rests_s=rests_s, name="backlog", repeats=True)
        self._is_stopping = False
        self.before: Callable[[], None] = lambda: None
        """Called in the thread before entries are cut: it takes in the files that were put off."""

    def begin(self) -> None:
        """Work in the background, unless that goes on already."""
        self._recovery.begin()

    def finish(self) -> None:
        """Work here and now, until nothing waits or the store is closed."""
        while not self._is_stopping and self._cutter.cut_some():
            pass

    def stop(self) -> None:
        """End it between two entries; what is left is noted, and goes on after the next scan."""
        self._is_stopping = True
        self._recovery.stop()
        self._is_stopping = False
        self._recovery.reopen()

    def _work_off(self) -> None:
        try:
            self.before()
            self.finish()
            self._index.sync()
        except (StoreClosed, EngineError):
            return  # the next start goes on, and an engine that comes back asks for what it missed
