"""Telling many listeners what changed: a bounded queue for each, one look a second for all, none without a listener.

A listener that reads too slowly is let go: what waits for it would grow without end. What was
told last is kept, so that one whose connection broke goes on where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from memoryd.api.noticing import Event
from memoryd.service.logging import get_logger

MOST_LISTENERS = 20
MOST_WAITING = 200
"""So many events wait for a listener before it is let go."""
MOST_KEPT = 500
"""So many of the last events can be asked for again."""
LOOK_S = 1.0
BEAT_S = 15.0
"""A stream on which nothing happens says so this often: either side learns that the other is gone."""

logger = get_logger("memoryd.api.broadcast")


@dataclass(frozen=True, slots=True)
class Told:
    """An event with its number; without one it is the beat of a stream on which nothing happens, or its last word."""

    number: int
    event: Event | None
    is_last: bool = False


BEAT = Told(0, None)
TOO_SLOW = Told(0, None, is_last=True)


@dataclass(eq=False, slots=True)
class _Listener:
    queue: asyncio.Queue[Told | None]
    loop: asyncio.AbstractEventLoop
    is_slow: bool = False


class Broadcast:
    """Whoever listens, and what was told last. All but ``close`` belongs to the event loop.

    Args:
        look: Returns what changed since it was last called; it runs in a thread, once at a time.
        look_s: Seconds between two looks.
        beat_s: Seconds of silence before a beat.
    """

    def __init__(self, look: Callable[[], list[Event]], *, look_s: float = LOOK_S, beat_s: float = BEAT_S) -> None:
        self._look = look
        self._look_s = look_s
        self._beat_s = beat_s
        self._looking = asyncio.Lock()
        self._looker: asyncio.Task[None] | None = None
        self._listeners: list[_Listener] = []
        self._kept: deque[Told] = deque(maxlen=MOST_KEPT)
        self._number = 0
        self._is_closed = False
        self._is_failing = False

    @property
    def is_full(self) -> bool:
        """Whether nobody else can listen."""
        return len(self._listeners) >= MOST_LISTENERS

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    @property
    def is_looking(self) -> bool:
        """Whether somebody looks for changes, which is so while somebody listens."""
        return self._looker is not None

    async def begin(self, after: int | None) -> tuple[int, bool]:
        """Look once, so that what happened unwatched has its number.

        Returns:
            The number behind which a listener goes on, and whether it missed something that is not kept any more.
        """
        await self._tell_changes()
        if after is None:
            return self._number, False
        first = self._kept[0].number if self._kept else self._number + 1
        is_known = first - 1 <= after <= self._number
        return (after if is_known else self._number), not is_known

    async def listen(self, after: int) -> AsyncGenerator[Told]:
        """Yield what is told behind a number, and a beat where nothing happens, until the end.

        It ends when the daemon goes down, at once where too many listen already, and where the listener was too slow:
        ``TOO_SLOW`` comes last then.
        """
        if self._is_closed or self.is_full:
            return
        listener = _Listener(asyncio.Queue(), asyncio.get_running_loop())
        for kept in self._kept:
            if kept.number > after:
                listener.queue.put_nowait(kept)
        self._listeners.append(listener)
        self._looker = self._looker or asyncio.create_task(self._keep_looking())
        try:
            while (told := await self._next(listener)) is not None:
                yield told
            if listener.is_slow:
                yield TOO_SLOW
        finally:
            self._leave(listener)

    def tell(self, event: Event) -> None:
        """Tell everybody."""
        self._number += 1
        told = Told(self._number, event)
        self._kept.append(told)
        for listener in list(self._listeners):
            if listener.queue.qsize() >= MOST_WAITING:
                self._let_go(listener)
            else:
                listener.queue.put_nowait(told)

    def close(self) -> None:
        """End every stream, now and from now on; from any thread."""
        self._is_closed = True
        for listener in list(self._listeners):
            with contextlib.suppress(RuntimeError):  # its loop is closed, and it with that
                listener.loop.call_soon_threadsafe(listener.queue.put_nowait, None)

    async def _next(self, listener: _Listener) -> Told | None:
        try:
            async with asyncio.timeout(self._beat_s):
                return await listener.queue.get()
        except TimeoutError:
            return BEAT

    def _leave(self, listener: _Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)
        if not self._listeners and self._looker is not None:
            self._looker.cancel()
            self._looker = None

    def _let_go(self, listener: _Listener) -> None:
        # At once: its reader may never come back to leave.
        self._leave(listener)
        listener.is_slow = True
        while not listener.queue.empty():
            listener.queue.get_nowait()
        listener.queue.put_nowait(None)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(self._look_s)
            await self._tell_changes()

    async def _tell_changes(self) -> None:
        # A look that has begun ends and is told, whoever it was for goes away: what it found is found no second time.
        await asyncio.shield(self._look_and_tell())

    async def _look_and_tell(self) -> None:
        async with self._looking:
            try:
                events = await asyncio.to_thread(self._look)
            except Exception:
                # A store that cannot be read now is named by every answer; the next look finds what this one did not.
                if not self._is_failing:
                    logger.exception("look failed")
                self._is_failing = True
                return
            self._is_failing = False
            for event in events:
                self.tell(event)
