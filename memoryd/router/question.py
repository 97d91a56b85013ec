"""One question, embedded once, for all who ask with it: both memories, and each part of a compound question."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memoryd.text.embedder import Embedder, Vectors, Weights, lexical_of


class OneQuestion:
    """An embedder that computes the vector of a question once for all who ask."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: dict[str, tuple[npt.NDArray[np.float32], Weights]] = {}

    @property
    def has_lexical(self) -> bool:
        """Whether it also weighs tokens."""
        return lexical_of(self._embedder) is not None

    @property
    def fingerprint(self) -> str:
        """The space that its vectors lie in."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._embedder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of texts; they are not kept."""
        return self._embedder.embed_passages(texts)

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[Weights]]:
        """Return unit vectors and token weights of texts; they are not kept. Only where ``has_lexical``."""
        weighing = lexical_of(self._embedder)
        assert weighing is not None
        return weighing.embed_both(texts)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a question."""
        return self.query_both(text)[0]

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], Weights]:
        """Return the unit vector and the token weights of a question; none where the model has no such."""
        with self._lock:
            if text not in self._known:
                weighing = lexical_of(self._embedder)
                self._known[text] = (
                    (self._embedder.embed_query(text), {}) if weighing is None else weighing.query_both(text)
                )
            return self._known[text]
