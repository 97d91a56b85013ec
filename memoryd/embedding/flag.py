"""bge-m3 by FlagEmbedding, the library of its authors: the same vectors, for who wants torch under them.

An optional extra of this distribution; it is imported when such a model is loaded, and asked for nothing on the net.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.embedding.errors import BadVector, EmbeddingError, ModelUnavailable, UnreadableModel
from memoryd.embedding.files import ModelFiles
from memoryd.embedding.head import read_head
from memoryd.embedding.manifest import Manifest
from memoryd.embedding.tokenizer import encodable
from memoryd.text.embedder import Vectors

LexicalWeights = dict[int, float]

_BATCH = 8
_HEADS = ("sparse_linear.pt", "colbert_linear.pt")
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


class FlagEmbedder:
    """Unit vectors and token weights by ``BGEM3FlagModel`` on the processor. Safe in several threads.

    Raises ModelUnavailable where the library is not installed or a head is missing (it would make one up),
    UnreadableModel where it cannot load the files.
    """

    def __init__(self, manifest: Manifest, files: ModelFiles, *, threads: int = 2) -> None:
        self._manifest = manifest
        self._fingerprint = manifest.fingerprint(files.weights_sha256)
        folder = files.graph.parent
        missing = [name for name in _HEADS if not (folder / name).is_file()]
        if missing:
            raise ModelUnavailable(f"{' and '.join(missing)} is missing in {folder}: pull the model again")
        read_head(folder / _HEADS[0])
        os.environ.update(_OFFLINE)
        try:
            library = importlib.import_module("FlagEmbedding")
            importlib.import_module("torch").set_num_threads(threads)
        except ImportError as error:
            raise ModelUnavailable(
                f"FlagEmbedding cannot be imported ({error}); install memoryd with the extra `flag`"
            ) from error
        try:
            self._model = library.BGEM3FlagModel(
                str(folder), use_fp16=False, devices="cpu", normalize_embeddings=True, batch_size=_BATCH
            )
            found = int(self._encode(["x"])["dense_vecs"].shape[1])
        except Exception as error:  # torch and transformers raise classes of their own
            raise UnreadableModel(f"FlagEmbedding cannot load {folder}: {error}") from error
        if found != manifest.dimension:
            raise UnreadableModel(f"{folder} gives {found} numbers a text, not {manifest.dimension}")

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change with anything that changes a vector."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._manifest.dimension

    @property
    def has_lexical(self) -> bool:
        """Always: a model without its head is refused."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a stored text, in order, shape (n, dimension)."""
        return self.embed_both(texts)[0]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a question, shape (dimension,)."""
        return self.query_both(text)[0]

    def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, list[LexicalWeights]]:
        """Return vectors and token weights of stored texts from one pass."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32), []
        try:
            answer = self._encode([encodable(text) for text in texts])
        except Exception as error:  # as above
            raise EmbeddingError(f"the model {self._manifest.name} failed: {error}") from error
        vectors = np.asarray(answer["dense_vecs"], np.float32)
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if bad.size:
            raise BadVector(f"the model gave no usable vector for {bad.size} texts", bad.tolist())
        weights = [{int(id_): float(w) for id_, w in one.items() if w > 0} for one in answer["lexical_weights"]]
        return vectors, weights

    def query_both(self, text: str) -> tuple[npt.NDArray[np.float32], LexicalWeights]:
        """Return unit vector and token weights of a question."""
        vectors, weights = self.embed_both([text])
        query: npt.NDArray[np.float32] = vectors[0]
        return query, weights[0]

    def _encode(self, texts: list[str]) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._model.encode(
            texts,
            batch_size=_BATCH,
            max_length=self._manifest.max_tokens,
            return_dense=True,
            return_sparse=True,
            return_colbert_vecs=False,
        )
        return answer
