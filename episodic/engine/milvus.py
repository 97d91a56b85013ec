"""Milvus as the engine: Milvus Lite 2.5 by file, any Milvus by address, through the same calls.

Only the portable part of Milvus is used: plain inserts (never upserts), inner product, hex ids, simple filters. The
database holds nothing that the manifest cannot give again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from episodic.engine.connection import MilvusConnection, open_local
from episodic.engine.expression import MAX_BYTES, capped, expression, id_expression
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
)
from episodic.errors import DimensionMismatch, EngineError

CALL_TIMEOUT_S = 30.0
BATCH = 200
_MAX_TAGS = 64
_PAGE = 4_000
_FIELDS = frozenset({"id", "at", "project", "session", "kind", "tags"})
_T = TypeVar("_T")


class MilvusEngine:
    """An ``Engine`` over pymilvus. Make one with ``local`` or ``remote``."""

    def __init__(self, connection: MilvusConnection, notes: Sequence[str] = ()) -> None:
        self._connection = connection
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
    def remote(cls, uri: str, *, token: str = "") -> MilvusEngine:
        """Connect to a Milvus 2.5 or later.

        Raises:
            EngineUnavailable: It does not answer.
        """
        engine = cls(MilvusConnection(None, uri=uri, token=token))
        engine._connection.call(_collections)
        return engine

    @property
    def name(self) -> str:
        """How the status calls it."""
        return self._connection.name

    def put_lexical(self, rows: Sequence[LexicalRow]) -> None:
        """Store rows; one that is there is replaced."""
        check_weights(rows)
        if rows:
            self._put(LEXICAL, None, [{**_fields(row), "lex": dict(row.weights)} for row in rows])

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
            self._connection.call(lambda client, p=part: self._drop(client, p))  # type: ignore[misc] # bound early

    def search_lexical(self, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Return the pieces with the highest inner product."""
        return self._search(LEXICAL, "lex", dict(weights), where, limit) if weights else []

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Return the pieces nearest to a unit vector."""
        collection = dense_collection(fingerprint)
        if not self._connection.call(lambda client: self._load(client, collection)):
            return []
        check_vector(vector, self._connection.loaded.get(collection) or vector.size, "the question")
        return self._search(collection, "dense", np.asarray(vector, np.float32).tolist(), where, limit)

    def ids(self, collection: str) -> set[str]:
        """Return all ids of a collection."""
        return self._connection.call(lambda client: self._ids(client, collection))

    def count(self, collection: str) -> int:
        """Return how many ids a collection holds."""
        return len(self.ids(collection))

    def close(self) -> None:
        """Stop the child, or leave the server."""
        self._connection.close()

    def _put(self, collection: str, dimension: int | None, rows: Sequence[dict[str, Any]]) -> None:
        def put(client: Any, part: Sequence[dict[str, Any]]) -> None:
            self._make(client, collection, dimension)
            self._replace(client, collection, part)

        for part in _batches(rows) or [[]]:
            self._connection.call(lambda client, p=part: put(client, p))  # type: ignore[misc] # bound early

    def _make(self, client: Any, collection: str, dimension: int | None) -> None:
        with self._connection.lock:
            if not self._load(client, collection):
                _create(client, collection, dimension, is_local=self._connection.is_local)
                self._load(client, collection)
            known = self._connection.loaded.get(collection)
        if known != dimension:
            raise DimensionMismatch(f"the collection {collection} holds vectors of {known} numbers, not {dimension}")

    def _load(self, client: Any, collection: str) -> bool:
        """Make a collection searchable and note its dimension; return whether there is one."""
        if collection in self._connection.loaded:
            return True
        with self._connection.lock:
            if not client.has_collection(collection, timeout=CALL_TIMEOUT_S):
                return False
            if not client.list_indexes(collection, timeout=CALL_TIMEOUT_S):
                # A crash came between making and indexing it.
                client.drop_collection(collection, timeout=CALL_TIMEOUT_S)
                return False
            client.load_collection(collection, timeout=CALL_TIMEOUT_S)
            fields = client.describe_collection(collection, timeout=CALL_TIMEOUT_S)["fields"]
            dimensions = [int(field["params"]["dim"]) for field in fields if field["name"] == "dense"]
            self._connection.loaded[collection] = dimensions[0] if dimensions else None
            return True

    def _replace(self, client: Any, collection: str, rows: Sequence[dict[str, Any]]) -> None:
        if not rows:
            return
        unique = {row["id"]: row for row in rows}
        there = client.query(
            collection, filter=id_expression(list(unique)), output_fields=["id"], timeout=CALL_TIMEOUT_S
        )
        if there:
            # Lite and the server keep both rows of one key when it is inserted twice.
            ids = sorted({str(row["id"]) for row in there})
            client.delete(collection, filter=id_expression(ids), timeout=CALL_TIMEOUT_S)
        client.insert(collection, list(unique.values()), timeout=CALL_TIMEOUT_S)

    def _drop(self, client: Any, ids: Sequence[str]) -> None:
        for collection in _collections(client):
            if self._load(client, collection):
                client.delete(collection, filter=id_expression(ids), timeout=CALL_TIMEOUT_S)

    def _search(self, collection: str, field: str, vector: Any, where: Filter, limit: int) -> Scored:
        def search(client: Any) -> Any:
            if not self._load(client, collection):
                return [[]]
            return client.search(
                collection,
                data=[vector],
                anns_field=field,
                filter=expression(where),
                limit=limit,
                search_params={"metric_type": "IP", "params": {"ef": max(64, limit)} if field == "dense" else {}},
                timeout=CALL_TIMEOUT_S,
            )

        scores: dict[str, float] = {}
        for hit in self._connection.call(search)[0]:
            scores[str(hit["id"])] = max(float(hit["distance"]), scores.get(str(hit["id"]), float("-inf")))
        return ranked(scores, limit)

    def _ids(self, client: Any, collection: str) -> set[str]:
        found: set[str] = set()
        if not self._load(client, collection):
            return found
        pages = client.query_iterator(
            collection, batch_size=_PAGE, filter='id >= ""', output_fields=["id"], timeout=CALL_TIMEOUT_S
        )
        try:
            while page := pages.next():
                found.update(str(row["id"]) for row in page)
        finally:
            pages.close()
        return found


def _collections(client: Any) -> list[str]:
    """Return our collections."""
    names = client.list_collections(timeout=CALL_TIMEOUT_S)
    return [name for name in names if name == LEXICAL or name.startswith("vec_")]


def _drop_misshapen(client: Any) -> None:
    """Drop a collection that has our name and another shape: it is a copy of what the manifest knows."""
    for collection in _collections(client):
        fields = client.describe_collection(collection, timeout=CALL_TIMEOUT_S)["fields"]
        vector = "lex" if collection == LEXICAL else "dense"
        if {field["name"] for field in fields} != {*_FIELDS, vector}:
            client.drop_collection(collection, timeout=CALL_TIMEOUT_S)


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
    index = client.prepare_index_params()
    if dimension is None:
        schema.add_field("lex", DataType.SPARSE_FLOAT_VECTOR)
        index.add_index("lex", index_name="lex", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    else:
        schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimension)
        kind: dict[str, Any] = (
            {"index_type": "FLAT"} if is_local else {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}}
        )
        index.add_index("dense", index_name="dense", metric_type="IP", **kind)
    client.create_collection(
        collection, schema=schema, index_params=index, consistency_level="Strong", timeout=CALL_TIMEOUT_S
    )


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
