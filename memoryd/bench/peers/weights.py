"""Weights laid where a peer looks for them, so that it asks no hub: one small model, the same for all."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from memoryd.bench.peers.errors import PeerUnavailable

MINILM = "all-MiniLM-L6-v2"
_REVISION = "0" * 40
_FILES = (
    "model.onnx",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "config.json",
)
_NEEDED = ("model.onnx", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class Weights:
    """A folder with ``model.onnx`` and ``tokenizer.json``, and how its model is used."""

    name: str
    folder: Path
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 256

    def as_json(self) -> dict[str, object]:
        """Return it as a peer's process is told."""
        return {
            "folder": str(self.folder),
            "query_prefix": self.query_prefix,
            "passage_prefix": self.passage_prefix,
            "max_tokens": self.max_tokens,
        }


def minilm(folder: Path | None) -> Weights:
    """Return the small model that the peers run by default.

    Raises:
        PeerUnavailable: There is no folder, or the files are not in it.
    """
    if folder is None:
        raise PeerUnavailable(f"it would download its model; name a folder that holds {MINILM} as ONNX (--weights)")
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise PeerUnavailable(f"{', '.join(missing)} of {MINILM} is not in {folder}")
    return Weights(MINILM, folder)


def lay_for_chroma(weights: Weights, home: Path) -> None:
    """Fill the folder in which chromadb looks for its default model."""
    _copy(weights, home / ".cache" / "chroma" / "onnx_models" / MINILM / "onnx")


def lay_for_fastembed(weights: Weights, cache: Path) -> None:
    """Fill the cache in which fastembed looks for the model; releases differ in the capitals of its folder."""
    for owner in ("qdrant", "Qdrant"):
        hub = cache / f"models--{owner}--{MINILM}-onnx"
        (hub / "refs").mkdir(parents=True, exist_ok=True)
        (hub / "refs" / "main").write_text(_REVISION, "ascii")
        _copy(weights, hub / "snapshots" / _REVISION)


def _copy(weights: Weights, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        if (weights.folder / name).is_file():
            shutil.copyfile(weights.folder / name, folder / name)
