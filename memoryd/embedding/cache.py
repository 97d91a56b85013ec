"""Vectors of texts that were embedded before, so that a rename, a move or a rebuild embeds nothing.

A row is found by (fingerprint of the model, sha256 of the exact embedded string). Vectors are kept as float16: half
the size, and the cosine of two of them differs in the sixth place. So that a vector is the same whether it comes from
here or fresh from the model, what is handed to an index is always the rounded one: see ``as_stored``.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import structlog

from memoryd.text.embedder import Vectors, Weights

log = structlog.get_logger("memoryd.embedding.cache")

Vector = npt.NDArray[np.float32]
_T = TypeVar("_T")

_VERSION = 1
_ASKED_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
  fingerprint TEXT NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL, used INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, text_sha256)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
CREATE TABLE IF NOT EXISTS weights (
  fingerprint TEXT NOT NULL, text_sha256 BLOB NOT NULL, weights BLOB NOT NULL,
  PRIMARY KEY (fingerprint, text_sha256)) WITHOUT ROWID;
"""


def as_stored(vectors: Vectors) -> Vectors:
    """Round unit vectors (n, d) to what the cache keeps, and make them unit vectors again."""
    rounded = vectors.astype(np.float16).astype(np.float32)
    unit: Vectors = rounded / np.linalg.norm(rounded, axis=1, keepdims=True)
    return unit


def weights_as_stored(weights: Weights) -> dict[int, float]:
    """Round token weights to what the cache keeps; what rounds to nothing is left out."""
    return _unpacked(_packed(weights))


class VectorCache:
    """A file of vectors that may be deleted at any time. Safe in several threads of one process.

    Holds ``max_rows`` at the most (200,000 of 384 numbers are about 170 MB); those longest unused go first. A damaged
    file is set aside as ``<name>.broken`` and begun anew. A full disk makes it forgetful, never fatal: ``problem``
    says so.
    """

    def __init__(self, path: Path, *, max_rows: int = 200_000) -> None:
        self._path = path
        self._max_rows = max_rows
        self._lock = threading.Lock()
        self._problem: str | None = None
        self._rows = 0
        self._tick = 0
        self._database: sqlite3.Connection | None = None
        with self._lock:
            self._guarded(self._opened, None)

    @property
    def problem(self) -> str | None:
        """Why the last access failed, in words; None if it worked."""
        with self._lock:
            return self._problem

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return the unit vectors of those texts that are known, by text."""
        by_key = {_key(text): text for text in texts}
        with self._lock:
            found = self._guarded(lambda: self._select(fingerprint, list(by_key)), dict[bytes, Vector]())
        return {by_key[key]: vector for key, vector in found.items()}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vector]) -> None:
        """Keep the vectors of texts."""
        rows = [(fingerprint, _key(text), vector.astype("<f2").tobytes()) for text, vector in vectors.items()]
        with self._lock:
            self._guarded(lambda: self._insert(rows), None)

    def get_weights(self, fingerprint: str, texts: Sequence[str]) -> dict[str, dict[int, float]]:
        """Return the token weights of those texts that are known, by text."""
        by_key = {_key(text): text for text in texts}
        with self._lock:
            found = self._guarded(lambda: self._select_weights(fingerprint, list(by_key)), dict[bytes, bytes]())
        return {by_key[key]: _unpacked(blob) for key, blob in found.items()}

    def put_weights(self, fingerprint: str, weights: Mapping[str, Weights]) -> None:
        """Keep the token weights of texts. They go with the vectors of the same texts."""
        rows = [(fingerprint, _key(text), _packed(one)) for text, one in weights.items()]
        with self._lock:
            self._guarded(lambda: self._insert_weights(rows), None)

    def forget(self, texts: Sequence[str]) -> None:
        """Remove the vectors of texts under every fingerprint: a forgotten text leaves no trace here."""
        with self._lock:
            self._guarded(lambda: self._delete([_key(text) for text in texts]), None)

    def close(self) -> None:
        """Close the file; later calls open it again."""
        with self._lock:
            self._shut()

    def __len__(self) -> int:
        with self._lock:
            return self._guarded(lambda: self._count(self._opened()), 0)

    def _select(self, fingerprint: str, keys: list[bytes]) -> dict[bytes, Vector]:
        database = self._opened()
        found: dict[bytes, Vector] = {}
        for some in _portions(keys):
            marks = ",".join("?" * len(some))
            rows = database.execute(
                f"SELECT text_sha256, vector FROM vectors WHERE fingerprint = ? AND text_sha256 IN ({marks})",  # noqa: S608 - only question marks are put in
                (fingerprint, *some),
            )
            for key, blob in rows:
                found[key] = as_stored(np.frombuffer(blob, "<f2").astype(np.float32)[None])[0]
        self._tick += 1
        with database:
            database.executemany(
                "UPDATE vectors SET used = ? WHERE fingerprint = ? AND text_sha256 = ?",
                [(self._tick, fingerprint, key) for key in found],
            )
        return found

    def _insert(self, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        database = self._opened()
        self._tick += 1
        with database:
            database.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET vector = excluded.vector, used = excluded.used",
                [(*row, self._tick) for row in rows],
            )
        self._rows += len(rows)  # an upper bound: a row that was there is counted twice until the next true count
        if self._rows > self._max_rows:
            self._evict(database)

    def _select_weights(self, fingerprint: str, keys: list[bytes]) -> dict[bytes, bytes]:
        database = self._opened()
        found: dict[bytes, bytes] = {}
        for some in _portions(keys):
            marks = ",".join("?" * len(some))
            query = f"SELECT text_sha256, weights FROM weights WHERE fingerprint = ? AND text_sha256 IN ({marks})"  # noqa: S608 - only question marks are put in
            found |= dict(database.execute(query, (fingerprint, *some)).fetchall())
        return found

    def _insert_weights(self, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        database = self._opened()
        with database:
            database.executemany("INSERT OR REPLACE INTO weights VALUES (?, ?, ?)", rows)

    def _evict(self, database: sqlite3.Connection) -> None:
        excess = self._count(database) - self._max_rows
        if excess > 0:
            # A tenth more than needed, so that not every insert has to evict.
            with database:
                database.execute(
                    "DELETE FROM vectors WHERE (fingerprint, text_sha256) IN "
                    "(SELECT fingerprint, text_sha256 FROM vectors ORDER BY used LIMIT ?)",
                    (excess + self._max_rows // 10,),
                )
                database.execute(
                    "DELETE FROM weights WHERE (fingerprint, text_sha256) NOT IN "
                    "(SELECT fingerprint, text_sha256 FROM vectors)"
                )
        self._rows = self._count(database)

    def _delete(self, keys: list[bytes]) -> None:
        database = self._opened()
        with database:
            for table in ("vectors", "weights"):
                database.executemany(f"DELETE FROM {table} WHERE text_sha256 = ?", [(key,) for key in keys])  # noqa: S608 - fixed names

    def _count(self, database: sqlite3.Connection) -> int:
        return int(database.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def _guarded(self, work: Callable[[], _T], otherwise: _T) -> _T:
        """Run work on the file; on damage begin anew and return ``otherwise``, on a full or locked disk name it."""
        try:
            result = work()
        except sqlite3.OperationalError as error:
            return self._failed(error, otherwise)
        except sqlite3.DatabaseError as error:
            log.warning("the vector cache is damaged and set aside", reason=str(error))
            try:
                self._set_aside()
                self._opened()
            except (OSError, sqlite3.Error) as again:
                return self._failed(again, otherwise)
            return otherwise
        except OSError as error:
            return self._failed(error, otherwise)
        self._problem = None
        return result

    def _failed(self, error: Exception, otherwise: _T) -> _T:
        self._problem = f"the vector cache {self._path.name} cannot be used: {error}"
        log.warning("the vector cache cannot be used", reason=str(error))
        self._shut()
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            database = sqlite3.connect(self._path, check_same_thread=False, timeout=10)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                # What is lost in a power cut is embedded again; the file itself stays whole.
                database.execute("PRAGMA synchronous = NORMAL")
                _prepare(database)
                self._rows = self._count(database)
                self._tick = int(database.execute("SELECT coalesce(max(used), 0) FROM vectors").fetchone()[0])
            except BaseException:
                database.close()
                raise
            self._database = database
        return self._database

    def _shut(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):  # it is given up; what it could not write is embedded again
                self._database.close()
            self._database = None

    def _set_aside(self) -> None:
        self._shut()
        self._path.replace(self._path.with_name(self._path.name + ".broken"))
        for ending in ("-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _prepare(database: sqlite3.Connection) -> None:
    """Make the table; raise DatabaseError for a file of another version, which is set aside like a damaged one."""
    if database.execute("PRAGMA user_version").fetchone()[0] not in {0, _VERSION}:
        raise sqlite3.DatabaseError("written by another version")
    database.executescript(_SCHEMA)
    database.execute(f"PRAGMA user_version = {_VERSION}")


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _packed(weights: Weights) -> bytes:
    """Four bytes an id, two a weight; what rounds to nothing is left out."""
    ids = np.fromiter(weights.keys(), "<u4", len(weights))
    values = np.fromiter(weights.values(), "<f4", len(weights)).astype("<f2")
    kept = values > 0
    return ids[kept].tobytes() + values[kept].tobytes()


def _unpacked(blob: bytes) -> dict[int, float]:
    count = len(blob) // 6
    ids, values = np.frombuffer(blob, "<u4", count), np.frombuffer(blob, "<f2", count, 4 * count)
    return dict(zip(ids.tolist(), values.tolist(), strict=True))


def _portions(keys: Sequence[bytes]) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while some := list(islice(rest, _ASKED_AT_ONCE)):
        yield some
