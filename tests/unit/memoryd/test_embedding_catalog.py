"""Names, files, sums: where a model comes from and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memoryd.embedding import catalog, files
from memoryd.embedding.errors import ModelUnavailable, UnknownModel, WeightsChanged
from memoryd.embedding.manifest import PackageSource
from memoryd.embedding.onnx import OnnxEmbedder
from tests.unit.memoryd.tiny_model import MANIFEST, packed_bytes, write_model

SHA256 = hashlib.sha256(packed_bytes()).hexdigest()
SOURCE = PackageSource(package="tiny_weights", file="tiny.bin", sha256=SHA256)
PACKAGED = replace(MANIFEST, source=SOURCE)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with weights that must not be imported."""
    folder = tmp_path / "site" / "tiny_weights"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (folder / "tiny.bin").write_bytes(packed_bytes())
    monkeypatch.syspath_prepend(str(folder.parent))
    return folder


def test_none_is_no_model(tmp_path: Path) -> None:
    assert catalog.find("none") is None
    assert catalog.load("none", tmp_path) is None


def test_an_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match=r"e5-small, bge-m3, .*, none"):
        catalog.load("gpt", tmp_path)


def test_the_default_is_pinned_whole() -> None:
    manifest = catalog.MANIFESTS[catalog.DEFAULT]
    assert isinstance(manifest.source, PackageSource)
    assert len(manifest.source.sha256) == 64
    assert (manifest.dimension, manifest.max_tokens, manifest.pooling) == (384, 512, "mean")
    assert (manifest.query_prefix, manifest.passage_prefix) == ("query: ", "passage: ")


def test_fingerprints_stay_what_they_are() -> None:
    """A change here embeds everybody's memory anew: it must be meant."""
    manifest = catalog.MANIFESTS["e5-small"]
    assert isinstance(manifest.source, PackageSource)
    assert manifest.fingerprint(manifest.source.sha256) == "8e8f345fb5273a5c"


def test_packed_weights_are_unpacked_once_without_an_import(package: Path, tmp_path: Path) -> None:
    found = catalog.locate(PACKAGED, tmp_path / "models")
    assert found.graph == tmp_path / "models" / SHA256 / "model.onnx"
    assert found.weights_sha256 == SHA256
    assert "tiny_weights" not in sys.modules
    OnnxEmbedder(PACKAGED, found)
    before = found.graph.stat().st_ino
    (package / "tiny.bin").unlink()
    assert catalog.locate(PACKAGED, tmp_path / "models").graph.stat().st_ino == before


def test_unpacked_files_are_private_and_nothing_else_is_left(package: Path, tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        found = catalog.locate(PACKAGED, tmp_path / "models")
    finally:
        os.umask(umask)
    assert [it.name for it in (tmp_path / "models").iterdir()] == [SHA256]
    assert stat.S_IMODE(found.graph.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(it.stat().st_mode) for it in found.graph.parent.iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "files.json"])
def test_a_damaged_unpacked_file_is_made_again(package: Path, tmp_path: Path, name: str) -> None:
    found = catalog.locate(PACKAGED, tmp_path / "models")
    whole = (found.graph.parent / name).read_bytes()
    (found.graph.parent / name).write_bytes(whole[:-3])
    catalog.locate(PACKAGED, tmp_path / "models")
    assert (found.graph.parent / name).read_bytes() == whole


def test_another_revision_is_made_again(package: Path, tmp_path: Path) -> None:
    found = catalog.locate(PACKAGED, tmp_path / "models")
    catalog.locate(replace(PACKAGED, revision=2), tmp_path / "models")
    assert json.loads((found.graph.parent / "files.json").read_bytes())["revision"] == 2


def test_what_a_killed_unpacking_left_goes_once_it_is_old(package: Path, tmp_path: Path) -> None:
    old, young = tmp_path / "models" / "a.1.partial", tmp_path / "models" / "b.2.partial"
    for folder in (old, young):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    catalog.locate(PACKAGED, tmp_path / "models")
    assert not old.exists()
    assert young.exists()


def test_changed_weights_are_not_used(package: Path, tmp_path: Path) -> None:
    (package / "tiny.bin").write_bytes(packed_bytes(seed=8))
    with pytest.raises(WeightsChanged, match=SHA256):
        catalog.locate(PACKAGED, tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="tiny_weights"):
        catalog.locate(PACKAGED, tmp_path / "models")


def test_a_place_that_cannot_be_written_is_named(package: Path, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(ModelUnavailable, match="models"):
        catalog.locate(PACKAGED, tmp_path / "models")
    write_model(tmp_path / "given")
    with pytest.raises(ModelUnavailable, match="models"):
        catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given")


def test_a_model_of_a_folder_needs_one(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"embedding\.folder"):
        catalog.load("bge-m3", tmp_path)
    with pytest.raises(ModelUnavailable, match=r"onnx/model\.onnx"):
        catalog.load("bge-m3", tmp_path / "models", folder=tmp_path)


def test_a_folder_without_tokenizer_is_named(tmp_path: Path) -> None:
    write_model(tmp_path / "given").tokenizer.unlink()
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json"):
        catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given")


def test_the_sum_of_a_folder_follows_its_files_and_is_taken_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = write_model(tmp_path / "given")
    first = catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given")
    with monkeypatch.context() as patched:
        patched.setattr(files, "sha256_of", lambda path: pytest.fail(f"{path} was read again"))
        assert catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given") == first
    given.tokenizer.write_text(given.tokenizer.read_text("utf-8") + "\n", "utf-8")
    assert catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given").weights_sha256 != first.weights_sha256


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"x": 1}'])
def test_a_damaged_memory_of_sums_is_no_harm(tmp_path: Path, content: bytes) -> None:
    write_model(tmp_path / "given")
    first = catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given")
    (tmp_path / "models" / "hashes.json").write_bytes(content)
    assert catalog.locate(MANIFEST, tmp_path / "models", tmp_path / "given") == first


def test_the_default_is_opened_lazily_without_reading_anything(tmp_path: Path) -> None:
    manifest = catalog.find("e5-small")
    assert manifest is not None
    embedder = catalog.open_manifest(manifest, tmp_path / "models")
    try:
        assert embedder.dimension == 384
        assert not embedder.ready
        assert not (tmp_path / "models").exists()
    finally:
        embedder.close()
