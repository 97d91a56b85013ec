"""What a store needs of an embedding model: vectors for texts, and a name for the space they live in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), unit rows."""


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
