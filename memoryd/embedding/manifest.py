"""What must be known about a model to use it: sizes, pooling, prefixes, where its files come from.

One embedder class runs them all; a model is a manifest and some files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memoryd.embedding.layout import Outputs
from memoryd.text.canonical import digest

Pooling = Literal["cls", "mean"]
Runner = Literal["onnx", "flag"]


@dataclass(frozen=True, slots=True)
class PackageSource:
    """Packed weights inside an installed distribution: the file is read, the package is never imported."""

    package: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file in a public repository of models.

    ``into`` is its place in the model's folder, empty where that is ``path``. Without ``sha256`` the server's own
    list of the revision is what the file is checked against. One that ``may_miss`` is fetched if the list has it.
    """

    repo: str
    revision: str
    path: str
    into: str = ""
    size: int | None = None
    sha256: str | None = None
    may_miss: bool = False

    @property
    def place(self) -> str:
        """Where it lies, relative to the model's folder."""
        return self.into or self.path


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Files in a folder: one that the user names, or the one that a pull has filled with ``remote``.

    ``models`` are the paths of the graph relative to the folder, first that exists wins; ``beside`` the endings of
    its external data, which must lie in the same folder under the name that the graph holds; ``also`` other names
    in that folder that are part of the weights.
    """

    models: tuple[str, ...]
    beside: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    remote: tuple[RemoteFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """A model: how to run it and what its vectors are.

    ``max_tokens`` counts the special tokens too. ``outputs`` None means: tell the layout from the graph's output
    names. ``sparse_head`` is the stem of the file with the lexical head, if the model has one beside the graph.
    ``revision`` grows when our own handling (tokenizer rules, graph) changes what the same weights give.
    ``self_test`` says that a paraphrase must score above an unrelated sentence when the model is loaded.
    ``gives_lexical`` says that it weighs tokens too: with ``sparse_head`` only where that file is there.
    ``bytes_fetched`` is about how much a pull fetches, where the files' sizes are not known beforehand.
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
    gives_lexical: bool = False
    runner: Runner = "onnx"
    bytes_fetched: int = 0

    @property
    def download_bytes(self) -> int:
        """About how many bytes a pull fetches; 0 where nothing is fetched."""
        remote = self.source.remote if isinstance(self.source, FolderSource) else ()
        return self.bytes_fetched or sum(one.size or 0 for one in remote)

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
