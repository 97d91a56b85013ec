"""What the episodic memory needs of an index engine.

An engine is disposable: it holds ids, filters and numbers, never text, and can be filled again from the manifest at
any time. One contract suite runs over every adapter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from episodic.errors import DimensionMismatch, InvalidRow

FloatArray = npt.NDArray[np.float32]
Scored = list[tuple[str, float]]
"""Ids with an arm's own score, best first, each id once; equal scores stand in the order of their ids."""

LEXICAL = "lex_v1"
"""The lexical collection. The number grows when stored weights change their meaning."""
SPARE_LEXICAL = "lex_v1_b"
"""Where the lexical rows are written anew while the others serve; then the two change places."""
LEXICAL_PLACES = (LEXICAL, SPARE_LEXICAL)

DENSE_PREFIX, WEIGHTS_PREFIX = "vec_", "spw_"
"""Before a model's fingerprint: the collections of its vectors, and of its token weights if it gives any."""

_ID = re.compile(r"[0-9a-f]{8,64}")
_FINGERPRINT = re.compile(r"[0-9a-zA-Z_]{1,128}")
MAX_TERM = 2**32 - 2


def dense_collection(fingerprint: str) -> str:
    """Return the name of the collection of one embedding space.

    Raises:
        InvalidRow: The fingerprint has other characters than letters, digits and ``_``.
    """
    return DENSE_PREFIX + _checked(fingerprint)


def weights_collection(fingerprint: str) -> str:
    """Return the name of the collection of one model's token weights.

    Raises:
        InvalidRow: The fingerprint has other characters than letters, digits and ``_``.
    """
    return WEIGHTS_PREFIX + _checked(fingerprint)


def collection_of(space: str) -> str:
    """Return the collection of a space as the manifest names it: a fingerprint, or the name of a weights collection.

    Raises:
        InvalidRow: As above.
    """
    return space if space.startswith(WEIGHTS_PREFIX) else dense_collection(space)


def fingerprints(collections: Iterable[str]) -> set[str]:
    """Return the models that these collections belong to."""
    prefixes = (DENSE_PREFIX, WEIGHTS_PREFIX)
    return {name.removeprefix(one) for name in collections for one in prefixes if name.startswith(one)}


def _checked(fingerprint: str) -> str:
    if _FINGERPRINT.fullmatch(fingerprint) is None:
        raise InvalidRow(f"a fingerprint is letters, digits and _, not {fingerprint!r}")
    return fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What every collection knows of a piece; ``project`` and ``session`` are empty where there is none."""

    id: str
    at_ms: int
    project: str = ""
    session: str = ""
    kind: str = "episode"
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalRow(Row):
    """A piece's words: term id (0 to 2^32 - 2) to a weight above 0; at least one."""

    weights: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseRow(Row):
    """A piece's unit vector, shape (dimension,)."""

    vector: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a hit must be. Times are half-open, in ms since 1970; every tag must be there; ``None`` asks nothing.

    ``also`` are further projects whose pieces pass: those that were merged into ``project``.
    """

    since_ms: int | None = None
    until_ms: int | None = None
    project: str | None = None
    also: tuple[str, ...] = ()
    session: str | None = None
    kinds: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()


class Engine(Protocol):
    """An index engine. All methods may be called from any thread.

    Every method raises ``EngineUnavailable`` where the engine is gone and could not be brought back, and another
    ``EngineError`` where it refused.
    """

    @property
    def name(self) -> str:
        """How the status calls it."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What had to be done to open it, in words (a broken database set aside)."""
        ...

    def put_lexical(self, rows: Sequence[LexicalRow], collection: str = LEXICAL) -> None:
        """Store rows in one of ``LEXICAL_PLACES``; one that is there is replaced.

        Raises ``InvalidRow`` before anything is stored.
        """
        ...

    def put_dense(self, fingerprint: str, dimension: int, rows: Sequence[DenseRow]) -> None:
        """Store vectors of one embedding space; one that is there is replaced.

        Raises ``InvalidRow`` or ``DimensionMismatch`` before anything is stored.
        """
        ...

    def put_weights(self, fingerprint: str, rows: Sequence[LexicalRow]) -> None:
        """Store a model's token weights; a row that is there is replaced.

        Raises ``InvalidRow`` before anything is stored.
        """
        ...

    def drop(self, ids: Sequence[str]) -> None:
        """Remove these ids from every collection; those that are not there are passed over."""
        ...

    def search_lexical(
        self, weights: Mapping[int, float], where: Filter, limit: int, collection: str = LEXICAL
    ) -> Scored:
        """Return the pieces with the highest inner product; none for an empty query."""
        ...

    def search_dense(self, fingerprint: str, vector: FloatArray, where: Filter, limit: int) -> Scored:
        """Return the pieces nearest to a unit vector; none where the space has no collection."""
        ...

    def search_weights(self, fingerprint: str, weights: Mapping[int, float], where: Filter, limit: int) -> Scored:
        """Return the pieces with the highest inner product of token weights; none where the model has no collection."""
        ...

    def ids(self, collection: str) -> set[str]:
        """Return all ids of a collection; empty where there is none."""
        ...

    def count(self, collection: str) -> int:
        """Return how many rows a collection holds; 0 where there is none."""
        ...

    def collections(self) -> set[str]:
        """Return the names of our collections."""
        ...

    def rows(self, collection: str) -> Iterator[Row]:
        """Yield what a collection knows of each piece, as it is stored; nothing where there is none."""
        ...

    def drop_collection(self, collection: str) -> None:
        """Remove a collection whole; nothing happens where there is none."""
        ...

    def reset(self) -> None:
        """Throw away all that is held, where the engine is a file the file too, and begin with nothing."""
        ...

    def revive(self) -> None:
        """See whether the engine answers, and bring it back where it does not. May take as long as a start."""
        ...

    def close(self) -> None:
        """Release everything, child processes included. Closing twice does nothing."""
        ...


def check_ids(ids: Sequence[str]) -> None:
    """Raise ``InvalidRow`` where an id is not plain hex: only hex is safe inside every engine's filter."""
    for id_ in ids:
        if _ID.fullmatch(id_) is None:
            raise InvalidRow(f"an id in the index is 8 to 64 hex digits, not {id_[:80]!r}")


def check_weights(rows: Sequence[LexicalRow]) -> None:
    """Raise ``InvalidRow`` where a sparse vector is empty, out of range or not finite."""
    check_ids([row.id for row in rows])
    for row in rows:
        if not row.weights:
            raise InvalidRow(f"{row.id} has no words; leave it out of the lexical collection")
        for term, weight in row.weights.items():
            if not 0 <= term <= MAX_TERM or not (math.isfinite(weight) and weight > 0):
                raise InvalidRow(f"{row.id} has the weight {weight} for the term {term}")


def check_vectors(dimension: int, rows: Sequence[DenseRow]) -> None:
    """Raise ``DimensionMismatch`` or ``InvalidRow`` where a vector cannot be stored."""
    check_ids([row.id for row in rows])
    for row in rows:
        check_vector(row.vector, dimension, row.id)


def check_vector(vector: FloatArray, dimension: int, name: str) -> None:
    """Raise ``DimensionMismatch`` or ``InvalidRow`` where a vector has another length, or holds what is no number."""
    if vector.shape != (dimension,):
        raise DimensionMismatch(
            f"the vector of {name} has {vector.size} numbers, its collection {dimension}: "
            "it comes from another model; embed again with the model in use"
        )
    if not np.isfinite(vector).all():
        raise InvalidRow(f"the vector of {name} holds values that are no numbers")


def ranked(pairs: Mapping[str, float], limit: int) -> Scored:
    """Return the best pairs, equal scores in the order of their ids."""
    return sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
