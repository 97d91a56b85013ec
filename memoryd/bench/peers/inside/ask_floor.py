"""The floor: stemmed BM25 of bm25s and exact numpy over unit vectors, fused by reciprocal ranks."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120 - run isolated, where the own folder is not on the path

lines: Any = importlib.import_module("lines")
vectors: Any = importlib.import_module("vectors")
bm25s: Any = importlib.import_module("bm25s")
stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")

K = 10
DEPTH = 100
_scopes: dict[str, tuple[list[str], Any, Any]] = {}
_model: Any = None


def index(folder: str, store: str, weights: dict[str, Any] | None = None) -> dict[str, Any]:
    """Read every folder below one as a scope; ``store`` is not needed, since all is in memory."""
    del store
    global _model  # noqa: PLW0603 - one process, one index
    _model = None if weights is None else vectors.Model(**weights)
    rows = 0
    for scope in sorted(Path(folder).iterdir()):
        files = sorted(scope.glob("*.md"))
        texts = [file.read_text("utf-8") for file in files]
        words = bm25s.BM25(k1=1.2, b=0.75)
        words.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
        dense = None if _model is None else _model.passages(texts)
        _scopes[scope.name] = ([file.stem for file in files], words, dense)
        rows += len(files)
    return {"rows": rows}


def ask(scope: str, query: str, limit: int) -> dict[str, Any]:
    """Return the best names, best first."""
    names, words, dense = _scopes[scope]
    depth = min(DEPTH, len(names))
    tokens = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
    found, scores = words.retrieve(tokens, k=depth, show_progress=False)
    rankings = [[int(place) for place, score in zip(found[0], scores[0], strict=True) if score > 0]]
    if dense is not None:
        rankings.append([int(place) for place in np.argsort(-(dense @ _model.query(query)), kind="stable")[:depth]])
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, place in enumerate(ranking, start=1):
            fused[place] = fused.get(place, 0.0) + 1 / (K + rank)
    best = sorted(fused, key=lambda place: (-fused[place], place))[:limit]
    return {"found": [names[place] for place in best]}


if __name__ == "__main__":
    lines.answer_lines({"index": index, "ask": ask})
