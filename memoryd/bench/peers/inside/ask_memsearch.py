"""memsearch by its Python interface, its embedder replaced by one over the weights that are given."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120 - run isolated, where the own folder is not on the path

lines: Any = importlib.import_module("lines")
vectors: Any = importlib.import_module("vectors")
core: Any = importlib.import_module("memsearch.core")

_loop = asyncio.new_event_loop()
_memory: Any = None
_folder = Path()


class Embedder:
    """What memsearch calls; it has one call for both, so what is asked is told apart by who asks."""

    model_name = "given"
    batch_size = 32

    def __init__(self, model: Any) -> None:
        self._model = model
        self.is_asking = False
        self.dimension = len(model.query("x"))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        if self.is_asking:
            return [self._model.query(text).tolist() for text in texts]
        rows: list[list[float]] = self._model.passages(texts).tolist()
        return rows


_embedder: Any = None


def index(folder: str, store: str, weights: dict[str, Any]) -> dict[str, Any]:
    """Index every file below a folder into a database below ``store``."""
    global _memory, _folder, _embedder  # noqa: PLW0603 - one process, one index
    _embedder = Embedder(vectors.Model(**weights))
    core.get_provider = lambda *_, **__: _embedder
    _folder = Path(folder).resolve()
    _memory = core.MemSearch([str(_folder)], milvus_uri=str(Path(store) / "memsearch.db"), collection="bench")
    return {"rows": _loop.run_until_complete(_memory.index())}


def ask(scope: str, query: str, limit: int) -> dict[str, Any]:
    """Return the names of the files of the best chunks, best first."""
    _embedder.is_asking = True
    hits = _loop.run_until_complete(_memory.search(query, top_k=limit, source_prefix=_folder / scope))
    return {"found": [Path(hit["source"]).stem for hit in hits]}


if __name__ == "__main__":
    lines.answer_lines({"index": index, "ask": ask})
