"""Filling a manifest anew that was lost while it served, while entries are written and questions answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from episodic.errors import EpisodicError, ManifestUnusable
from episodic.index.manifest import Manifest
from episodic.index.recovery import Recovery
from episodic.index.schema import MANIFEST
from memoryd.text.report import Problem, Report


class _Stopped(EpisodicError):
    """The store is being closed; the next start reads the files."""


class Mending:
    """Knows why a manifest is not whole, and sees to it that it becomes so. Methods may be called from any thread."""

    def __init__(
        self, manifest: Manifest, fill: Callable[[Callable[..., None]], Report], *, rests_s: Sequence[float]
    ) -> None:
        """Prepare, without starting anything.

        Args:
            manifest: Tells when it was set aside.
            fill: Reads every file into the manifest; what it is told to tell may raise to end it.
            rests_s: The pauses before the tries.
        """
        manifest.on_anew = self.begin
        self._fill = fill
        self._recovery = Recovery(self._run, rests_s=rests_s, name="manifest-mending", repeats=True)
        self._lock = threading.Lock()
        self._times = 0
        self._reason: str | None = None
        self._failure: str | None = None
        self._reports: list[Problem] = []
        self._is_stopping = False

    @property
    def reason(self) -> str | None:
        """In words, why the manifest is not whole right now."""
        reason, failure = self._reason, self._failure
        if reason is None:
            return None
        words = (
            f"state/{MANIFEST} was damaged and set aside ({reason}); it is made anew from the journal, and until then "
            "answers may lack entries"
        )
        return f"{words}. It did not succeed yet: {failure}" if failure else words

    def begin(self, reason: str) -> None:
        """Take note that the manifest was lost, and fill the new one in the background."""
        with self._lock:
            self._times += 1
            self._reason = reason
        self._recovery.begin()

    def drain(self) -> list[Problem]:
        """Return what was done since the last call."""
        with self._lock:
            found, self._reports = self._reports, []
        return found

    def reopen(self) -> None:
        """Allow it again after ``stop``."""
        self._is_stopping = False
        self._reason = self._failure = None
        self._recovery.reopen()

    def stop(self) -> None:
        """End it, and wait for that."""
        self._is_stopping = True
        self._recovery.stop()

    def _run(self) -> None:
        # Damaged again in the middle of it, it is filled once more.
        while (times := self._times) and self._reason is not None:
            try:
                self._fill(self._tell)
            except OSError as error:
                self._failure = str(error)
                raise ManifestUnusable(str(error)) from error
            except EpisodicError as error:
                self._failure = str(error)
                raise
            with self._lock:
                self._failure = None
                if times == self._times:
                    words = f"it was damaged ({self._reason}) and was made anew from the journal"
                    self._reports.append(Problem(MANIFEST, words, happened=True))
                    self._reason = None

    def _tell(self, *_: object) -> None:
        if self._is_stopping:
            raise _Stopped
