"""What must be known about a model to use it: sizes, pooling, prefixes, where its files come from.

One embedder class runs them all; a model is a manifest and some files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memoryd.embedding.layout import Outputs
from memoryd.text.canonical import digest

Pooling = Literal["cls", "mean"]


@dataclass(frozen=True, slots=True)
class PackageSource:
    """Packed weights inside an installed distribution: the file is read, the package is never imported."""

    package: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Files in a folder that the user names.

    ``models`` are the paths of the graph relative to the folder, first that exists wins; ``beside`` the endings of
    its external data, which must lie in the same folder under the name that the graph holds.
    """

    models: tuple[str, ...]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """A model: how to run it and what its vectors are.

    ``max_tokens`` counts the special tokens too. ``outputs`` None means: tell the layout from the graph's output
    names. ``sparse_head`` is the stem of the file with the lexical head, if the model has one beside the graph.
    ``revision`` grows when our own handling (tokenizer rules, graph) changes what the same weights give.
    ``self_test`` says that a paraphrase must score above an unrelated sentence when the model is loaded.
    """

    name: str
    dimension: int
    max_tokens: int
    pooling: Pooling
    source: PackageSource | FolderSource
    licence: str
    query_prefix: str = ""
    passage_prefix: str = ""
    outputs: Outputs | None = None
    sparse_head: str | None = None
    revision: int = 1
    self_test: bool = True

    def fingerprint(self, weights_sha256: str) -> str:
        """Return 16 hex digits that change with anything that changes a vector."""
        return digest(
            self.name,
            weights_sha256,
            self.dimension,
            self.pooling,
            self.query_prefix,
            self.passage_prefix,
            self.max_tokens,
            self.revision,
        )[:16]
