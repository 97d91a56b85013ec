"""The lexical head of bge-m3: one weight vector and a bias, read from .pt, .npz or .safetensors.

A .pt file is a zip with a pickle. It comes from outside, so it is read by an unpickler that knows three names and
calls nothing else, and every size is checked before memory is looked at. No torch, no safetensors package.
"""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.embedding.errors import UnreadableModel

FloatArray = npt.NDArray[np.float32]

# The head of a 1,024-wide model has 4 KB; anything near this bound is not a head.
_MAX_BYTES = 16 * 1024 * 1024
_STORAGES = {"FloatStorage": "<f4", "HalfStorage": "<f2", "DoubleStorage": "<f8"}
_SAFETENSORS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}


@dataclass(frozen=True, slots=True)
class LexicalHead:
    """``weight`` of shape (h,) and ``bias``: the weight of a token is relu(weight . hidden + bias)."""

    weight: FloatArray
    bias: float

    def weigh(self, hidden: FloatArray) -> FloatArray:
        """Return the weights (b, s) of hidden states (b, s, h)."""
        weights: FloatArray = np.maximum(hidden @ self.weight + np.float32(self.bias), np.float32(0))
        return weights


def find_head(folder: Path, stem: str) -> Path | None:
    """Return the head's file in the folder of the graph or one level up, or None."""
    for place in (folder, folder.parent):
        for ending in ("safetensors", "npz", "pt"):
            path = place / f"{stem}.{ending}"
            if path.is_file():
                return path
    return None


def read_head(path: Path) -> LexicalHead:
    """Read a head. Raises UnreadableModel where the file is none (a random head would be worse than none)."""
    try:
        _refuse_large(path.stat().st_size)
        tensors = _READERS[path.suffix](path)
        weight = np.asarray(tensors["weight"], np.float32).reshape(-1)
        bias = np.asarray(tensors["bias"], np.float32).reshape(-1)
    except Exception as error:  # a foreign file can be wrong in any way, and each way means the same
        raise UnreadableModel(f"{path} is not a lexical head: {error}") from error
    if bias.size != 1 or not np.isfinite(weight).all() or not np.isfinite(bias).all():
        raise UnreadableModel(f"{path} is not a lexical head: one finite weight vector and one bias are expected")
    return LexicalHead(weight, float(bias[0]))


def _read_pt(path: Path) -> Mapping[str, Any]:
    with zipfile.ZipFile(path) as archive:
        _refuse_large(sum(member.file_size for member in archive.infolist()))
        name = next((name for name in archive.namelist() if name.endswith("data.pkl")), None)
        if name is None:
            raise ValueError("no data.pkl inside")
        root = name.removesuffix("data.pkl")
        state = _TensorUnpickler(archive, root, archive.read(name)).load()
    if not isinstance(state, Mapping):
        raise ValueError("no state dictionary inside")  # noqa: TRY004 - the caller turns it into UnreadableModel
    return state


# A pickle can name any callable; find_class refuses every name but these, none of which runs foreign code.
class _TensorUnpickler(pickle.Unpickler):
    def __init__(self, archive: zipfile.ZipFile, root: str, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self._archive = archive
        self._root = root

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return self._rebuild
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        raise pickle.UnpicklingError(f"refused to load {module}.{name}")

    def persistent_load(self, pid: Any) -> tuple[str, str]:
        _tag, dtype, key, *_ = pid
        if dtype not in _STORAGES.values() or not str(key).isalnum():
            raise pickle.UnpicklingError("unknown storage")
        return dtype, f"{self._root}data/{key}"

    def _rebuild(
        self, storage: tuple[str, str], offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_rest: Any
    ) -> npt.NDArray[Any]:
        dtype, member = storage
        values = np.frombuffer(self._archive.read(member), dtype)
        dense = tuple(prod(size[place + 1 :]) for place in range(len(size)))
        # Only plain row-major tensors: a strided view over foreign numbers could reach beyond the buffer.
        if any(step != want for step, want, length in zip(stride, dense, size, strict=True) if length > 1):
            raise pickle.UnpicklingError("a tensor is not stored row by row")
        if offset < 0 or offset + prod(size) > values.size:
            raise pickle.UnpicklingError("a tensor lies beyond its storage")
        return values[offset : offset + prod(size)].reshape(size)


def _refuse_large(size: int) -> None:
    if size > _MAX_BYTES:
        raise ValueError(f"{size} bytes are more than a head can have")


def _read_npz(path: Path) -> Mapping[str, Any]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _read_safetensors(path: Path) -> Mapping[str, Any]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(body[first:last], _SAFETENSORS[entry["dtype"]]).reshape(entry["shape"])
    return tensors


_READERS = {".pt": _read_pt, ".npz": _read_npz, ".safetensors": _read_safetensors}
