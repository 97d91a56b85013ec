"""Something that is done a little later, once for all who asked meanwhile; at rest no timer runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

log = structlog.get_logger("memoryd.later")


class Later:
    """Runs ``run`` in a thread of its own ``delay_s`` seconds after the first ``ask``.

    A failure is logged and ends nothing; the next ``ask`` tries again.
    """

    def __init__(self, run: Callable[[], None], *, delay_s: float) -> None:
        self._run = run
        self._delay_s = delay_s
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """See to it that it is done; asking again before then changes nothing."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(self._delay_s, self._fire)
                self._timer.daemon = True
                self._timer.start()

    def stop(self) -> None:
        """Do not do it any more; what was asked for is left to whoever stops."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _fire(self) -> None:
        with self._lock:
            self._timer = None
        try:
            self._run()
        except Exception:
            # There is nobody to tell: who asked has his answer already.
            log.exception("later_failed")
