"""Bringing back what went away or was damaged, the index engine or the manifest, while nobody waits for it.

Nothing runs while it works. Once it failed, a thread tries to bring it back, rests a little longer after each
failure, and ends when it succeeded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from episodic.errors import EpisodicError

RESTS_S = (0.0, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
"""How long to wait before each try; the last one again and again."""


class Recovery:
    """Tries again and again. Every method may be called from any thread."""

    def __init__(
        self,
        attempt: Callable[[], None],
        *,
        rests_s: Sequence[float] = RESTS_S,
        name: str = "engine-recovery",
        repeats: bool = False,
    ) -> None:
        """Prepare, without starting anything.

        Args:
            attempt: Brings it back, or raises an ``EpisodicError``.
            rests_s: The pauses before the tries.
            name: What the thread is called.
            repeats: Asked to begin while an attempt is under way, make another one: there is more to do.
        """
        self._repeats = repeats
        self._asked = 0
        self._name = name
        self._attempt = attempt
        self._rests_s = tuple(rests_s)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start to try, unless that goes on already."""
        with self._lock:
            self._asked += 1
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def reopen(self) -> None:
        """Allow it again after ``stop``."""
        self._stopping.clear()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Try no more, and wait for the try under way."""
        self._stopping.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            asked = self._asked
            try:
                self._try()
            except BaseException:
                with self._lock:
                    self._thread = None
                raise
            with self._lock:
                if asked == self._asked or not self._repeats or self._stopping.is_set():
                    self._thread = None
                    return

    def _try(self) -> None:
        tries = 0
        while not self._stopping.wait(self._rests_s[min(tries, len(self._rests_s) - 1)]):
            tries += 1
            try:
                self._attempt()
            except EpisodicError:
                continue  # whoever tries keeps the reason; it is shown as long as nothing came of it
            return
