"""Unit vectors of a model in a folder, for what runs in a peer's environment: only its own libraries are there."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

_BATCH = 32
_PADS = ("<pad>", "[PAD]")


class Model:
    """Mean-pooled vectors of an ONNX graph with its tokenizer."""

    def __init__(self, folder: str, query_prefix: str, passage_prefix: str, max_tokens: int) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # else it reports to its maker
        runtime: Any = importlib.import_module("onnxruntime")
        tokenizers: Any = importlib.import_module("tokenizers")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 2
        self._session = runtime.InferenceSession(
            str(Path(folder) / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        pads = [self._tokenizer.token_to_id(token) for token in _PADS]
        self._pad = next(pad for pad in pads if pad is not None)
        self._query_prefix, self._passage_prefix = query_prefix, passage_prefix

    def passages(self, texts: Sequence[str]) -> Any:
        """Return one unit vector a text, shape (n, dimension)."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows: dict[int, Any] = {}
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            rows.update(zip(places, self._embed([self._passage_prefix + texts[at] for at in places]), strict=True))
        return np.stack([rows[place] for place in range(len(texts))])

    def query(self, text: str) -> Any:
        """Return the unit vector of a question, shape (dimension,)."""
        return self._embed([self._query_prefix + text])[0]

    def _embed(self, texts: Sequence[str]) -> Any:
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        ids = np.full((len(tokens), max(map(len, tokens))), self._pad, np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(tokens):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        hidden = self._session.run(None, feed)[0]
        weights = mask.astype(np.float32)
        pooled = np.einsum("bsh,bs->bh", hidden, weights) / weights.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
