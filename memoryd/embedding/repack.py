"""Packed 4-bit weights to an ONNX graph of a BERT encoder.

Word embeddings stay in their 4-bit blocks. The matrices become 7-bit integers with one scale a row, and each token's
activations are rounded to 8 bits with a scale of their own: integer products are more than twice as fast here as
4-bit blocks (the vectors keep a cosine of 0.999 to the exact ones), and since no scale is shared between tokens, a
text gets the same vector whatever else is in its batch. 7 bits, because two products of 8 x 8 bits overflow in
processors that add them in 16; so all processors give the same numbers. Query, key and value are one matrix.

This module alone needs the ``onnx`` package, and only while a model is built.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.embedding.errors import ModelUnavailable
from memoryd.embedding.packed import BLOCK, Blocks, PackedModel

_CONTRIB = "com.microsoft"
_ZERO = 8
# Two products of an activation (up to 255) and a weight must fit 16 bits with sign: 2 x 255 x 64 = 32,640.
_LARGEST_WEIGHT = 64
_MIDDLE = 128
_LEAST = 1e-12


def graph_bytes(model: PackedModel, name: str) -> bytes:
    """Return a serialised ONNX model.

    Inputs ``input_ids`` and ``attention_mask``, int64 (b, s); output ``last_hidden_state``, float32 (b, s, hidden).
    Raises ModelUnavailable where the onnx package is missing, UnreadableModel where a tensor is.
    """
    try:
        import onnx  # noqa: F401, PLC0415 - 17 MB that only the first start with a model needs
    except ImportError as error:
        raise ModelUnavailable("the package onnx is needed once, to prepare the model: install it") from error
    return _GraphBuilder(model).build(name)


class _GraphBuilder:
    """Collects nodes and constants of one graph."""

    def __init__(self, model: PackedModel) -> None:
        from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415 - see graph_bytes

        self._model = model
        self._types = TensorProto
        self._helper = helper
        self._to_tensor = numpy_helper.from_array
        self._constants: list[Any] = []
        self._nodes: list[Any] = []

    def build(self, name: str) -> bytes:
        shape, helper, types = self._model.shape, self._helper, self._types
        self._node("Cast", ["attention_mask"], "mask", to=types.INT32)
        self._constant("last", np.array([-1], np.int64))
        self._constant("per_step", np.array(1 / (_MIDDLE - 1), np.float32))
        self._constant("least", np.array(_LEAST, np.float32))
        self._constant("middle", np.array(_MIDDLE, np.uint8))
        states = self._embed()
        for layer in range(shape.layers):
            states = self._encode(layer, states, "last_hidden_state" if layer == shape.layers - 1 else f"out{layer}")
        graph = helper.make_graph(
            self._nodes,
            name,
            [
                helper.make_tensor_value_info(it, types.INT64, ["batch", "sequence"])
                for it in ("input_ids", "attention_mask")
            ],
            [helper.make_tensor_value_info("last_hidden_state", types.FLOAT, ["batch", "sequence", shape.hidden])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_CONTRIB, 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="memoryd")
        serialised: bytes = made.SerializeToString()
        return serialised

    def _embed(self) -> str:
        model, shape = self._model, self._model.shape
        words = model.blocks("emb.word", shape.vocabulary, shape.hidden)
        # The operator wants signed nibbles: x - 8 in two's complement is x with its highest bit flipped.
        signed = Blocks(words.nibbles ^ np.uint8(_ZERO), words.scales)
        dims = [shape.vocabulary, shape.hidden]
        self._constants.append(
            self._helper.make_tensor("words", self._types.INT4, dims, _in_pairs(signed).tobytes(), raw=True)
        )
        self._constant("words_scale", words.scales)
        self._node(
            "GatherBlockQuantized",
            ["words", "input_ids", "words_scale"],
            "word_states",
            domain=_CONTRIB,
            block_size=BLOCK,
            gather_axis=0,
            quantize_axis=1,
        )
        # All tokens are of type 0, whose embedding is folded into the positions.
        places = model.floats("emb.pos", shape.positions, shape.hidden) + model.floats("emb.type", -1, shape.hidden)[0]
        self._constant("positions", places)
        self._constant("zero", np.array([0], np.int64))
        self._node("Shape", ["input_ids"], "length", start=1, end=2)
        self._node("Slice", ["positions", "zero", "length", "zero"], "place_states")
        self._node("Add", ["word_states", "place_states"], "embedded")
        return self._normalise("embedded", "emb.ln", "in0")

    def _encode(self, layer: int, states: str, out: str) -> str:
        hidden, wide = self._model.shape.hidden, self._model.shape.feed_forward
        at = f"l{layer}."
        joined = self._multiply(states, [at + "q", at + "k", at + "v"], hidden, hidden)
        self._node("Split", [joined], f"{at}query", f"{at}key", f"{at}value", axis=-1, num_outputs=3)
        self._node(
            "MultiHeadAttention",
            [f"{at}query", f"{at}key", f"{at}value", "", "mask"],
            f"{at}context",
            domain=_CONTRIB,
            num_heads=self._model.shape.heads,
        )
        attended = self._multiply(f"{at}context", [at + "ao"], hidden, hidden)
        self._node("Add", [attended, states], f"{at}sum1")
        middle = self._normalise(f"{at}sum1", at + "aln", f"{at}middle")
        self._node("Gelu", [self._multiply(middle, [at + "fi"], hidden, wide)], f"{at}gelu", domain=_CONTRIB)
        self._node("Add", [self._multiply(f"{at}gelu", [at + "fo"], wide, hidden), middle], f"{at}sum2")
        return self._normalise(f"{at}sum2", at + "oln", out)

    def _multiply(self, states: str, matrices: list[str], width: int, rows: int) -> str:
        parts = [self._model.blocks(f"{it}.w", rows, width) for it in matrices]
        weights = np.concatenate([_values(it).reshape(rows, width) for it in parts])
        scales = np.maximum(np.abs(weights).max(axis=1), _LEAST) / _LARGEST_WEIGHT
        name = "+".join(matrices)
        self._constant(f"{name}.w", np.rint(weights / scales[:, None]).astype(np.int8).T)
        self._constant(f"{name}.scale", scales.astype(np.float32))
        self._constant(f"{name}.b", np.concatenate([self._model.floats(f"{it}.b") for it in matrices]))
        rounded, steps = self._round(states, width, name)
        self._node("MatMulInteger", [rounded, f"{name}.w", "middle"], f"{name}.whole")
        # DequantizeLinear would say the same in one node, and runs in one thread.
        self._node("Cast", [f"{name}.whole"], f"{name}.float", to=self._types.FLOAT)
        self._node("Mul", [f"{name}.float", f"{name}.scale"], f"{name}.scaled")
        self._node("Mul", [f"{name}.scaled", steps], f"{name}.product")
        return self._node("Add", [f"{name}.product", f"{name}.b"], f"{name}.out")

    def _round(self, states: str, width: int, name: str) -> tuple[str, str]:
        """Round each token's states to 8 bits about 128; return the names of the integers and of the step sizes."""
        self._node("Abs", [states], f"{name}.sizes")
        self._node("ReduceMax", [f"{name}.sizes", "last"], f"{name}.largest", keepdims=1)
        self._node("Mul", [f"{name}.largest", "per_step"], f"{name}.even")
        self._node("Max", [f"{name}.even", "least"], f"{name}.step")
        self._node("Shape", [f"{name}.step"], f"{name}.shape")
        middle = self._helper.make_tensor("value", self._types.UINT8, [1], [_MIDDLE])
        self._node("ConstantOfShape", [f"{name}.shape"], f"{name}.middles", value=middle)
        ends = [states, f"{name}.step", f"{name}.middles"]
        self._node("QuantizeLinear", ends, f"{name}.rounded", axis=2, block_size=width)
        return f"{name}.rounded", f"{name}.step"

    def _normalise(self, states: str, name: str, out: str) -> str:
        self._constant(f"{name}.w", self._model.floats(f"{name}.w"))
        self._constant(f"{name}.b", self._model.floats(f"{name}.b"))
        ends = [states, f"{name}.w", f"{name}.b"]
        return self._node("LayerNormalization", ends, out, axis=-1, epsilon=self._model.shape.eps)

    def _constant(self, name: str, values: npt.NDArray[Any]) -> None:
        self._constants.append(self._to_tensor(np.ascontiguousarray(values), name))

    def _node(self, operator: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(self._helper.make_node(operator, inputs, list(outputs), domain=domain, **attributes))
        return outputs[0]


def _values(blocks: Blocks) -> npt.NDArray[np.float32]:
    values: npt.NDArray[np.float32] = (blocks.nibbles.astype(np.float32) - np.float32(_ZERO)) * blocks.scales[..., None]
    return values


def _in_pairs(blocks: Blocks) -> npt.NDArray[np.uint8]:
    """Pack two neighbours into one byte, the first in the low nibble: (rows, blocks, 16)."""
    packed: npt.NDArray[np.uint8] = blocks.nibbles[..., 0::2] | (blocks.nibbles[..., 1::2] << np.uint8(4))
    return packed
