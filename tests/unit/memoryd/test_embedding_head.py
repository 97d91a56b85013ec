"""The lexical head: three formats read, everything else refused."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from memoryd.embedding.errors import UnreadableModel
from memoryd.embedding.head import find_head, read_head

WEIGHT = np.array([[0.5, -1.0, 2.0, 0.25]], np.float32)
BIAS = np.array([0.125], np.float32)


def tensor(key: str, size: str, stride: str, *, offset: int = 0, storage: str = "FloatStorage") -> bytes:
    """Return the pickle of a tensor as torch.save writes it, in the text protocol."""
    return (
        f"ctorch._utils\n_rebuild_tensor_v2\n((S'storage'\nctorch\n{storage}\nS'{key}'\nS'cpu'\nI9\ntQ"
        f"I{offset}\n({size}t({stride}tI00\nNtR"
    ).encode()


def write_pt(path: Path, pickled: bytes, **storages: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("head/data.pkl", pickled)
        for key, body in storages.items():
            archive.writestr(f"head/data/{key.removeprefix('s')}", body)
    return path


def state(weight: bytes, bias: bytes) -> bytes:
    return b"(S'weight'\n" + weight + b"S'bias'\n" + bias + b"d."


GOOD = state(tensor("0", "I1\nI4\n", "I4\nI1\n"), tensor("1", "I1\n", "I1\n"))


def test_reads_pt(tmp_path: Path) -> None:
    head = read_head(write_pt(tmp_path / "h.pt", GOOD, s0=WEIGHT.tobytes(), s1=BIAS.tobytes()))
    np.testing.assert_array_equal(head.weight, WEIGHT[0])
    assert head.bias == 0.125


def test_reads_half_precision_and_an_offset(tmp_path: Path) -> None:
    body = np.concatenate([BIAS, WEIGHT[0]]).astype(np.float16).tobytes()
    pickled = state(
        tensor("0", "I1\nI4\n", "I4\nI1\n", offset=1, storage="HalfStorage"),
        tensor("0", "I1\n", "I1\n", storage="HalfStorage"),
    )
    head = read_head(write_pt(tmp_path / "h.pt", pickled, s0=body))
    np.testing.assert_array_equal(head.weight, WEIGHT[0])


def test_reads_npz_and_safetensors(tmp_path: Path) -> None:
    np.savez(tmp_path / "h.npz", weight=WEIGHT, bias=BIAS)
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "weight": {"dtype": "F32", "shape": [1, 4], "data_offsets": [0, 16]},
            "bias": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]},
        }
    ).encode()
    body = struct.pack("<Q", len(header)) + header + WEIGHT.tobytes() + BIAS.tobytes()
    (tmp_path / "h.safetensors").write_bytes(body)
    for name in ("h.npz", "h.safetensors"):
        np.testing.assert_array_equal(read_head(tmp_path / name).weight, WEIGHT[0])


@pytest.mark.parametrize(
    "pickled",
    [
        b"cos\nsystem\n(S'touch harm'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"ctorch\nload\n.",
        b"c__builtin__\neval\n.",
        b"ctorch._utils\n_rebuild_tensor_v3\n.",
        state(tensor("0", "I1\nI9\n", "I9\nI1\n"), tensor("1", "I1\n", "I1\n")),
        state(tensor("0", "I1\nI4\n", "I4\nI1\n", offset=1), tensor("1", "I1\n", "I1\n")),
        state(tensor("0", "I1\nI4\n", "I4\nI1000\n"), tensor("1", "I1\n", "I1\n")),
        state(tensor("0", "I1\nI4\n", "I4\nI1\n", offset=-1), tensor("1", "I1\n", "I1\n")),
        state(tensor("../0", "I1\nI4\n", "I4\nI1\n"), tensor("1", "I1\n", "I1\n")),
        b"I5\n.",
        b"",
    ],
)
def test_refuses_everything_else(tmp_path: Path, pickled: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableModel):
        read_head(write_pt(tmp_path / "h.pt", pickled, s0=WEIGHT.tobytes(), s1=BIAS.tobytes()))
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("name", ["h.pt", "h.npz", "h.safetensors"])
@pytest.mark.parametrize("content", [b"", b"rubbish that is no archive at all", b"\x10" + b"\0" * 40])
def test_refuses_rubbish(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableModel):
        read_head(tmp_path / name)


def test_refuses_values_that_are_not_finite(tmp_path: Path) -> None:
    np.savez(tmp_path / "h.npz", weight=np.full(4, np.nan), bias=BIAS)
    with pytest.raises(UnreadableModel):
        read_head(tmp_path / "h.npz")


def test_is_found_beside_the_graph_or_one_level_up(tmp_path: Path) -> None:
    (tmp_path / "onnx").mkdir()
    assert find_head(tmp_path / "onnx", "sparse_linear") is None
    (tmp_path / "sparse_linear.pt").touch()
    assert find_head(tmp_path / "onnx", "sparse_linear") == tmp_path / "sparse_linear.pt"
    (tmp_path / "onnx" / "sparse_linear.npz").touch()
    assert find_head(tmp_path / "onnx", "sparse_linear") == tmp_path / "onnx" / "sparse_linear.npz"


@pytest.mark.parametrize("name", ["h.pt", "h.npz"])
def test_refuses_what_unpacks_to_more_than_a_head(tmp_path: Path, name: str) -> None:
    huge = np.zeros((1, 5_000_000), np.float32)
    if name == "h.npz":
        np.savez(tmp_path / name, weight=huge, bias=BIAS)
    else:
        write_pt(tmp_path / name, GOOD, s0=huge.tobytes(), s1=BIAS.tobytes())
    with pytest.raises(UnreadableModel, match="more than a head"):
        read_head(tmp_path / name)


def test_weights_are_never_negative(tmp_path: Path) -> None:
    np.savez(tmp_path / "h.npz", weight=WEIGHT, bias=BIAS)
    hidden = np.array([[[1, 0, 0, 0], [0, 1, 0, 0]]], np.float32)
    np.testing.assert_allclose(read_head(tmp_path / "h.npz").weigh(hidden), [[0.625, 0.0]])
