"""Background threads that let everything else go first."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

_NICENESS = 10


def lower_priority() -> None:
    """Lower the priority of this thread. Only Linux has one for each thread; elsewhere nothing is changed."""
    if sys.platform == "linux":
        with suppress(OSError):  # a container may forbid it, and then it is only less polite
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
