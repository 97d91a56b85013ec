"""``bench router``: does each question reach the memory that holds its answer?

The questions are labelled by whoever wrote them: a JSON-lines file ``{query, label, hard?}`` with the labels
``episodic``, ``semantic`` and ``both``. Beside the router stand a single regular expression and the constant answers.
Time is the processor's, so that other work on the machine does not count.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from memoryd.bench.corpus import SEED
from memoryd.bench.errors import BenchDataError
from memoryd.bench.machine import machine_facts
from memoryd.bench.table import Table
from memoryd.bench.tally import interval, mean
from memoryd.router.decide import decide
from memoryd.router.likeness import Likeness, refined
from memoryd.text.embedder import Embedder

STORES = ("episodic", "semantic", "both")
NOW = datetime(2026, 7, 15, 10, tzinfo=UTC)
"""The asker's present: a fixed one, so that two runs read the same spans."""
_PAST = re.compile(r"\b(when|yesterday|last|ago|did|recent)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, the memory that holds its answer, and whether its wording points elsewhere."""

    question: str
    store: str
    is_hard: bool = False


def read_labelled(path: Path) -> list[Labelled]:
    """Return the questions of a file.

    Raises:
        BenchDataError: A line is not JSON, lacks a field or has another label.
    """
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            one = Labelled(str(row["query"]), row["label"], bool(row.get("hard", False)))
        except (ValueError, KeyError, TypeError) as error:
            raise BenchDataError(f"{path}:{number}: the question cannot be read: {error!r}") from error
        if one.store not in STORES:
            raise BenchDataError(f"{path}:{number}: the label is {one.store!r}, none of {', '.join(STORES)}")
        rows.append(one)
    if not rows:
        raise BenchDataError(f"{path} holds no questions")
    return rows


def run_router(path: Path, *, embedder: Embedder | None = None, model: str = "none") -> Table:
    """Route all questions of a file, with the model's help where the cues are weak if one is given.

    Raises:
        BenchDataError: The file cannot be read.
    """
    rows = read_labelled(path)
    likeness = Likeness(None, background=False)
    took_ms: list[float] = []

    def by_cues(question: str) -> str:
        started = time.thread_time()
        store = decide(question, now=NOW).store
        took_ms.append((time.thread_time() - started) * 1000)
        return store

    def with_model(question: str) -> str:
        route = decide(question, now=NOW)
        return refined(route, lambda: None if embedder is None else likeness.probability(question, embedder)).store

    ways: dict[str, Callable[[str], str]] = {
        "always both": lambda _: "both",
        "always episodic": lambda _: "episodic",
        "always semantic": lambda _: "semantic",
        "one regular expression": lambda question: "episodic" if _PAST.search(question) else "semantic",
        "the router's cues": by_cues,
    }
    if embedder is not None:
        ways["cues, and the vector where they are weak"] = with_model
    decide(rows[0].question, now=NOW)  # its tables are compiled at the first question
    table = [_row(name, rows, [way(row.question) for row in rows]) for name, way in ways.items()]
    median, high = np.percentile(took_ms, [50, 95])
    facts = {
        "questions": len(rows),
        "hard": sum(row.is_hard for row in rows),
        "model": model,
        "decision, median ms of the processor": f"{median:.2f}",
        "95th percentile": f"{high:.2f}",
        "bootstrap seed": SEED,
        **machine_facts(),
    }
    columns = ["way", "exact", "95 %", "exact without hard", "no loss", "answered both"]
    return Table("Where questions go", columns, table, facts)


def _row(name: str, rows: Sequence[Labelled], stores: Sequence[str]) -> list[Any]:
    exact = [float(row.store == store) for row, store in zip(rows, stores, strict=True)]
    plain = [hit for hit, row in zip(exact, rows, strict=True) if not row.is_hard]
    no_loss = [float(store in {row.store, "both"}) for row, store in zip(rows, stores, strict=True)]
    both = [float(store == "both") for store in stores]
    return [name, mean(exact), interval(exact, seed=SEED), mean(plain), mean(no_loss), mean(both)]
