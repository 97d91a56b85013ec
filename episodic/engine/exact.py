"""The exact engine: our BM25 over SQLite postings and numpy inner products. Slow at scale, right by construction.

It is the test double of the other engines, the floor they are measured against, and the way out on a machine where
none of them loads.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from episodic.engine.port import (
    LEXICAL,
    DenseRow,
    Filter,
    FloatArray,
    LexicalRow,
    Row,
    Scored,
    check_ids,
    check_vector,
    check_vectors,
    check_weights,
    dense_collection,
    ranked,
    weights_collection,
)
from episodic.errors import DimensionMismatch, EngineError, EngineUnavailable
from episodic.soundness import Footprint, footprint, is_damage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pieces (
  number INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL,
  project TEXT NOT NULL, session TEXT NOT NULL, kind TEXT NOT NULL, vector BLOB, UNIQUE (collection, id)
);
CREATE TABLE IF NOT EXISTS tags (
  number INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (number, tag)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postings (
  term INTEGER NOT NULL, number INTEGER NOT NULL, weight REAL NOT NULL, PRIMARY KEY (term, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS postings_number ON postings (number);
CREATE TABLE IF NOT EXISTS spaces (collection TEXT PRIMARY KEY, dimension INTEGER NOT NULL) WITHOUT ROWID;
"""


class ExactEngine:
    """An ``Engine`` in one SQLite file, or in memory where no path is given."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or make the file.

        Raises:
            EngineUnavailable: The file cannot be opened, and could not be made anew either.
        """
        self._lock = threading.RLock()
        self._matrices: dict[str, tuple[list[int], FloatArray]] = {}
        self._path = path
        self._left: Footprint | None = None
        self._damage: str | None = None
        self.notes: list[str] = []
        try:
            self._connection = self._open(path)
        except (sqlite3.DatabaseError, OSError) as error:
            if path is None or not path.is_file():
                raise EngineUnavailable(f"the exact index cannot be opened: {error}") from error
            self._begin_anew()
            self.notes.append(f"{path.name} could not be read ({error}) and was made anew")
        self._is_open = True

    @property
    def name(self) -> str:
        """How the status calls it."""
        return "exact"

    def put_lexical(self, rows: Sequence[LexicalRow], collection: str = LEXICAL) -> None:
        """Store rows; one that is there is replaced."""
        self._put_sparse(collection, rows)

    def put_weights(self, fingerprint: str, rows: Sequence[LexicalRow]) -> None:
        """Store a model's token weights; a row that is there is replaced."""
        self._put_sparse(weights_collection(fingerprint), rows)

    def put_dense(self, fingerprint: str, dimension: int, rows: Sequence[DenseRow]) -> None:
        """Store vectors; one that is there is replaced."""
        collection = dense_collection(fingerprint)
        check_vectors(dimension, rows)
        with self._writing() as connection:
            known = self._dimension(collection)
            if known is not None and known != dimension:
                raise DimensionMismatch(
                    f"the collection {collection} holds vectors of {known} numbers, not {dimension}"
                )
            connection.execute("INSERT OR IGNORE INTO spaces VALUES (?, ?)", (collection, dimension))
            for row in rows:
                self._put(connection, collection, row, np.ascontiguousarray(row.vector, np.float32).tobytes())
            self._matrices.pop(collection, None)

    def drop(self, ids: Sequence[str]) -> None:
        """Remove ids from every collection."""
        check_ids(ids)
        with self._writing() as connection:
            for id_ in ids:
                numbers = connection.execute("SELECT number FROM pieces WHERE id = ?", (id_,)).fetchall()
                self._remove(connection, [row[0] for row in numbers])
            self._matrices.clear()

    def search_lexical(
        self, weights: Mapping[int, float], where: Filter, limit: int, collection: str = LEXICAL
    ) -> Scored:
        """Return the pieces with the highest inner product."""
        return self._search_sparse(collection, weights, where, limit)

    def search_weights(self, fingerprint: str, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Return the pieces with the highest inner product of a model's token weights."""
        return self._search_sparse(weights_collection(fingerprint), weights, where, limit)

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Return the pieces nearest to a unit vector."""
        collection = dense_collection(fingerprint)
        with self._reading():
            dimension = self._dimension(collection)
            if dimension is None:
                return []
            check_vector(vector, dimension, "the question")
            numbers, matrix = self._matrix(collection, dimension)
            allowed = self._allowed(collection, where)
        scores = matrix @ vector
        return ranked(
            {allowed[n]: float(score) for n, score in zip(numbers, scores, strict=True) if n in allowed}, limit
        )

    def ids(self, collection: str) -> set[str]:
        """Return all ids of a collection."""
        with self._reading() as connection:
            return {row[0] for row in connection.execute("SELECT id FROM pieces WHERE collection = ?", (collection,))}

    def count(self, collection: str) -> int:
        """Return how many rows a collection holds."""
        with self._reading() as connection:
            counted = connection.execute("SELECT COUNT(*) FROM pieces WHERE collection = ?", (collection,))
            return int(counted.fetchone()[0])

    def collections(self) -> set[str]:
        """Return the names of our collections."""
        query = "SELECT DISTINCT collection FROM pieces UNION SELECT collection FROM spaces"
        with self._reading() as connection:
            return {row[0] for row in connection.execute(query)}

    def rows(self, collection: str) -> Iterator[Row]:
        """Yield what a collection knows of each piece, as it is stored."""
        query = "SELECT number, id, at_ms, project, session, kind FROM pieces WHERE collection = ? ORDER BY id"
        with self._reading() as connection:
            tags: dict[int, tuple[str, ...]] = {}
            for number, tag in connection.execute("SELECT number, tag FROM tags ORDER BY number, tag"):
                tags[number] = (*tags.get(number, ()), tag)
            held = connection.execute(query, (collection,)).fetchall()
        for number, id_, at_ms, project, session, kind in held:
            yield Row(id=id_, at_ms=at_ms, project=project, session=session, kind=kind, tags=tags.get(number, ()))

    def drop_collection(self, collection: str) -> None:
        """Remove a collection whole."""
        with self._writing() as connection:
            self._clear(connection, collection)

    def reset(self) -> None:
        """Throw away all that is held."""
        with self._writing() as connection:
            for table in ("pieces", "tags", "postings", "spaces"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed names
            self._matrices.clear()

    def revive(self) -> None:
        """See whether the file answers; one that was damaged or taken away is made anew."""
        with self._lock:
            if self._is_open and self._damage is not None:
                self._connection.close()
                self._begin_anew()
        self.collections()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._connection.close()

    def _open(self, path: Path | None) -> sqlite3.Connection:
        if path is not None:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError:
            connection.close()
            raise
        self._left = None if path is None else footprint(path)
        return connection

    def _begin_anew(self) -> None:
        assert self._path is not None, "what is in memory only cannot be lost"
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = self._open(self._path)
        except (sqlite3.DatabaseError, OSError) as error:
            raise EngineUnavailable(f"the exact index cannot be made anew: {error}") from error
        self._matrices.clear()
        self._damage = None

    def _opened(self) -> sqlite3.Connection:
        if not self._is_open:
            raise EngineUnavailable("the exact index is closed")
        if self._path is not None and self._damage is None:
            there = footprint(self._path)
            if there is None or self._left is None or there.inode != self._left.inode or there.size == 0:
                self._damage = "it was removed or replaced by another program"
        if self._damage is not None:
            raise EngineUnavailable(f"the exact index is damaged: {self._damage}; it is filled anew")
        return self._connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._opened()
            try:
                yield connection
            except sqlite3.Error as error:
                raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> EngineError:
        if not is_damage(error):
            return EngineError(f"the exact index cannot be used: {error}")
        self._damage = str(error)
        return EngineUnavailable(f"the exact index is damaged: {error}; it is filled anew")

    def _clear(self, connection: sqlite3.Connection, collection: str) -> None:
        numbers = connection.execute("SELECT number FROM pieces WHERE collection = ?", (collection,)).fetchall()
        self._remove(connection, [row[0] for row in numbers])
        connection.execute("DELETE FROM spaces WHERE collection = ?", (collection,))
        self._matrices.pop(collection, None)

    def _put_sparse(self, collection: str, rows: Sequence[LexicalRow]) -> None:
        check_weights(rows)
        with self._writing() as connection:
            for row in rows:
                number = self._put(connection, collection, row, None)
                connection.executemany(
                    "INSERT INTO postings VALUES (?, ?, ?)",
                    [(term, number, weight) for term, weight in row.weights.items()],
                )

    def _search_sparse(self, collection: str, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        totals: dict[int, float] = {}
        with self._reading() as connection:
            for term, query_weight in sorted(weights.items()):
                # Postings of all collections stand together; those of another are not in ``allowed``.
                for number, weight in connection.execute("SELECT number, weight FROM postings WHERE term = ?", (term,)):
                    totals[number] = totals.get(number, 0.0) + weight * query_weight
            allowed = self._allowed(collection, where)
        return ranked({allowed[n]: score for n, score in totals.items() if n in allowed}, limit)

    def _writing(self) -> _Transaction:
        return _Transaction(self._lock, self._opened(), self._failed)

    def _put(self, connection: sqlite3.Connection, collection: str, row: Row, vector: bytes | None) -> int:
        known = connection.execute("SELECT number FROM pieces WHERE collection = ? AND id = ?", (collection, row.id))
        self._remove(connection, [number for (number,) in known.fetchall()])
        cursor = connection.execute(
            "INSERT INTO pieces (collection, id, at_ms, project, session, kind, vector) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (collection, row.id, row.at_ms, row.project, row.session, row.kind, vector),
        )
        assert cursor.lastrowid is not None
        connection.executemany(
            "INSERT OR IGNORE INTO tags VALUES (?, ?)", [(cursor.lastrowid, tag) for tag in row.tags]
        )
        return cursor.lastrowid

    @staticmethod
    def _remove(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
        for number in numbers:
            for table in ("pieces", "tags", "postings"):
                connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))  # noqa: S608 - fixed names

    def _allowed(self, collection: str, where: Filter) -> dict[int, str]:
        """Return number and id of the pieces that a filter lets through."""
        clauses, values = ["collection = ?"], [collection, *()]
        for clause, value in (
            ("at_ms >= ?", where.since_ms),
            ("at_ms < ?", where.until_ms),
            ("session = ?", where.session),
        ):
            if value is not None:
                clauses.append(clause)
                values.append(value)  # type: ignore[arg-type] # SQLite takes both kinds
        if where.project is not None:
            clauses.append(f"project IN ({','.join('?' * (1 + len(where.also)))})")
            values.extend((where.project, *where.also))
        if where.kinds is not None:
            clauses.append(f"kind IN ({','.join('?' * len(where.kinds))})")
            values.extend(where.kinds)
        for tag in where.tags:
            clauses.append("EXISTS (SELECT 1 FROM tags t WHERE t.number = pieces.number AND t.tag = ?)")
            values.append(tag)
        rows = self._opened().execute(f"SELECT number, id FROM pieces WHERE {' AND '.join(clauses)}", values)  # noqa: S608 - values are bound
        return dict(rows.fetchall())

    def _dimension(self, collection: str) -> int | None:
        row = self._opened().execute("SELECT dimension FROM spaces WHERE collection = ?", (collection,)).fetchone()
        return None if row is None else int(row[0])

    def _matrix(self, collection: str, dimension: int) -> tuple[list[int], FloatArray]:
        if collection not in self._matrices:
            rows = (
                self._opened()
                .execute("SELECT number, vector FROM pieces WHERE collection = ?", (collection,))
                .fetchall()
            )
            matrix = np.empty((len(rows), dimension), np.float32)
            for place, (_, blob) in enumerate(rows):
                matrix[place] = np.frombuffer(blob, np.float32)
            self._matrices[collection] = ([number for number, _ in rows], matrix)
        return self._matrices[collection]


class _Transaction:
    """One write at a time, whole or not at all; SQLite's own errors become ours."""

    def __init__(
        self, lock: threading.RLock, connection: sqlite3.Connection, failed: Callable[[sqlite3.Error], EngineError]
    ) -> None:
        self._lock = lock
        self._connection = connection
        self._failed = failed

    def __enter__(self) -> sqlite3.Connection:
        self._lock.acquire()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            self._lock.release()
            raise self._failed(error) from error
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        failure = error if isinstance(error, sqlite3.Error) else None
        try:
            if kind is None or self._connection.in_transaction:
                self._connection.execute("ROLLBACK" if kind is not None else "COMMIT")
        except sqlite3.Error as late:
            failure = failure or late
            with contextlib.suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        finally:
            self._lock.release()
        if failure is not None:
            raise self._failed(failure) from failure
