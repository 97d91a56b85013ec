"""Reads the packed 4-bit file in which the default model's weights are published.

Layout, little-endian: the magic ``E5S1`` and a version, nine header fields, the pieces of the tokenizer (offsets,
scores, one blob of UTF-8), a table of character replacements, a directory of tensors, the tensors. A 4-bit tensor is
rows of blocks in the form known as Q4_0: one float16 scale, then 16 bytes with 32 values, the low nibbles being the
first 16; value = scale x (nibble - 8).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from memoryd.embedding.errors import UnreadableModel

BLOCK = 32
_BLOCK_BYTES = 2 + BLOCK // 2
_MAGIC = b"E5S1"
_HEADER = struct.Struct("<4sI7ifi")
_PIECES = struct.Struct("<5iQ")
_FLOAT32, _Q4_0 = 0, 1


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a BERT encoder; ``eps`` is the one of its layer norms."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    eps: float


@dataclass(frozen=True, slots=True)
class Blocks:
    """A 4-bit matrix: ``nibbles`` (rows, blocks, 32) in 0..15 with 8 as zero, ``scales`` (rows, blocks)."""

    nibbles: npt.NDArray[np.uint8]
    scales: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    count: int
    offset: int


@dataclass(frozen=True, slots=True)
class PackedModel:
    """An opened file: sizes, the tokenizer's pieces with their log probabilities, and the tensors by name."""

    shape: Shape
    pieces: tuple[str, ...]
    scores: npt.NDArray[np.float32]
    _data: bytes
    _tensors: Mapping[str, _Tensor]

    def floats(self, name: str, *shape: int) -> npt.NDArray[np.float32]:
        """Return a float32 tensor, reshaped if a shape is given. Raises UnreadableModel."""
        tensor = self._find(name, _FLOAT32)
        values = np.frombuffer(self._data, "<f4", tensor.count, tensor.offset)
        return values.reshape(shape) if shape else values

    def blocks(self, name: str, rows: int, columns: int) -> Blocks:
        """Return a 4-bit tensor of that many rows and columns. Raises UnreadableModel."""
        tensor = self._find(name, _Q4_0)
        if tensor.count != rows * columns or columns % BLOCK:
            raise UnreadableModel(f"tensor {name} has {tensor.count} values, not {rows} x {columns}")
        per_row = columns // BLOCK
        raw = np.frombuffer(self._data, np.uint8, rows * per_row * _BLOCK_BYTES, tensor.offset)
        raw = raw.reshape(rows, per_row, _BLOCK_BYTES)
        scales = raw[:, :, :2].copy().view("<f2").astype(np.float32)[..., 0]
        halves = raw[:, :, 2:]
        return Blocks(np.concatenate([halves & np.uint8(15), halves >> np.uint8(4)], axis=-1), scales)

    def _find(self, name: str, kind: int) -> _Tensor:
        tensor = self._tensors.get(name)
        if tensor is None or tensor.kind != kind:
            raise UnreadableModel(f"the packed model has no tensor {name} of the expected kind")
        return tensor


def read_packed(data: bytes) -> PackedModel:
    """Parse a packed model. Raises UnreadableModel where the bytes are not one."""
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError, UnicodeDecodeError) as error:
        raise UnreadableModel(f"the packed model is cut off or damaged: {error}") from error


def _read(data: bytes) -> PackedModel:
    magic, version, hidden, layers, heads, feed_forward, vocabulary, positions, _types, eps, block = (
        _HEADER.unpack_from(data)
    )
    if magic != _MAGIC or version != 1 or block != BLOCK:
        raise UnreadableModel("not a packed model of version 1 with blocks of 32")
    at = _HEADER.size
    count, *_special_ids, blob_bytes = _PIECES.unpack_from(data, at)
    at += _PIECES.size
    ends = np.frombuffer(data, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    blob = data[at : at + blob_bytes]
    pieces = tuple(blob[first:last].decode() for first, last in pairwise(ends))
    at += blob_bytes
    # The table of character replacements is skipped: the tokenizer module says the same in two rules and NFKC.
    _rules, rule_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + rule_bytes
    return PackedModel(
        Shape(hidden, layers, heads, feed_forward, vocabulary, positions, eps),
        pieces,
        scores,
        data,
        _read_directory(data, at),
    )


def _read_directory(data: bytes, at: int) -> dict[str, _Tensor]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        at += 2
        name = data[at : at + length].decode()
        at += length
        kind, values, offset, size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        if offset + size > len(data):
            raise UnreadableModel(f"tensor {name} lies beyond the end of the file")
        tensors[name] = _Tensor(kind, values, offset)
    return tensors
