"""The outputs of a graph, told from their names: public exports of one model differ in nothing else."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memoryd.embedding.errors import UnreadableModel

_HIDDEN = ("token_embeddings", "last_hidden_state")
_DENSE = ("dense_vecs", "dense_embeddings", "sentence_embedding", "dense")
_SPARSE = ("sparse_vecs", "sparse_weights", "sparse")


@dataclass(frozen=True, slots=True)
class Outputs:
    """Names of the outputs: ``hidden`` (b, s, h) states, ``dense`` (b, h) pooled, ``sparse`` (b, s[, 1]) weights."""

    hidden: str | None = None
    dense: str | None = None
    sparse: str | None = None


def detect_outputs(names: Collection[str]) -> Outputs:
    """Find the known outputs among a graph's names.

    The token-wise output for late interaction is never looked for: it is large and nothing here uses it.
    Raises UnreadableModel where there is neither a hidden nor a dense one.
    """

    def first(known: tuple[str, ...]) -> str | None:
        return next((name for name in known if name in names), None)

    outputs = Outputs(first(_HIDDEN), first(_DENSE), first(_SPARSE))
    if outputs.hidden is None and outputs.dense is None:
        raise UnreadableModel(f"no output of a known name among {', '.join(sorted(names))}")
    return outputs
