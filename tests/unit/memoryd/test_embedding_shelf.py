"""The models of an installation: those that are known, those of the settings, and what is on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryd.embedding.catalog import MANIFESTS
from memoryd.embedding.errors import ModelUnavailable, UnknownModel
from memoryd.embedding.manifest import FolderSource
from memoryd.embedding.pulled import SealedFile, is_pulled, pulled_place, write_seal
from memoryd.embedding.shelf import OwnModel, Shelf
from tests.unit.memoryd.tiny_model import write_model

NAMES = ["e5-small", "bge-m3", "bge-m3-int8", "bge-m3-xenova", "bge-m3-aapot", "bge-m3-yuniko", "bge-m3-3head"]


def source(shelf: Shelf, name: str) -> FolderSource:
    manifest = shelf.find(name)
    assert manifest is not None
    assert isinstance(manifest.source, FolderSource)
    return manifest.source


def test_the_known_models_are_there_the_default_first(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    assert [one.name for one in shelf] == [*NAMES, "bge-m3-flag"]
    assert shelf.find("none") is None
    assert shelf.open("none") is None
    with pytest.raises(UnknownModel, match="e5-small"):
        shelf.find("gpt")


def test_a_model_of_the_settings_has_the_files_of_its_like_and_no_pins(tmp_path: Path) -> None:
    own = {"mine": OwnModel(like="bge-m3", repo="me/it", revision="v2", dimension=32, max_tokens=99, self_test=False)}
    shelf = Shelf(tmp_path, own=own)
    mine = shelf.find("mine")
    assert mine is not None
    assert (mine.name, mine.dimension, mine.max_tokens, mine.self_test) == ("mine", 32, 99, False)
    theirs, ours = source(Shelf(tmp_path), "bge-m3"), source(shelf, "mine")
    assert [one.path for one in ours.remote] == [one.path for one in theirs.remote]
    assert {(one.repo, one.revision, one.size, one.sha256) for one in ours.remote} == {("me/it", "v2", None, None)}
    assert pulled_place(ours, tmp_path) != pulled_place(theirs, tmp_path)


def test_a_known_name_is_replaced(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, own={"bge-m3": OwnModel(like="bge-m3", repo="me/it")})
    assert [one.name for one in shelf].count("bge-m3") == 1
    assert source(shelf, "bge-m3").remote[0].repo == "me/it"


@pytest.mark.parametrize(("like", "words"), [("gpt", "no model 'gpt'"), ("e5-small", "inside a package")])
def test_a_like_that_cannot_be_is_a_problem_and_no_failure(tmp_path: Path, like: str, words: str) -> None:
    shelf = Shelf(tmp_path, own={"mine": OwnModel(like=like, repo="me/it")})
    (problem,) = shelf.problems
    assert words in problem
    with pytest.raises(UnknownModel):
        shelf.find("mine")


def test_a_model_of_a_folder_is_here_and_is_never_pulled(tmp_path: Path) -> None:
    write_model(tmp_path / "given")
    own = {"mine": OwnModel(like="bge-m3", folder=tmp_path / "given", dimension=32, self_test=False)}
    shelf = Shelf(tmp_path / "models", own=own)
    manifest = shelf.find("mine")
    assert manifest is not None
    assert shelf.is_here(manifest)
    assert source(shelf, "mine").remote == ()
    embedder = shelf.open("mine")
    assert embedder is not None
    embedder.close()


def test_what_is_not_pulled_is_not_here_and_says_how(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    assert not shelf.is_here(MANIFESTS["bge-m3"])
    with pytest.raises(ModelUnavailable, match="memoryd models pull bge-m3"):
        shelf.open("bge-m3")


def test_pulled_files_are_here_once_the_seal_says_that_they_are_all(tmp_path: Path) -> None:
    wanted = source(Shelf(tmp_path), "bge-m3-3head")
    place = pulled_place(wanted, tmp_path)
    sealed = {}
    for one in wanted.remote:
        (place / one.place).parent.mkdir(parents=True, exist_ok=True)
        (place / one.place).write_bytes(b"1234")
        sealed[one.place] = SealedFile(4, "0" * 64)
    write_seal(place, sealed, is_whole=False)
    assert not is_pulled(wanted, tmp_path)
    write_seal(place, sealed, is_whole=True)
    assert is_pulled(wanted, tmp_path)
    (place / "model.onnx").write_bytes(b"123")
    assert not is_pulled(wanted, tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"files": {"x": 1}, "whole": true}', b'{"whole": true}'])
def test_a_damaged_seal_is_none(tmp_path: Path, content: bytes) -> None:
    wanted = source(Shelf(tmp_path), "bge-m3")
    place = pulled_place(wanted, tmp_path)
    place.mkdir(parents=True)
    (place / "pulled.json").write_bytes(content)
    assert not is_pulled(wanted, tmp_path)


def test_weights_are_left_unused_where_they_are_not_wanted(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    (given.graph.parent / "sparse_linear.pt").write_bytes(b"any")
    own = {"mine": OwnModel(like="bge-m3", folder=tmp_path / "given", dimension=32)}
    found = []
    for with_lexical in (True, False):
        embedder = Shelf(tmp_path / "models", own=own, with_lexical=with_lexical).open("mine")
        assert embedder is not None
        found.append((embedder.has_lexical, embedder.fingerprint))
        embedder.close()
    assert [one for one, _ in found] == [True, False]
    assert found[0][1] == found[1][1]
