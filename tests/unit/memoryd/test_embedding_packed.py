"""The reader of packed 4-bit files."""

from __future__ import annotations

import numpy as np
import pytest

from memoryd.embedding.errors import UnreadableModel
from memoryd.embedding.packed import read_packed
from tests.unit.memoryd.tiny_model import HEADS, HIDDEN, LAYERS, PIECES, POSITIONS, WIDE, packed_bytes


def test_reads_sizes_pieces_and_tensors() -> None:
    model = read_packed(packed_bytes())
    shape = model.shape
    assert (shape.hidden, shape.layers, shape.heads, shape.feed_forward) == (HIDDEN, LAYERS, HEADS, WIDE)
    assert list(model.pieces) == PIECES
    assert model.scores[4] == pytest.approx(-2.0)
    assert model.floats("emb.pos", POSITIONS, HIDDEN).shape == (POSITIONS, HIDDEN)


def test_a_block_is_a_scale_and_low_nibbles_first() -> None:
    data = bytearray(packed_bytes())
    # The first block of the word embeddings is found by its place: the first tensor follows the directory.
    model = read_packed(bytes(data))
    at = model._tensors["emb.word"].offset
    data[at : at + 18] = np.float16(0.5).tobytes() + bytes([0x21, *([0x80] * 15)])
    blocks = read_packed(bytes(data)).blocks("emb.word", model.shape.vocabulary, HIDDEN)
    assert blocks.scales[0, 0] == 0.5
    assert blocks.nibbles[0, 0, 0] == 1
    assert blocks.nibbles[0, 0, 16] == 2
    assert blocks.nibbles[0, 0, 1] == 0
    assert blocks.nibbles[0, 0, 17] == 8


@pytest.mark.parametrize("length", [0, 3, 30, 70, 200, 1200])
def test_a_cut_off_file_is_refused(length: int) -> None:
    with pytest.raises(UnreadableModel):
        read_packed(packed_bytes()[:length])


def test_a_file_that_ends_inside_its_tensors_is_refused() -> None:
    with pytest.raises(UnreadableModel, match="beyond the end"):
        read_packed(packed_bytes()[:-1])


def test_another_format_is_refused() -> None:
    with pytest.raises(UnreadableModel, match="not a packed model"):
        read_packed(b"GGUF" + packed_bytes()[4:])


def test_a_missing_tensor_is_named() -> None:
    model = read_packed(packed_bytes())
    with pytest.raises(UnreadableModel, match=r"l9\.q\.w"):
        model.blocks("l9.q.w", HIDDEN, HIDDEN)
    with pytest.raises(UnreadableModel, match=r"l0\.q\.w"):
        model.blocks("l0.q.w", HIDDEN, 2 * HIDDEN)
