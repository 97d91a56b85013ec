"""Keeping the engine in step with the manifest.

The manifest says for each piece which form of it each collection holds. It is marked after the engine has confirmed,
so a crash between the two leaves work to do again and never a gap; at the start both sides are compared by id.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from episodic.documents import Document, Documents
from episodic.engine.port import LEXICAL, DenseRow, Engine, Filter, FloatArray, LexicalRow, Scored, dense_collection
from episodic.errors import EngineError, EngineUnavailable
from episodic.manifest import Manifest, grow_sequence

BATCH = 200
_REST = timedelta(seconds=10)
"""For so long an engine that went away is left alone, so that no answer waits for it again and again."""

_T = TypeVar("_T")


class Index:
    """The engine of a store, with what is known of its state. All methods may be called from any thread."""

    def __init__(
        self,
        manifest: Manifest,
        documents: Documents,
        *,
        engine_factory: Callable[[], Engine],
        clock: Callable[[], datetime],
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._factory = engine_factory
        self._clock = clock
        self._engine: Engine | None = None
        self._indexing = threading.RLock()
        self._gone_at: datetime | None = None
        self._trouble: str | None = None
        self._is_checked = False

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
        """Open the engine and compare it with the manifest. Trouble is noted, not raised: the journal works without."""
        with self._indexing:
            try:
                self._use(self._check)
            except EngineError:
                return

    def close(self) -> None:
        """Release the engine."""
        with self._indexing:
            engine, self._engine = self._engine, None
            self._is_checked = False
            if engine is not None:
                engine.close()

    def sync(self, *, batches: int | None = None) -> int:
        """Bring the lexical collection up to date; return how many rows were written or removed.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        done = 0
        while batches is None or batches > 0:
            with self._indexing:
                gone = self._documents.dropped(BATCH)
                if gone:
                    self._use(lambda engine, ids=gone: engine.drop(ids))  # type: ignore[misc] # bound early
                    self._forget_dropped(gone)
                documents = self._documents.pending_lexical(BATCH)
                self._put(documents)
            done += len(gone) + len(documents)
            if len(gone) < BATCH and len(documents) < BATCH:
                break
            batches = None if batches is None else batches - 1
        return done

    def put(self, ids: Sequence[str]) -> None:
        """Write these documents to the lexical collection now.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        with self._indexing:
            self._put(list(self._documents.by_ids(ids).values()))

    def add_vectors(self, fingerprint: str, dimension: int, vectors: Mapping[str, FloatArray]) -> None:
        """Write vectors of documents that still exist.

        Raises:
            EngineError: The engine does not work, or refuses a vector.
        """
        with self._indexing:
            documents = self._documents.by_ids(list(vectors))
            rows = [
                DenseRow(
                    id=document.id,
                    at_ms=document.at_us // 1000,
                    project=document.project,
                    session=document.session,
                    kind=document.kind,
                    vector=vectors[document.id],
                )
                for document in documents.values()
            ]
            self._use(lambda engine: engine.put_dense(fingerprint, dimension, rows))
            with self._manifest.writing() as connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO vectors SELECT ?, id, ? FROM documents WHERE id = ?",
                    [(fingerprint, document.row_stamp, document.id) for document in documents.values()],
                )
                grow_sequence(connection)

    def search_lexical(self, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Search by words.

        Raises:
            EngineError: The engine does not work.
        """
        return self._use(lambda engine: engine.search_lexical(weights, where, limit))

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Search by meaning.

        Raises:
            EngineError: The engine does not work.
        """
        return self._use(lambda engine: engine.search_dense(fingerprint, vector, where, limit))

    def _put(self, documents: Sequence[Document]) -> None:
        rows, marks = [], []
        for document in documents:
            weights = self._documents.weights(document)
            marks.append((document.stamp, document.id))
            if weights:
                rows.append(
                    LexicalRow(
                        id=document.id,
                        at_ms=document.at_us // 1000,
                        project=document.project,
                        session=document.session,
                        kind=document.kind,
                        weights=weights,
                    )
                )
        if rows:
            self._use(lambda engine: engine.put_lexical(rows))
        if marks:
            with self._manifest.writing() as connection:
                connection.executemany("UPDATE documents SET in_lexical = ? WHERE id = ?", marks)
                grow_sequence(connection)

    def _use(self, action: Callable[[Engine], _T]) -> _T:
        if self._gone_at is not None and self._clock() - self._gone_at < _REST:
            raise EngineUnavailable(self._trouble or "")
        try:
            engine = self._opened()
            result = action(engine)
        except EngineUnavailable as error:
            self._gone_at = self._clock()
            self._trouble = str(error)
            raise
        except EngineError as error:
            self._trouble = str(error)
            raise
        self._gone_at = self._trouble = None
        return result

    def _opened(self) -> Engine:
        engine = self._engine
        if engine is not None:
            return engine
        with self._indexing:
            if self._engine is None:
                self._engine = self._factory()
            if not self._is_checked:
                self._check(self._engine)
            return self._engine

    def _check(self, engine: Engine) -> None:
        """Compare ids on both sides: forget marks of rows that are gone, and note rows that nobody knows."""
        if self._is_checked:
            return
        with self._manifest.reading() as connection:
            known = {row[0] for row in connection.execute("SELECT id FROM documents")}
            marked = {row[0] for row in connection.execute(
                "SELECT id FROM documents WHERE in_lexical IS NOT NULL AND length(terms) > 0"
            )}  # fmt: skip
            spaces = [row[0] for row in connection.execute("SELECT DISTINCT fingerprint FROM vectors")]
            embedded = {
                space: {row[0] for row in connection.execute("SELECT id FROM vectors WHERE fingerprint = ?", (space,))}
                for space in spaces
            }
        held = engine.ids(LEXICAL)
        vectors = {space: engine.ids(dense_collection(space)) for space in spaces}
        strangers = (held - known).union(*(ids - known for ids in vectors.values()))
        with self._manifest.writing() as connection:
            connection.executemany(
                "UPDATE documents SET in_lexical = NULL WHERE id = ?", [(id_,) for id_ in marked - held]
            )
            for space in spaces:
                connection.executemany(
                    "DELETE FROM vectors WHERE fingerprint = ? AND id = ?",
                    [(space, id_) for id_ in embedded[space] - vectors[space]],
                )
            connection.executemany("INSERT OR IGNORE INTO dropped VALUES (?)", [(id_,) for id_ in strangers])
        self._is_checked = True

    def _forget_dropped(self, ids: Sequence[str]) -> None:
        with self._manifest.writing() as connection:
            connection.executemany("DELETE FROM dropped WHERE id = ?", [(id_,) for id_ in ids])
