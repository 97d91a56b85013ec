"""Having an engine: opened when needed, asked with a bound, let alone while it is away, brought back by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from episodic.engine.deadline import remaining, within
from episodic.engine.port import Engine
from episodic.errors import EngineError, EngineUnavailable
from episodic.index.recovery import RESTS_S, Recovery

QUERY_S = 5.0
"""So long a search or an entry waits for the engine."""
_CALL_S = 60.0

_T = TypeVar("_T")


class _Busy(EngineUnavailable):
    """Another thread is opening the engine; that says nothing against it."""


class EngineHold:
    """An engine and what is known of its state. All methods may be called from any thread."""

    def __init__(
        self,
        factory: Callable[[], Engine],
        *,
        check: Callable[[Engine], None],
        catch_up: Callable[[], object],
        lock: threading.RLock,
        rests_s: Sequence[float] = RESTS_S,
    ) -> None:
        """Prepare, without opening anything.

        Args:
            factory: Opens the engine.
            check: Compares an engine that was opened or came back with what it should hold; ``lock`` is held.
            catch_up: Called when the engine came back, to give it what it missed.
            lock: Held by whoever changes what the engine holds.
            rests_s: The pauses before the tries to bring it back.
        """
        self._factory = factory
        self._check = check
        self._catch_up = catch_up
        self._lock = lock
        self._recovery = Recovery(self._bring_back, rests_s=rests_s)
        self._engine: Engine | None = None
        self._is_checked = False
        self._is_away = False
        self._is_closed = False
        self._trouble: str | None = None

    @property
    def name(self) -> str:
        """The engine's name, ``none`` where there is none."""
        return "none" if self._engine is None else self._engine.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be done to open the engine, in words."""
        return () if self._engine is None else tuple(self._engine.notes)

    @property
    def trouble(self) -> str | None:
        """In words, why the engine does not work right now."""
        return self._trouble

    def open(self) -> None:
        """Open and check the engine.

        Raises:
            EngineError: It does not work; it is tried again in the background.
        """
        self._recovery.reopen()
        self._is_away = self._is_closed = False
        self.use(lambda _: None)

    def close(self) -> None:
        """Release the engine. Calls that wait for it fail. Closing twice does nothing."""
        self._is_closed = True
        self._recovery.stop()
        # Not under the lock: whoever holds it may be waiting for this very engine.
        first = self._engine
        if first is not None:
            first.close()
        with self._lock:
            engine, self._engine = self._engine, None
            self._is_checked = False
            if engine is not None and engine is not first:
                engine.close()

    def ask(self, action: Callable[[Engine], _T]) -> _T:
        """Use the engine for somebody who waits: no longer than ``QUERY_S``.

        Raises:
            EngineError: It does not work.
        """
        with within(QUERY_S):
            return self.use(action)

    def use(self, action: Callable[[Engine], _T]) -> _T:
        """Use the engine.

        Raises:
            EngineUnavailable: It is away, and is being brought back.
            EngineError: It refused.
        """
        if self._is_away:
            raise EngineUnavailable(self._trouble or "")
        try:
            result = action(self._opened())
        except _Busy:
            raise
        except EngineUnavailable as error:
            self._trouble = str(error)
            self._is_away = True
            self._recovery.begin()
            raise
        except EngineError as error:
            self._trouble = str(error)
            raise
        self._trouble = None
        self._is_away = False
        return result

    def _bring_back(self) -> None:
        try:
            if self._engine is not None:
                self._engine.revive()
                self._is_checked = False
            self._opened()
        except EngineError as error:
            self._trouble = str(error)
            raise
        self._trouble = None
        self._is_away = False
        self._catch_up()

    def _opened(self) -> Engine:
        engine = self._engine
        if engine is not None and self._is_checked:
            return engine
        if not self._lock.acquire(timeout=remaining(_CALL_S)):
            raise _Busy("the index is being opened")
        try:
            if self._is_closed:
                raise EngineUnavailable("the index is closed")
            if self._engine is None:
                self._engine = self._factory()
            if not self._is_checked:
                self._check(self._engine)
                self._is_checked = True
            return self._engine
        finally:
            self._lock.release()
