"""A connection to Milvus that comes back: it starts the local child when there is one, and starts it again once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from episodic.engine.lite import LiteServer, LockedError
from episodic.errors import EngineError, EngineUnavailable

CONNECT_TIMEOUT_S = 10.0
_SQLITE = b"SQLite format 3\0"
_T = TypeVar("_T")


class MilvusConnection:
    """One pymilvus client, made when it is first needed. All methods may be called from any thread."""

    def __init__(self, server: LiteServer | None, *, uri: str = "", token: str = "") -> None:
        """Prepare, without connecting.

        Args:
            server: The local child; ``None`` for a Milvus at ``uri``.
            uri: Address of a Milvus that runs by itself.
            token: Its token.
        """
        self._server = server
        self._uri = uri
        self._token = token
        self._client: Any = None
        self._is_closed = False
        self.lock = threading.RLock()
        self.loaded: dict[str, int | None] = {}
        """Collections that this connection has made searchable, with their dimension; forgotten when it is lost."""

    @property
    def is_local(self) -> bool:
        """Whether the engine is our own child."""
        return self._server is not None

    @property
    def name(self) -> str:
        """How the engine is called."""
        return "milvus-lite" if self.is_local else "milvus"

    def call(self, action: Callable[[Any], _T]) -> _T:
        """Run an action on the client; where the engine is gone, bring it back once and run it again.

        Raises:
            EngineUnavailable: The engine is gone.
            EngineError: The engine refused.
        """
        for is_last in (False, True):
            client = self._connected()
            try:
                return action(client)
            except EngineError:
                raise
            except Exception as error:
                # A client that another thread has replaced meanwhile failed because of that.
                if self._client is client and not self._is_gone(error):
                    raise EngineError(f"{self.name} refused: {words_of(error)}") from error
                with self.lock:
                    if self._client is client:
                        self.release()
                if is_last:
                    raise EngineUnavailable(
                        f"{self.name} went away and did not come back: {words_of(error)}"
                    ) from error
        raise AssertionError

    def release(self) -> None:
        """Drop the client and stop the child; the next call starts anew."""
        with self.lock:
            self.loaded.clear()
            client, self._client = self._client, None
            if client is not None:
                client.close()
            if self._server is not None:
                self._server.stop()

    def close(self) -> None:
        """Release, for good."""
        with self.lock:
            self._is_closed = True
            self.release()

    def _connected(self) -> Any:
        with self.lock:
            if self._is_closed:
                raise EngineUnavailable(f"{self.name} is closed")
            if self._client is not None and (self._server is None or self._server.is_alive()):
                return self._client
            self.release()
            make_client = _client_class()
            if self._server is not None:
                self._server.start()
            try:
                self._client = make_client(
                    self._uri if self._server is None else self._server.address,
                    token=self._token,
                    timeout=CONNECT_TIMEOUT_S,
                    dedicated=True,
                    # The default asks an idle server for a sign of life every ten seconds.
                    grpc_options={"grpc.keepalive_time_ms": 2**31 - 1},
                )
            except Exception as error:
                self.release()
                raise EngineUnavailable(f"{self.name} does not answer: {words_of(error)}") from error
            if self._server is not None:
                # pymilvus would wait for a child that is dead; we start a new one at once instead.
                self._client._handler._on_rpc_error = _give_up  # noqa: SLF001 - its only hook for this
            return self._client

    def _is_gone(self, error: Exception) -> bool:
        if self._server is not None:
            return not self._server.is_alive() or "UNAVAILABLE" in words_of(error)
        return any(word in words_of(error) for word in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "Fail connecting"))


def open_local(database: Path, runtime: Path, check: Callable[[Any], None]) -> tuple[MilvusConnection, list[str]]:
    """Connect to a database file; one that cannot be opened or fails the check is renamed and made anew.

    Returns:
        The connection, and in words what had to be done.

    Raises:
        EngineUnavailable: Milvus Lite cannot be loaded or started here.
    """
    notes = []
    if reason := _foreign(database):
        notes.append(_set_aside(database, reason))
    connection = MilvusConnection(LiteServer(database, runtime))
    try:
        connection.call(check)
    except EngineError as error:
        connection.release()
        if not (database.exists() or isinstance(error, LockedError)):
            raise
        notes.append(_set_aside(database, str(error)))
        connection.call(check)
    return connection, notes


def words_of(error: Exception) -> str:
    """Return what an error of pymilvus says, in one line."""
    message = getattr(error, "message", None) or str(error)
    return " ".join(str(message).split())[:300] or type(error).__name__


class _GaveUpError(Exception):
    """The child may be gone."""


def _give_up(error: Exception) -> bool:
    raise _GaveUpError(f"UNAVAILABLE: {words_of(error)}") from error


def _client_class() -> Any:
    try:
        from pymilvus import MilvusClient  # noqa: PLC0415 - takes half a second, and may not be there
    except ImportError as error:
        raise EngineUnavailable(f"pymilvus cannot be loaded here: {error}") from error
    for name in ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)  # it logs each error with its stack before it raises it
        logger.handlers.clear()
    return MilvusClient


def _foreign(database: Path) -> str | None:
    """Say why a path cannot be a database of Milvus Lite 2.5, or return ``None``."""
    if database.is_dir():
        return "it is a folder, as Milvus Lite 3 makes them"
    if not database.exists():
        return None
    if not database.is_file():
        return "it is no file"
    with database.open("rb") as file:
        head = file.read(len(_SQLITE))
    return None if not head or head == _SQLITE else "it is no database of Milvus Lite 2.5"


def _set_aside(database: Path, reason: str) -> str:
    number = 1
    while (target := database.with_name(f"{database.name}.broken-{number}")).exists():
        number += 1
    if database.exists():
        database.rename(target)
    for leftover in (f"{database.name}-journal", f".{database.name}.lock"):
        database.with_name(leftover).unlink(missing_ok=True)
    return f"{database.name} was set aside as {target.name} and is filled anew: {reason}"
