"""FlagEmbedding behind the same interface, where the extra is installed: the same numbers as by onnxruntime."""

from __future__ import annotations

import importlib.util
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryd.embedding import bge
from memoryd.embedding.catalog import make
from memoryd.embedding.errors import ModelUnavailable, UnreadableModel
from memoryd.embedding.files import from_folder
from memoryd.embedding.flag import FlagEmbedder
from memoryd.embedding.manifest import FolderSource, Manifest
from memoryd.embedding.onnx import OnnxEmbedder

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("FlagEmbedding") is None, reason="the extra `flag` (FlagEmbedding, torch) is not installed"
)


@pytest.fixture
def checkpoint(test_data: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    for path in (test_data / "tiny-bge-m3").iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    shutil.copytree(test_data / "tiny-bge-m3" / "onnx", folder / "onnx")
    return folder


def loaded(manifest: Manifest, folder: Path, tmp_path: Path, reference: dict[str, Any]) -> OnnxEmbedder | FlagEmbedder:
    assert isinstance(manifest.source, FolderSource)
    small = replace(manifest, dimension=32, max_tokens=reference["max_length"], self_test=False)
    return make(small, from_folder(small, manifest.source, folder, tmp_path / "models"), threads=1)


def reference_of(checkpoint: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((checkpoint / "golden.json").read_text("utf-8"))
    return found


@needs_library
def test_both_backends_give_the_same_numbers(checkpoint: Path, tmp_path: Path) -> None:
    reference = reference_of(checkpoint)
    flag = loaded(bge.FLAG, checkpoint, tmp_path, reference)
    onnx = loaded(bge.UPSTREAM, checkpoint, tmp_path, reference)
    assert isinstance(flag, FlagEmbedder)
    assert flag.has_lexical
    assert onnx.has_lexical
    assert flag.fingerprint != onnx.fingerprint

    ours, our_weights = onnx.embed_both(reference["texts"])
    theirs, their_weights = flag.embed_both(reference["texts"])

    np.testing.assert_allclose(theirs, ours, atol=1e-5)
    np.testing.assert_allclose(theirs, np.array(reference["dense"]), atol=1e-5)
    for mine, other in zip(our_weights, their_weights, strict=True):
        assert mine == pytest.approx(other, abs=1e-5)
    vector, weights = flag.query_both(reference["texts"][1])
    np.testing.assert_allclose(vector, theirs[1], atol=1e-5)
    assert weights == pytest.approx(their_weights[1], abs=1e-5)


@needs_library
def test_odd_texts_are_embedded_as_by_the_other_backend(checkpoint: Path, tmp_path: Path) -> None:
    reference = reference_of(checkpoint)
    flag = loaded(bge.FLAG, checkpoint, tmp_path, reference)
    onnx = loaded(bge.UPSTREAM, checkpoint, tmp_path, reference)
    texts = ["", "  ", "a\ud800b", "long " * 2_000, "日本語"]

    np.testing.assert_allclose(flag.embed_passages(texts), onnx.embed_passages(texts), atol=1e-5)
    assert flag.embed_passages([]).shape == (0, 32)


@needs_library
def test_a_folder_that_is_no_checkpoint_is_named(checkpoint: Path, tmp_path: Path) -> None:
    (checkpoint / "config.json").write_text("{}")
    with pytest.raises(UnreadableModel, match="checkpoint"):
        loaded(bge.FLAG, checkpoint, tmp_path, reference_of(checkpoint))


@pytest.mark.parametrize("missing", ["sparse_linear.pt", "colbert_linear.pt"])
def test_a_missing_head_is_refused_for_the_library_would_make_one_up(
    checkpoint: Path, tmp_path: Path, missing: str
) -> None:
    (checkpoint / missing).unlink()
    with pytest.raises(ModelUnavailable, match=missing):
        loaded(bge.FLAG, checkpoint, tmp_path, reference_of(checkpoint))


@pytest.mark.skipif(importlib.util.find_spec("FlagEmbedding") is not None, reason="FlagEmbedding is installed")
def test_without_the_library_the_extra_is_named(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="extra `flag`"):
        loaded(bge.FLAG, checkpoint, tmp_path, reference_of(checkpoint))
