"""Text to token ids: the XLM-R tokenizer as a `tokenizers` document, and the reader of such documents.

XLM-R cuts text with a unigram model over pieces in which U+2581 stands for a space. Its normaliser is NFKC with a few
additions (SentencePiece's ``nmt_nfkc``): line ends and zero-width characters become spaces, control characters vanish.
The additions are written as two rules, so that a line break is a word boundary and not an unknown token.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryd.embedding.errors import ModelUnavailable, UnreadableModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_SPACES = "[\\t\\n\\x0C\\r\\x{1680}\\x{200B}-\\x{200F}\\x{2028}\\x{2029}\\x{2581}\\x{FEFF}\\x{FFFD}]"
_REMOVED = "[\\x01-\\x08\\x0B\\x0E-\\x1F\\x7F\\x{8F}\\x{9F}]"


def unigram_document(pieces: Sequence[str], scores: Sequence[float]) -> str:
    """Return the text of a tokenizer.json for XLM-R pieces with their log probabilities.

    The ids are the places in ``pieces``; the first four are ``<s> <pad> </s> <unk>``, the last is ``<mask>``.
    Raises UnreadableModel where they are not.
    """
    if tuple(pieces[:4]) != _SPECIAL:
        raise UnreadableModel("the pieces do not begin with the four special tokens of XLM-R")
    space = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    special = [*enumerate(_SPECIAL)] + ([(len(pieces) - 1, "<mask>")] if pieces[-1] == "<mask>" else [])
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id_,
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for id_, content in special
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"Regex": _REMOVED}, "content": ""},
                {"type": "Replace", "pattern": {"Regex": _SPACES}, "content": " "},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": space,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "decoder": space,
        "model": {
            "type": "Unigram",
            "unk_id": 3,
            "vocab": [[piece, float(score)] for piece, score in zip(pieces, scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    """A loaded tokenizer: cuts to ``max_tokens`` with the closing token kept. Safe in several threads."""

    pad_id: int
    special_ids: frozenset[int]
    _tokenizer: Tokenizer

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text, special tokens included, in order."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]


def load_tokenizer(path: Path, max_tokens: int) -> TextTokenizer:
    """Read a tokenizer.json.

    Raises ModelUnavailable where it is missing, UnreadableModel where it is none or lacks the special
    tokens of XLM-R.
    """
    from tokenizers import Tokenizer  # noqa: PLC0415 - a daemon that embeds nothing does not pay for the library

    if not path.is_file():
        raise ModelUnavailable(f"the tokenizer is missing: {path}")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise UnreadableModel(f"{path} is not a tokenizer document: {error}") from error
    special = [tokenizer.token_to_id(token) for token in _SPECIAL]
    known = [id_ for id_ in special if id_ is not None]
    if len(known) != len(_SPECIAL):
        raise UnreadableModel(f"{path} has not the special tokens of XLM-R ({' '.join(_SPECIAL)})")
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return TextTokenizer(pad_id=known[1], special_ids=frozenset(known), _tokenizer=tokenizer)


def encodable(text: str) -> str:
    """Put U+FFFD for lone surrogates, which JSON can carry and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
