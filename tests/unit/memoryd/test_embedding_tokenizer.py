"""The XLM-R tokenizer as a document, and its reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryd.embedding.errors import ModelUnavailable, UnreadableModel
from memoryd.embedding.tokenizer import TextTokenizer, load_tokenizer, unigram_document
from tests.unit.memoryd.tiny_model import PIECES

UNKNOWN = 3


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.json"
    path.write_text(unigram_document(PIECES, [-1.0] * len(PIECES)), "utf-8")
    return path


@pytest.fixture
def tokenizer(document: Path) -> TextTokenizer:
    return load_tokenizer(document, 16)


def pieces(tokenizer: TextTokenizer, text: str) -> list[str]:
    return [PIECES[id_] for id_ in tokenizer.token_ids([text])[0]]


def test_ids_are_places_and_special_tokens_stand_around(tokenizer: TextTokenizer) -> None:
    assert pieces(tokenizer, "the cat") == ["<s>", "\u2581the", "\u2581cat", "</s>"]
    assert tokenizer.pad_id == 1
    assert tokenizer.special_ids == {0, 1, 2, 3}


@pytest.mark.parametrize("space", [" ", "\n", "\t", "\r\n", "\u2028", "\u200b", "\u00a0", "  \n  "])
def test_every_kind_of_space_is_a_word_boundary(tokenizer: TextTokenizer, space: str) -> None:
    assert pieces(tokenizer, f"the{space}cat") == ["<s>", "\u2581the", "\u2581cat", "</s>"]


def test_control_characters_vanish(tokenizer: TextTokenizer) -> None:
    assert pieces(tokenizer, "the\x07 c\x1bat") == ["<s>", "\u2581the", "\u2581cat", "</s>"]


def test_width_and_composition_are_folded(tokenizer: TextTokenizer) -> None:
    assert pieces(tokenizer, "\uff43\uff41\uff54") == ["<s>", "\u2581cat", "</s>"]
    assert pieces(tokenizer, "e\u0301")[-2] == "é"


def test_an_unknown_character_is_one_unknown_token(tokenizer: TextTokenizer) -> None:
    assert tokenizer.token_ids(["☃"])[0].count(UNKNOWN) == 1


def test_truncation_keeps_the_closing_token(tokenizer: TextTokenizer) -> None:
    ids = tokenizer.token_ids(["the cat " * 50])[0]
    assert len(ids) == 16
    assert (ids[0], ids[-1]) == (0, 2)


def test_a_special_token_in_the_text_is_no_harm(tokenizer: TextTokenizer) -> None:
    assert tokenizer.token_ids(["the </s> cat"])[0][0] == 0


def test_pieces_without_special_tokens_are_refused() -> None:
    with pytest.raises(UnreadableModel):
        unigram_document(["a", "b", "c", "d"], [0.0] * 4)


def test_a_missing_document_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"nothing\.json"):
        load_tokenizer(tmp_path / "nothing.json", 16)


def test_a_broken_document_is_named(document: Path) -> None:
    document.write_text("{", "utf-8")
    with pytest.raises(UnreadableModel, match=r"tokenizer\.json"):
        load_tokenizer(document, 16)


def test_a_document_of_another_kind_is_refused(document: Path) -> None:
    content = json.loads(document.read_text("utf-8"))
    content["added_tokens"] = []
    content["post_processor"] = None
    content["model"]["vocab"] = [["[CLS]", 0.0], *content["model"]["vocab"][1:]]
    document.write_text(json.dumps(content), "utf-8")
    with pytest.raises(UnreadableModel, match="special tokens"):
        load_tokenizer(document, 16)
