"""File events: what an editor, git or a sync tool changes is in the index seconds later.

The watcher only says which paths may have changed. What that means is decided by reading the files, so that a missed or
a doubled event can do no harm, and a regular scan catches what no event told of.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

log = structlog.get_logger("memoryd.watch")

LOOK_AGAIN_MS = 20_000
"""How often to see whether a folder came, went or was replaced: a drive that was mounted, a vault that was made."""

SETTLE_MS = 1_000
"""How long no event may come before a burst is handed on. The backend sleeps in steps of this, so at rest the watcher
wakes once in it: a shorter one would be felt in a laptop's battery, and by nobody who edits a file."""

_RETRY_S = 2.0

Root = tuple[Path, int, int]
"""A folder with its device and inode: another file system mounted in its place is another folder."""


class Watcher:
    """Watches folders in a thread of its own and hands on changed paths in bursts.

    The backend of ``watchfiles`` is used by itself, since its generator does not say when watching has begun.

    Args:
        folders: Asked again and again; folders that do not exist yet are watched once they do.
        on_change: Called in the watcher's thread with each burst. What it raises is logged and ends nothing.
        on_gap: Called in the watcher's thread whenever watching begins, at first or anew: what changed before, no
            event tells.
        debounce_ms: The longest that a burst is gathered; ``settle_ms`` without an event ends it sooner.
        look_again_ms: How often to see whether the folders are still the same.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        on_change: Callable[[set[Path]], None],
        *,
        on_gap: Callable[[], None] = lambda: None,
        debounce_ms: int = 1500,
        settle_ms: int = SETTLE_MS,
        look_again_ms: int = LOOK_AGAIN_MS,
    ) -> None:
        self._folders = folders
        self._on_change = on_change
        self._on_gap = on_gap
        self._debounce_ms = debounce_ms
        self._settle_ms = settle_ms
        self._look_again_ms = look_again_ms
        self._stop = threading.Event()
        self._watching = threading.Event()
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    @property
    def problem(self) -> str | None:
        """In words, why file changes are not seen right now; ``None`` where they are."""
        return self._problem

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Have the thread end at its next step, and do not wait for it."""
        self._stop.set()

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
            roots = self._present()
            if not roots:
                self._stop.wait(self._look_again_ms / 1000)
                continue
            try:
                self._watch(roots)
            except FileNotFoundError:
                continue  # a folder went between the look and the watch: look again
            except (OSError, WatchfilesRustInternalError) as error:
                # Most often the system's limit of watches. The regular scan goes on without events.
                self._problem = f"file changes are seen only by the regular scan: {error}"
                log.warning("watch_failed", reason=type(error).__name__, detail=str(error))
                self._stop.wait(max(_RETRY_S, self._look_again_ms / 1000))

    def _present(self) -> list[Root]:
        """Return the folders that are there; one below another is watched with it."""
        roots: list[Root] = []
        for folder in sorted(set(self._folders())):
            if any(folder.is_relative_to(root[0]) for root in roots):
                continue
            try:
                status = folder.stat()
            except OSError:
                continue
            if folder.is_dir():
                roots.append((folder, status.st_dev, status.st_ino))
        return roots

    def _watch(self, roots: list[Root]) -> None:
        with RustNotify([str(folder) for folder, _, _ in roots], False, False, 300, True, True) as notify:  # noqa: FBT003 - it takes no names: debug, polling, its delay, recursive, unreadable folders are passed over
            self._problem = None
            self._watching.set()
            self._call(self._on_gap)
            while True:
                found = notify.watch(self._debounce_ms, self._settle_ms, self._look_again_ms, self._stop)
                if self._stop.is_set():
                    return
                paths = {Path(path) for _, path in found} if isinstance(found, set) else set()
                if paths:
                    self._call(lambda paths=paths: self._on_change(paths))  # type: ignore[misc] # bound early
                # A folder that was removed and made again may even have the inode of the old one, whose watch is dead.
                if self._present() != roots or any(folder in paths for folder, _, _ in roots):
                    return

    def _call(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:
            # One unreadable file must not end the watching of all others; the store has reported it by name.
            log.exception("change_failed")
