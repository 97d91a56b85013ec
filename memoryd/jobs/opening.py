"""Opening the stores: side by side, since each waits for things of its own, one for files, the other for its engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def open_both(one: Callable[[], None], other: Callable[[], None], *, meanwhile: Callable[[], None]) -> None:
    """Open two stores at once, and begin what nobody waits for.

    Whatever one of them raises is raised when both have ended; if both do, that of ``other``. What ``meanwhile`` raises
    is the thread's own.
    """
    threading.Thread(target=meanwhile, name="meanwhile", daemon=True).start()
    with ThreadPoolExecutor(1, thread_name_prefix="opening") as pool:
        begun = pool.submit(one)
        other()
        begun.result()
