"""The graph made of packed weights, against the same encoder written out in numpy."""

from __future__ import annotations

from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from memoryd.embedding.errors import ModelUnavailable
from memoryd.embedding.packed import PackedModel, read_packed
from memoryd.embedding.repack import graph_bytes
from tests.unit.memoryd.tiny_model import HEADS, HIDDEN, LAYERS, POSITIONS, WIDE, packed_bytes

Array = npt.NDArray[Any]


def dense(model: PackedModel, name: str, rows: int, columns: int) -> Array:
    blocks = model.blocks(name, rows, columns)
    values: Array = (blocks.nibbles.astype(np.float64) - 8) * blocks.scales[..., None]
    return values.reshape(rows, columns)


def normalised(model: PackedModel, name: str, states: Array) -> Array:
    centred = states - states.mean(-1, keepdims=True)
    scaled: Array = centred / np.sqrt(states.var(-1, keepdims=True) + model.shape.eps)
    return scaled * model.floats(f"{name}.w") + model.floats(f"{name}.b")


def encode(model: PackedModel, ids: list[int]) -> Array:
    """A BERT encoder as its paper has it: post-norm, learned positions, exact GELU."""
    words = dense(model, "emb.word", model.shape.vocabulary, HIDDEN)
    states = words[ids] + model.floats("emb.pos", POSITIONS, HIDDEN)[: len(ids)]
    states = normalised(model, "emb.ln", states + model.floats("emb.type", 2, HIDDEN)[0])
    for layer in range(LAYERS):
        at = f"l{layer}."

        def linear(name: str, given: Array, rows: int, columns: int, at: str = at) -> Array:
            return given @ dense(model, f"{at}{name}.w", rows, columns).T + model.floats(f"{at}{name}.b")

        query, key, value = (
            linear(name, states, HIDDEN, HIDDEN).reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for name in "qkv"
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(HIDDEN / HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        context = (weights @ value).transpose(1, 0, 2).reshape(len(ids), HIDDEN)
        states = normalised(model, f"{at}aln", linear("ao", context, HIDDEN, HIDDEN) + states)
        wide = linear("fi", states, WIDE, HIDDEN)
        wide = wide * 0.5 * (1 + np.vectorize(erf)(wide / np.sqrt(2)))
        states = normalised(model, f"{at}oln", linear("fo", wide, HIDDEN, WIDE) + states)
    return states


def test_the_graph_gives_what_the_weights_say(tmp_path: Path) -> None:
    import onnxruntime

    model = read_packed(packed_bytes())
    session = onnxruntime.InferenceSession(graph_bytes(model, "tiny"), providers=["CPUExecutionProvider"])
    texts = [[0, 5, 6, 7, 31, 2], [0, 12, 33, 2]]
    ids = np.ones((2, 6), np.int64)
    mask = np.zeros((2, 6), np.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    (found,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
    for row, text in enumerate(texts):
        wanted = encode(model, text)
        got = found[row, : len(text)]
        cosines = (wanted * got).sum(-1) / np.linalg.norm(wanted, axis=-1) / np.linalg.norm(got, axis=-1)
        # Activations are rounded to 8 bits in the products, so equal to about two digits.
        assert cosines.min() > 0.998
        assert np.abs(wanted - got).max() < 0.15


def test_without_the_onnx_package_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ModelUnavailable, match="onnx"):
        graph_bytes(read_packed(packed_bytes()), "tiny")
