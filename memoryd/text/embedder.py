"""What a store needs of an embedding model: vectors for texts, and a name for the space they live in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), unit rows."""

Weights = Mapping[int, float]
"""Learned weights of a text's tokens: token id to a weight above 0."""


class Embedder(Protocol):
    """Turns text into unit vectors. Calls may take long and may run in any thread."""

    @property
    def fingerprint(self) -> str:
        """12 hex digits or more that change with anything that changes a vector (weights, pooling, prefixes)."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a stored text, in order."""
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a question, shape (dimension,)."""
        ...


class LexicalEmbedder(Embedder, Protocol):
    """An embedder that also weighs the tokens of a text, such as bge-m3: two views of a text from one pass."""

    @property
    def has_lexical(self) -> bool:
        """Whether it does; a class may serve models with and without."""
        ...

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[Weights]]:
        """Return unit vectors and token weights of stored texts, in order."""
        ...

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], Weights]:
        """Return unit vector and token weights of a question. Two texts score the sum of products over shared ids."""
        ...


def lexical_of(embedder: Embedder | None) -> LexicalEmbedder | None:
    """Return the embedder if it weighs tokens, else ``None``."""
    return cast("LexicalEmbedder", embedder) if getattr(embedder, "has_lexical", False) else None
