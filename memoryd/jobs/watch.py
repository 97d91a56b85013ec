"""File events: what an editor, git or a sync tool changes is in the index seconds later.

The watcher only says which paths may have changed. What that means is decided by reading the files, so that a missed or
a doubled event can do no harm, and a regular scan catches what no event told of.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog
import watchfiles

log = structlog.get_logger("memoryd.watch")

LOOK_AGAIN_MS = 20_000
"""How often to see whether a folder came or went: a drive that was mounted, a vault that was made."""


class Watcher:
    """Watches folders in a thread of its own and hands on changed paths in bursts.

    Args:
        folders: Asked again and again; folders that do not exist yet are watched once they do.
        on_change: Called in the watcher's thread with each burst. What it raises is logged and ends nothing.
        debounce_ms: The longest that a burst is gathered; ``settle_ms`` without an event ends it sooner.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        on_change: Callable[[set[Path]], None],
        *,
        debounce_ms: int = 1500,
        settle_ms: int = 200,
    ) -> None:
        self._folders = folders
        self._on_change = on_change
        self._debounce_ms = debounce_ms
        self._settle_ms = settle_ms
        self._stop = threading.Event()
        self._watching = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the thread; a burst in the making is dropped, the next start's scan finds it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def wait_until_watching(self, timeout_s: float) -> bool:
        """Wait for the first folder to be watched; tell whether it is."""
        return self._watching.wait(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            folders = self._present()
            if not folders:
                self._stop.wait(LOOK_AGAIN_MS / 1000)
                continue
            try:
                self._watch(folders)
            except OSError as error:
                log.warning("watch_failed", reason=type(error).__name__, errno=error.errno)
                self._stop.wait(2.0)

    def _present(self) -> list[Path]:
        return sorted({folder for folder in self._folders() if folder.is_dir()})

    def _watch(self, folders: list[Path]) -> None:
        bursts = watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=self._debounce_ms,
            step=self._settle_ms,
            stop_event=self._stop,
            rust_timeout=LOOK_AGAIN_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        )
        for burst in bursts:
            self._watching.set()
            if burst:
                self._hand_on({Path(path) for _, path in burst})
            elif self._present() != folders:
                return

    def _hand_on(self, paths: set[Path]) -> None:
        try:
            self._on_change(paths)
        except Exception:
            # One unreadable file must not end the watching of all others; the store has reported it by name.
            log.exception("change_failed", paths=len(paths))
