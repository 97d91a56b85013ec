"""A packed 4-bit encoder small enough to be worked out by hand, and models built from it."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np

from memoryd.embedding.files import ModelFiles
from memoryd.embedding.manifest import FolderSource, Manifest
from memoryd.embedding.packed import read_packed
from memoryd.embedding.repack import graph_bytes
from memoryd.embedding.tokenizer import unigram_document

HIDDEN, LAYERS, HEADS, WIDE, POSITIONS = 32, 2, 2, 64, 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "\u2581",
    *LETTERS,
    "\u2581the",
    "\u2581cat",
    "\u2581mat",
    "é",
    "日",
    "<mask>",
]

MANIFEST = Manifest(
    name="tiny",
    dimension=HIDDEN,
    max_tokens=24,
    pooling="mean",
    source=FolderSource(models=("model.onnx",)),
    licence="ours",
    query_prefix="the query ",
    passage_prefix="a passage ",
    self_test=False,
)
BARE = replace(MANIFEST, query_prefix="", passage_prefix="")


def packed_bytes(seed: int = 7) -> bytes:
    """Return a packed file as the format's description says, with random weights."""
    rng = np.random.default_rng(seed)
    vocabulary = len(PIECES) + 2
    tensors: list[tuple[str, int, int, bytes]] = []

    def floats(name: str, count: int, centre: float = 0.0) -> None:
        values = rng.normal(centre, 0.2, count).astype("<f4")
        tensors.append((name, 0, count, values.tobytes()))

    def blocks(name: str, rows: int, columns: int) -> None:
        body = b"".join(
            np.float16(rng.uniform(0.02, 0.06)).tobytes() + rng.integers(0, 256, 16, np.uint8).tobytes()
            for _ in range(rows * columns // 32)
        )
        tensors.append((name, 1, rows * columns, body))

    blocks("emb.word", vocabulary, HIDDEN)
    floats("emb.pos", POSITIONS * HIDDEN)
    floats("emb.type", 2 * HIDDEN)
    floats("emb.ln.w", HIDDEN, 1.0)
    floats("emb.ln.b", HIDDEN)
    for layer in range(LAYERS):
        at = f"l{layer}."
        for matrix, rows, columns in (
            ("q", HIDDEN, HIDDEN),
            ("k", HIDDEN, HIDDEN),
            ("v", HIDDEN, HIDDEN),
            ("ao", HIDDEN, HIDDEN),
            ("fi", WIDE, HIDDEN),
            ("fo", HIDDEN, WIDE),
        ):
            blocks(f"{at}{matrix}.w", rows, columns)
            floats(f"{at}{matrix}.b", rows)
        for norm in ("aln", "oln"):
            floats(f"{at}{norm}.w", HIDDEN, 1.0)
            floats(f"{at}{norm}.b", HIDDEN)
    head = struct.pack("<4sI7ifi", b"E5S1", 1, HIDDEN, LAYERS, HEADS, WIDE, vocabulary, POSITIONS, 2, 1e-12, 32)
    coded = [piece.encode() for piece in PIECES]
    scores = [0.0] * 4 + [-2.0] + [-4.0] * 26 + [-3.0] * 3 + [-5.0] * 2 + [0.0]
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, coded)))
    head += np.cumsum([0, *map(len, coded)]).astype("<u4").tobytes()
    head += np.array(scores, "<f4").tobytes() + b"".join(coded)
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 10, 1, 32)
    directory_bytes = 4 + sum(2 + len(name) + 21 for name, *_ in tensors)
    at_byte = len(head) + directory_bytes
    directory = struct.pack("<i", len(tensors))
    for name, kind, count, body in tensors:
        directory += (
            struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, count, at_byte, len(body))
        )
        at_byte += len(body)
    return head + directory + b"".join(body for *_, body in tensors)


def write_model(folder: Path) -> ModelFiles:
    """Unpack the tiny model into a folder."""
    packed = read_packed(packed_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    graph, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    graph.write_bytes(graph_bytes(packed, "tiny"))
    tokenizer.write_text(unigram_document(packed.pieces, packed.scores.tolist()), "utf-8")
    return ModelFiles(graph, tokenizer, "0" * 64)
