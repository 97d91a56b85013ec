"""Keeping the engine in step with the manifest.

The manifest says for each piece which form of it each collection holds. It is marked after the engine has confirmed,
so a crash between the two leaves work to do again and never a gap; at the start both sides are compared by id.

Whoever waits for an answer waits for the engine no longer than ``QUERY_S``. An engine that went away is not asked again
until a thread of its own has brought it back.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from episodic.engine.deadline import remaining, within
from episodic.engine.port import (
    LEXICAL,
    LEXICAL_PLACES,
    MAX_TERM,
    DenseRow,
    Engine,
    Filter,
    FloatArray,
    LexicalRow,
    Row,
    Scored,
    collection_of,
    fingerprints,
    weights_collection,
)
from episodic.errors import EngineError, EngineUnavailable, ManifestUnusable
from episodic.index.documents import Document, Documents
from episodic.index.holding import QUERY_S, EngineHold
from episodic.index.manifest import Manifest, grow_sequence
from episodic.index.recovery import RESTS_S
from memoryd.text.stop import stop_point

BATCH = 200
NO_WEIGHTS: Mapping[int, float] = MappingProxyType({MAX_TERM: 1e-6})
_PLACE = "lexical collection"
"""The name under which the manifest keeps which lexical collection serves."""


class Index:
    """The engine of a store, with what is known of its state. All methods may be called from any thread."""

    def __init__(
        self,
        manifest: Manifest,
        documents: Documents,
        *,
        engine_factory: Callable[[], Engine],
        rests_s: Sequence[float] = RESTS_S,
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._indexing = threading.RLock()
        self._hold = EngineHold(
            engine_factory, check=self._check, catch_up=self.sync, lock=self._indexing, rests_s=rests_s
        )
        self._place = LEXICAL
        self._filling: str | None = None

    @property
    def name(self) -> str:
        """The engine's name, ``none`` where there is none."""
        return self._hold.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be done to open the engine, in words."""
        return self._hold.notes

    @property
    def trouble(self) -> str | None:
        """In words, why the engine does not work right now."""
        return self._hold.trouble

    def open(self) -> None:
        """Open the engine and compare it with the manifest. Trouble is noted, not raised: the journal works without."""
        self._place = LEXICAL
        with contextlib.suppress(EngineError, ManifestUnusable):
            kept = self._manifest.meta(_PLACE)
            self._place = kept if kept in LEXICAL_PLACES else LEXICAL
            self._hold.open()

    def close(self) -> None:
        """Release the engine. Calls that wait for it fail."""
        self._hold.close()

    def sync(self, *, batches: int | None = None) -> int:
        """Bring the lexical collection up to date; return how many rows were written or removed.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        done = 0
        while batches is None or batches > 0:
            stop_point()
            with self._indexing:
                gone = self._documents.dropped(BATCH)
                if gone:
                    self._hold.use(lambda engine, ids=gone: engine.drop(ids))  # type: ignore[misc] # bound early
                    self._forget_dropped(gone)
                documents = self._documents.pending_lexical(BATCH)
                self._put(documents)
            done += len(gone) + len(documents)
            if len(gone) < BATCH and len(documents) < BATCH:
                break
            batches = None if batches is None else batches - 1
        return done

    def compare(self) -> None:
        """Compare the engine with a manifest that was made anew, and write what that does not know of.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        self._manifest.set_meta(_PLACE, self._place)
        with self._indexing:
            self._hold.use(self._check)
        self.sync()

    def put(self, ids: Sequence[str]) -> None:
        """Write these documents to the lexical collection now.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        with within(QUERY_S):
            # An entry waits for no batch that takes long; what is not written now stays noted, and follows.
            if not self._indexing.acquire(timeout=remaining(QUERY_S)):
                raise EngineUnavailable("the index is busy")
            try:
                self._put(list(self._documents.by_ids(ids).values()))
            finally:
                self._indexing.release()

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
            self._hold.use(lambda engine: engine.put_dense(fingerprint, dimension, rows))
            self._mark(fingerprint, documents.values())

    def add_weights(self, fingerprint: str, weights: Mapping[str, Mapping[int, float]]) -> None:
        """Write a model's token weights of documents that still exist.

        Raises:
            EngineError: The engine does not work, or refuses a weight.
        """
        with self._indexing:
            documents = self._documents.by_ids(list(weights))
            # A piece of special tokens alone has no weights. It gets a row all the same, with a term that nobody asks
            # for: that each marked piece has a row is what the two sides are compared by.
            rows = [_sparse_row(document, weights[document.id] or NO_WEIGHTS) for document in documents.values()]
            self._hold.use(lambda engine: engine.put_weights(fingerprint, rows))
            self._mark(weights_collection(fingerprint), documents.values())

    def fingerprints(self) -> set[str]:
        """Return the models that anything here is of.

        Raises:
            EngineError: The engine does not work.
        """
        return fingerprints(self.collections()) | fingerprints(map(collection_of, self._documents.spaces()))

    def drop_space(self, fingerprint: str) -> None:
        """Remove all that a model gave.

        Raises:
            EngineError: The engine does not work; what is left is removed by the next call.
        """
        spaces = (fingerprint, weights_collection(fingerprint))
        with self._indexing:
            # The engine first: marks without rows are found by the check at the start, rows without marks by nobody.
            for name in map(collection_of, spaces):
                self._hold.use(lambda engine, name=name: engine.drop_collection(name))  # type: ignore[misc] # bound early
            with self._manifest.writing() as connection:
                connection.executemany("DELETE FROM vectors WHERE fingerprint = ?", [(space,) for space in spaces])
                grow_sequence(connection)

    def _mark(self, space: str, documents: Iterable[Document]) -> None:
        with self._manifest.writing() as connection:
            connection.executemany(
                # Not "OR REPLACE", which deletes without telling the trigger that counts.
                "INSERT INTO vectors SELECT ?, id, ? FROM documents WHERE id = ? "
                "ON CONFLICT (fingerprint, id) DO UPDATE SET stamp = excluded.stamp",
                [(space, document.row_stamp, document.id) for document in documents],
            )
            grow_sequence(connection)

    @property
    def place(self) -> str:
        """The lexical collection that serves."""
        return self._place

    def collections(self) -> set[str]:
        """Return the names of the engine's collections.

        Raises:
            EngineError: The engine does not work.
        """
        return self._hold.use(lambda engine: engine.collections())

    def rows(self, collection: str) -> list[Row]:
        """Return what a collection knows of each piece.

        Raises:
            EngineError: The engine does not work.
        """
        return self._hold.use(lambda engine: list(engine.rows(collection)))

    def row_counts(self) -> dict[str, int]:
        """Return how many rows each collection has; empty where the engine does not work."""
        try:
            return self._hold.ask(lambda engine: {name: engine.count(name) for name in engine.collections()})
        except EngineError:
            return {}

    def rebuild(self, tell: Callable[[int, int], None]) -> None:
        """Write the lexical rows anew beside those that serve, let them change places, and drop all vectors.

        What is written meanwhile goes to both. A database that refuses is thrown away whole and filled again.

        Args:
            tell: Told how many pieces of how many are done. What it raises ends the work; the old rows serve on.

        Raises:
            EngineError: The engine does not work; what is missing stays noted.
        """
        try:
            self._fill_beside(tell)
        except EngineUnavailable:
            raise
        except EngineError:
            self._fill_again()
        self._drop_vectors()
        self.sync()

    def _fill_beside(self, tell: Callable[[int, int], None]) -> None:
        new = next(name for name in LEXICAL_PLACES if name != self._place)
        with self._indexing:
            self._hold.use(lambda engine: engine.drop_collection(new))
            self._filling = new
        try:
            done, total, after = 0, self._documents.totals()[1], ""
            while True:
                tell(done, total)
                with self._indexing:
                    documents = self._documents.after(after, BATCH)
                    rows = self._lexical_rows(documents)
                    if rows:
                        self._hold.use(lambda engine, rows=rows: engine.put_lexical(rows, new))  # type: ignore[misc] # bound early
                if not documents:
                    break
                done, after = done + len(documents), documents[-1].id
            with self._indexing:
                old, self._place = self._place, new
                self._manifest.set_meta(_PLACE, new)
                self._filling = None
                self._hold.use(lambda engine: engine.drop_collection(old))
        finally:
            self._filling = None

    def _fill_again(self) -> None:
        with self._indexing:
            self._hold.use(lambda engine: engine.reset())
            with self._manifest.writing() as connection:
                connection.execute("UPDATE documents SET in_lexical = NULL")
                connection.execute("DELETE FROM dropped")
                grow_sequence(connection)
        self.sync()

    def _drop_vectors(self) -> None:
        with self._indexing:
            for name in self._hold.use(lambda engine: engine.collections()) - set(LEXICAL_PLACES):
                self._hold.use(lambda engine, name=name: engine.drop_collection(name))  # type: ignore[misc] # bound early
            with self._manifest.writing() as connection:
                connection.execute("DELETE FROM vectors")
                grow_sequence(connection)

    def search_lexical(self, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Search by words.

        Raises:
            EngineError: The engine does not work.
        """
        place = self._place
        found = self._hold.ask(lambda engine: engine.search_lexical(weights, where, limit, place))
        if place != self._place:  # a rebuild ended meanwhile, and took away what was searched
            found = self._hold.ask(lambda engine: engine.search_lexical(weights, where, limit, self._place))
        return found

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Search by meaning.

        Raises:
            EngineError: The engine does not work.
        """
        return self._hold.ask(lambda engine: engine.search_dense(fingerprint, vector, where, limit))

    def search_weights(self, fingerprint: str, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Search by a model's token weights.

        Raises:
            EngineError: The engine does not work.
        """
        return self._hold.ask(lambda engine: engine.search_weights(fingerprint, weights, where, limit))

    def _put(self, documents: Sequence[Document]) -> None:
        rows = self._lexical_rows(documents)
        marks = [(document.stamp, document.id) for document in documents]
        if rows:
            for place in (self._place, *([self._filling] if self._filling else [])):
                self._hold.use(lambda engine, name=place: engine.put_lexical(rows, name))  # type: ignore[misc] # bound early
        if marks:
            with self._manifest.writing() as connection:
                connection.executemany("UPDATE documents SET in_lexical = ? WHERE id = ?", marks)
                grow_sequence(connection)

    def _lexical_rows(self, documents: Sequence[Document]) -> list[LexicalRow]:
        weighed = [(document, self._documents.weights(document)) for document in documents]
        return [_sparse_row(document, weights) for document, weights in weighed if weights]

    def _check(self, engine: Engine) -> None:
        """Compare ids on both sides: forget marks of rows that are gone, and note rows that nobody knows."""
        with self._manifest.reading() as connection:
            known = {row[0] for row in connection.execute("SELECT id FROM documents")}
            marked = {row[0] for row in connection.execute(
                "SELECT id FROM documents WHERE in_lexical IS NOT NULL AND length(terms) > 0"
            )}  # fmt: skip
            spaces = {row[0] for row in connection.execute("SELECT DISTINCT fingerprint FROM vectors")}
            embedded = {
                space: {row[0] for row in connection.execute("SELECT id FROM vectors WHERE fingerprint = ?", (space,))}
                for space in spaces
            }
        for left in set(LEXICAL_PLACES) - {self._place}:
            engine.drop_collection(left)  # a rebuild was cut off, or the manifest is a new one
        held = engine.ids(self._place)
        vectors = {space: engine.ids(collection_of(space)) for space in spaces}
        # A manifest that was made anew knows of no vectors at all.
        unmarked = engine.collections() - set(LEXICAL_PLACES) - set(map(collection_of, spaces))
        vectors |= {name: engine.ids(name) for name in unmarked}
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

    def _forget_dropped(self, ids: Sequence[str]) -> None:
        with self._manifest.writing() as connection:
            connection.executemany("DELETE FROM dropped WHERE id = ?", [(id_,) for id_ in ids])
            connection.executemany("DELETE FROM vectors WHERE id = ?", [(id_,) for id_ in ids])


def _sparse_row(document: Document, weights: Mapping[int, float]) -> LexicalRow:
    return LexicalRow(
        id=document.id,
        at_ms=document.at_us // 1000,
        project=document.project,
        session=document.session,
        kind=document.kind,
        weights=weights,
    )
