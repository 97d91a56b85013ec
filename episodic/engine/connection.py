"""A connection to Milvus that comes back: it starts the local child when there is one, and starts it again once.

An engine can be gone (its process ended, its port refuses) or hang (it is there and says nothing). One that is gone is
brought back at once, if there is time. One that hangs may only be busy: the call that waited for it fails, and
``revive`` finds out, and ends a child that really hangs.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from episodic.engine.deadline import is_over, remaining
from episodic.engine.lite import DatabaseLocked, LiteServer
from episodic.engine.stamp import Stamps
from episodic.errors import EngineError, EngineUnavailable

CONNECT_TIMEOUT_S = 5.0
PROBE_TIMEOUT_S = 5.0
"""An engine that does not list its collections in this time hangs."""
FILE_SKEW_S = 2.0
"""So far a file system's clock may be ahead of ours; its file's time stands for that of the last write at a start."""
LOCK_TIMEOUT_S = 60.0
"""Longer than a child may take to start."""
_SQLITE = b"SQLite format 3\0"
_LOST = re.compile(r"collection.{0,200}not (found|loaded|exist)|(can't|cannot|can not) find collection", re.IGNORECASE)
"""A server was begun anew, or somebody dropped the collection: what this connection has noted of it is not so."""
_DEEPEST = 8
_T = TypeVar("_T")


class MilvusConnection:
    """One pymilvus client, made when it is first needed. All methods may be called from any thread."""

    def __init__(
        self, server: LiteServer | None, *, uri: str = "", token: str = "", stamps: Stamps | None = None
    ) -> None:
        """Prepare, without connecting.

        Args:
            server: The local child; ``None`` for a Milvus at ``uri``.
            uri: Address of a Milvus that runs by itself.
            token: Its token.
            stamps: Tells whether rows of the local child are stamped in the future.
        """
        self._server = server
        self._stamps = stamps or Stamps()
        self._inode: int | None = None
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

    def call(self, action: Callable[[Any], _T], *, is_write: bool = False) -> _T:
        """Run an action on the client; where the engine is gone, bring it back once and run it again.

        Args:
            action: Gets the client.
            is_write: It changes rows, which are stamped with the present.

        Raises:
            EngineUnavailable: The engine is gone.
            EngineError: The engine refused.
        """
        for is_last in (False, True):
            client = self._connected()
            try:
                result = action(client)
            except EngineError:
                raise
            except Exception as error:
                if _is_late(error):
                    raise EngineUnavailable(f"{self.name} does not answer in time: {words_of(error)}") from error
                if not is_last and _LOST.search(words_of(error)):
                    self.loaded.clear()
                    continue
                # A client that another thread has replaced meanwhile failed because of that.
                if self._client is client and not self._is_gone(error):
                    raise EngineError(f"{self.name} refused: {words_of(error)}") from error
                with self.held():
                    if self._client is client:
                        self.release()
                if is_last or is_over():
                    raise EngineUnavailable(
                        f"{self.name} went away and did not come back: {words_of(error)}"
                    ) from error
            else:
                if is_write:
                    self._stamps.note()
                return result
        raise AssertionError

    def revive(self) -> None:
        """See whether the engine answers; a child that does not is ended, and begun anew.

        Raises:
            EngineUnavailable: It is still gone.
        """
        client = self._client
        if client is not None and (self._server is None or self._server.is_alive()):
            try:
                client.list_collections(timeout=PROBE_TIMEOUT_S)
            except Exception:  # noqa: BLE001 - whatever it says, it does not list its collections
                with self.held():
                    if self._client is client:
                        if self._server is not None:
                            self._server.kill()
                        self.release()
        self.call(lambda client: client.list_collections(timeout=CONNECT_TIMEOUT_S))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold ``lock``, waiting for it no longer than there is time.

        Raises:
            EngineUnavailable: Another thread holds it, such as one that starts the engine.
        """
        if not self.lock.acquire(timeout=remaining(LOCK_TIMEOUT_S)):
            raise EngineUnavailable(f"{self.name} is being started")
        try:
            yield
        finally:
            self.lock.release()

    def release(self) -> None:
        """Drop the client and stop the child; the next call starts anew."""
        with self.lock:
            self.loaded.clear()
            client, self._client = self._client, None
            if client is not None:
                client.close()
            if self._server is not None:
                self._server.stop()

    def begin_anew(self, reason: str) -> str:
        """Set the local database aside; the next call makes a new one. Return what was done, in words."""
        assert self._server is not None, "only our own child has a database file"
        with self.held():
            self.release()
            self._inode = None
            self._stamps.forget()
            return _set_aside(self._server.database, reason)

    def close(self) -> None:
        """Release, for good. A child that hangs is not waited for."""
        self._is_closed = True
        if not self.lock.acquire(timeout=PROBE_TIMEOUT_S):
            if self._server is not None:
                self._server.kill()
            self.lock.acquire()
        try:
            self.release()
        finally:
            self.lock.release()

    def _connected(self) -> Any:
        with self.held():
            if self._is_closed:
                raise EngineUnavailable(f"{self.name} is closed")
            self._check_database()
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
                    timeout=remaining(CONNECT_TIMEOUT_S),
                    dedicated=True,
                    # The default asks an idle server for a sign of life every ten seconds.
                    grpc_options={"grpc.keepalive_time_ms": 2**31 - 1},
                )
            except Exception as error:
                self.release()
                raise EngineUnavailable(f"{self.name} does not answer: {_refusal(error)}") from error
            if self._server is not None:
                # pymilvus would wait for a child that is dead; we start a new one at once instead.
                self._client._handler._on_rpc_error = _give_up  # noqa: SLF001 - its only hook for this
                self._inode = _inode_of(self._server.database)
            return self._client

    def _check_database(self) -> None:
        """See that the child's file is the one it was begun on, and that its rows are seen.

        Raises:
            EngineUnavailable: It is not. The next call begins on a new file, or on the one that is there now.
        """
        if self._server is None:
            return
        database = self._server.database
        if self._inode is None:
            with contextlib.suppress(OSError):
                self._stamps.note(database.stat().st_mtime - FILE_SKEW_S)
        ahead_s, inode = self._stamps.ahead_s(), self._inode
        if ahead_s is not None:
            reason = f"the clock was set back by {ahead_s:.0f} s, which hides rows of {database.name}"
        elif inode is not None and _inode_of(database) != inode:
            reason = f"{database.name} was removed or replaced under the running engine"
        else:
            return
        self.release()
        self._stamps.forget()
        self._inode = None
        if ahead_s is not None:
            # It holds nothing that is not known otherwise: no copy is kept.
            for path in (database, database.with_name(f"{database.name}-journal")):
                path.unlink(missing_ok=True)
        elif database.exists():
            _set_aside(database, reason)
        if inode is not None:
            raise EngineUnavailable(f"{reason}; it is filled anew")

    def _is_gone(self, error: Exception) -> bool:
        if self._server is not None:
            return not self._server.is_alive() or "UNAVAILABLE" in words_of(error)
        return any(word in words_of(error) for word in ("UNAVAILABLE", "Fail connecting"))


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
    for is_last in (False, True):
        try:
            connection.call(check)
            break
        except EngineError as error:
            connection.release()
            if not (database.exists() or isinstance(error, DatabaseLocked)):
                raise
            # A machine under load may have failed it; a good database is not thrown away for that.
            if is_last or isinstance(error, DatabaseLocked):
                notes.append(_set_aside(database, str(error)))
                connection.call(check)
                break
    return connection, notes


def _inode_of(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _is_late(error: Exception) -> bool:
    return "DEADLINE_EXCEEDED" in words_of(error) or "Retry timeout" in words_of(error)


def _refusal(error: Exception) -> str:
    """Return why a connection failed: pymilvus hides what the server said behind its own words."""
    inner: BaseException | None = error
    for _ in range(_DEEPEST):
        if isinstance(inner, Exception) and callable(getattr(inner, "details", None)):
            return words_of(inner)
        inner = None if inner is None else inner.__cause__ or inner.__context__
    return words_of(error)


def words_of(error: Exception) -> str:
    """Return what an error of pymilvus says, in one line."""
    message = getattr(error, "message", None) or str(error)
    if callable(code := getattr(error, "code", None)) and callable(details := getattr(error, "details", None)):
        message = f"{getattr(code(), 'name', code())}: {details()}"  # of gRPC, which else says all that it knows
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
