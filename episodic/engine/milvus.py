"""Milvus as the engine: Milvus Lite 2.5 by file, any Milvus by address, through the same calls.

Only the portable part of Milvus is used: plain inserts (never upserts), inner product, hex ids, simple filters. The
database holds nothing that the manifest cannot give again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from episodic.engine.connection import MilvusConnection, open_local, words_of
from episodic.engine.deadline import remaining
from episodic.engine.expression import MAX_BYTES, capped, expression, id_expression
from episodic.engine.port import (
    DENSE_PREFIX,
    LEXICAL,
    LEXICAL_PLACES,
    WEIGHTS_PREFIX,
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

CALL_TIMEOUT_S = 30.0
BATCH = 200
_MAX_TAGS = 64
_PAGE = 4_000
_FIELDS = frozenset({"id", "at", "project", "session", "kind", "tags"})
_GRAPH = {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}}
"""The index of vectors at a server; the local file is searched exactly."""
_T = TypeVar("_T")


class MilvusEngine:
    """An ``Engine`` over pymilvus. Make one with ``local`` or ``remote``."""

    def __init__(self, connection: MilvusConnection, notes: Sequence[str] = (), *, prefix: str = "") -> None:
        self._connection = connection
        self._prefix = prefix
        self._writing = threading.Lock()
        self.notes = list(notes)

    @classmethod
    def local(cls, database: Path, *, runtime: Path) -> MilvusEngine:
        """Open a database file of Milvus Lite; one that cannot be opened is renamed and made anew.

        Args:
            database: The file; its folder must exist.
            runtime: A private folder with a short path, for the socket.

        Raises:
            EngineUnavailable: Milvus Lite cannot be loaded or started here.
        """
        return cls(*open_local(database, runtime, _drop_misshapen))

    @classmethod
    def remote(cls, uri: str, *, token: str = "", owner: str = "") -> MilvusEngine:
        """Connect to a Milvus 2.5 or later.

        Args:
            uri: Its address; a path names one of its databases.
            token: Its token, ``user:password`` or a key.
            owner: Letters, digits and ``_`` before the names of our collections: several memories may share a server,
                and each takes what it does not know for a leftover of its own.

        Raises:
            EngineUnavailable: It does not answer.
        """
        engine = cls(MilvusConnection(None, uri=uri, token=token), prefix=f"md_{owner}_" if owner else "")
        engine._connection.call(partial(_drop_misshapen, prefix=engine._prefix))
        return engine

    @property
    def name(self) -> str:
        """How the status calls it."""
        return self._connection.name

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
        vectors = [{**_fields(row), "dense": np.asarray(row.vector, np.float32).tolist()} for row in rows]
        self._put(collection, dimension, vectors)

    def drop(self, ids: Sequence[str]) -> None:
        """Remove ids from every collection."""
        check_ids(ids)
        for part in _batches(ids):
            self._connection.call(lambda client, p=part: self._drop(client, p), is_write=True)  # type: ignore[misc] # bound early

    def search_lexical(
        self, weights: Mapping[int, float], where: Filter, limit: int, collection: str = LEXICAL
    ) -> Scored:
        """Return the pieces with the highest inner product."""
        return self._search(collection, "lex", dict(weights), where, limit) if weights else []

    def search_weights(self, fingerprint: str, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Return the pieces with the highest inner product of a model's token weights."""
        collection = weights_collection(fingerprint)
        return self._search(collection, "lex", dict(weights), where, limit) if weights else []

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Return the pieces nearest to a unit vector."""
        collection = dense_collection(fingerprint)
        if not self._connection.call(lambda client: self._load(client, collection)):
            return []
        check_vector(vector, self._connection.loaded.get(collection) or vector.size, "the question")
        return self._search(collection, "dense", np.asarray(vector, np.float32).tolist(), where, limit)

    def ids(self, collection: str) -> set[str]:
        """Return all ids of a collection."""
        return {str(row["id"]) for row in self._connection.call(lambda client: self._read(client, collection, ["id"]))}

    def rows(self, collection: str) -> Iterator[Row]:
        """Yield what a collection knows of each piece, as it is stored."""
        for row in self._connection.call(lambda client: self._read(client, collection, sorted(_FIELDS))):
            names = {name: str(row[name]) for name in ("id", "project", "session", "kind")}
            yield Row(at_ms=int(row["at"]), tags=tuple(row["tags"]), **names)

    def count(self, collection: str) -> int:
        """Return how many rows a collection holds."""
        return self._connection.call(lambda client: self._count(client, collection))

    def collections(self) -> set[str]:
        """Return the names of our collections."""
        return set(self._connection.call(self._collections))

    def drop_collection(self, collection: str) -> None:
        """Remove a collection whole."""
        self._connection.call(lambda client: self._drop_collection(client, collection))

    def reset(self) -> None:
        """Set a local database aside and begin a new one; at a server, drop our collections."""
        if self._connection.is_local:
            self.notes.append(self._connection.begin_anew("it was rebuilt"))
            return
        for collection in self.collections():
            self.drop_collection(collection)

    def revive(self) -> None:
        """See whether the engine answers, bring it back where it does not, and load what it holds."""
        self._connection.revive()
        for collection in self.collections():
            self._connection.call(lambda client, name=collection: self._load(client, name))  # type: ignore[misc] # bound early

    def close(self) -> None:
        """Stop the child, or leave the server."""
        self._connection.close()

    def _put_sparse(self, collection: str, rows: Sequence[LexicalRow]) -> None:
        check_weights(rows)
        if rows:
            self._put(collection, None, [{**_fields(row), "lex": dict(row.weights)} for row in rows])

    def _drop_collection(self, client: Any, collection: str) -> None:
        with self._connection.held():
            self._connection.loaded.pop(collection, None)
            if client.has_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S)):
                client.drop_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S))

    def _put(self, collection: str, dimension: int | None, rows: Sequence[dict[str, Any]]) -> None:
        def put(client: Any, part: Sequence[dict[str, Any]]) -> None:
            self._make(client, collection, dimension)
            self._replace(client, collection, part)

        for part in _batches(rows) or [[]]:
            # One write at a time: what is there is deleted first, so two of one piece at once would leave it twice.
            if not self._writing.acquire(timeout=remaining(CALL_TIMEOUT_S)):
                raise EngineUnavailable("another write has not ended")
            try:
                self._connection.call(lambda client, p=part: put(client, p), is_write=True)  # type: ignore[misc] # bound early
            finally:
                self._writing.release()

    def _make(self, client: Any, collection: str, dimension: int | None) -> None:
        with self._connection.held():
            if not self._load(client, collection):
                _create(client, self._named(collection), dimension, is_local=self._connection.is_local)
                self._load(client, collection)
            known = self._connection.loaded.get(collection)
        if known != dimension:
            raise DimensionMismatch(f"the collection {collection} holds vectors of {known} numbers, not {dimension}")

    def _load(self, client: Any, collection: str) -> bool:
        """Make a collection searchable and note its dimension; return whether there is one."""
        if collection in self._connection.loaded:
            return True
        with self._connection.held():
            if not client.has_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S)):
                return False
            if not client.list_indexes(self._named(collection), timeout=remaining(CALL_TIMEOUT_S)):
                # A crash came between making and indexing it.
                client.drop_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S))
                return False
            client.load_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S))
            fields = client.describe_collection(self._named(collection), timeout=remaining(CALL_TIMEOUT_S))["fields"]
            dimensions = [int(field["params"]["dim"]) for field in fields if field["name"] == "dense"]
            self._connection.loaded[collection] = dimensions[0] if dimensions else None
            return True

    def _replace(self, client: Any, collection: str, rows: Sequence[dict[str, Any]]) -> None:
        if not rows:
            return
        unique = {row["id"]: row for row in rows}
        there = client.query(
            self._named(collection),
            filter=id_expression(list(unique)),
            output_fields=["id"],
            timeout=remaining(CALL_TIMEOUT_S),
        )
        if there:
            # Lite and the server keep both rows of one key when it is inserted twice.
            ids = sorted({str(row["id"]) for row in there})
            client.delete(self._named(collection), filter=id_expression(ids), timeout=remaining(CALL_TIMEOUT_S))
        client.insert(self._named(collection), list(unique.values()), timeout=remaining(CALL_TIMEOUT_S))

    def _drop(self, client: Any, ids: Sequence[str]) -> None:
        for collection in self._collections(client):
            if self._load(client, collection):
                client.delete(self._named(collection), filter=id_expression(ids), timeout=remaining(CALL_TIMEOUT_S))

    def _search(self, collection: str, field: str, vector: Any, where: Filter, limit: int) -> Scored:
        def search(client: Any) -> Any:
            if not self._load(client, collection):
                return [[]]
            return client.search(
                self._named(collection),
                data=[vector],
                anns_field=field,
                filter=expression(where),
                limit=limit,
                search_params={"metric_type": "IP", "params": {"ef": max(64, limit)} if field == "dense" else {}},
                timeout=remaining(CALL_TIMEOUT_S),
            )

        scores: dict[str, float] = {}
        for hit in self._connection.call(search)[0]:
            scores[str(hit["id"])] = max(float(hit["distance"]), scores.get(str(hit["id"]), float("-inf")))
        return ranked(scores, limit)

    def _read(self, client: Any, collection: str, fields: Sequence[str]) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        if not self._load(client, collection):
            return found
        pages = client.query_iterator(
            self._named(collection),
            batch_size=_PAGE,
            filter='id >= ""',
            output_fields=list(fields),
            timeout=remaining(CALL_TIMEOUT_S),
        )
        try:
            while page := pages.next():
                found.extend(page)
        finally:
            pages.close()
        return found

    def _count(self, client: Any, collection: str) -> int:
        if not self._load(client, collection):
            return 0
        rows = client.query(
            self._named(collection), filter="", output_fields=["count(*)"], timeout=remaining(CALL_TIMEOUT_S)
        )
        return int(rows[0]["count(*)"])

    def _named(self, collection: str) -> str:
        return self._prefix + collection

    def _collections(self, client: Any) -> list[str]:
        names = client.list_collections(timeout=remaining(CALL_TIMEOUT_S))
        return _ours([name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)])


def _ours(names: Sequence[str]) -> list[str]:
    return [name for name in names if name in LEXICAL_PLACES or name.startswith((DENSE_PREFIX, WEIGHTS_PREFIX))]


def _drop_misshapen(client: Any, prefix: str = "") -> None:
    """Drop a collection that has our name and another shape: it is a copy of what the manifest knows."""
    names = client.list_collections(timeout=remaining(CALL_TIMEOUT_S))
    for collection in _ours([name.removeprefix(prefix) for name in names if name.startswith(prefix)]):
        fields = client.describe_collection(prefix + collection, timeout=remaining(CALL_TIMEOUT_S))["fields"]
        vector = "dense" if collection.startswith(DENSE_PREFIX) else "lex"
        if {field["name"] for field in fields} != {*_FIELDS, vector}:
            client.drop_collection(prefix + collection, timeout=remaining(CALL_TIMEOUT_S))


def _create(client: Any, collection: str, dimension: int | None, *, is_local: bool) -> None:
    try:
        from pymilvus import DataType  # noqa: PLC0415 - slow; it was loaded with the client
    except ImportError as error:
        raise EngineError(f"pymilvus cannot be loaded here: {error}") from error
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
    schema.add_field("at", DataType.INT64)
    for name in ("project", "session", "kind"):
        schema.add_field(name, DataType.VARCHAR, max_length=MAX_BYTES)
    tags = {"element_type": DataType.VARCHAR, "max_capacity": _MAX_TAGS, "max_length": MAX_BYTES}
    schema.add_field("tags", DataType.ARRAY, **tags)
    if dimension is None:
        schema.add_field("lex", DataType.SPARSE_FLOAT_VECTOR)
        _create_with(client, collection, schema, "lex", {"index_type": "SPARSE_INVERTED_INDEX"})
        return
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimension)
    if not is_local:
        try:
            _create_with(client, collection, schema, "dense", _GRAPH)
        except Exception as error:
            # Lite behind an address has only the exact index, and says so when the collection is made already.
            if "index type" not in words_of(error):
                raise
            client.drop_collection(collection, timeout=remaining(CALL_TIMEOUT_S))
        else:
            return
    _create_with(client, collection, schema, "dense", {"index_type": "FLAT"})


def _create_with(client: Any, collection: str, schema: Any, field: str, kind: Mapping[str, Any]) -> None:
    index = client.prepare_index_params()
    index.add_index(field, index_name=field, metric_type="IP", **kind)
    client.create_collection(collection, schema=schema, consistency_level="Strong", timeout=remaining(CALL_TIMEOUT_S))
    # The index of an empty collection is there at once; waiting for it takes half a second.
    client.create_index(collection, index, timeout=remaining(CALL_TIMEOUT_S), sync=False)


def _fields(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "at": row.at_ms,
        "project": capped(row.project),
        "session": capped(row.session),
        "kind": capped(row.kind),
        "tags": [capped(tag) for tag in row.tags[:_MAX_TAGS]],
    }


def _batches(items: Sequence[_T]) -> list[Sequence[_T]]:
    return [items[start : start + BATCH] for start in range(0, len(items), BATCH)]
