"""``bench recall``: how often are the turns that answer a question among the first ten?

The short form of ``bench episodic`` for dialogues in the LoCoMo format: each turn is written as an episode over REST,
each question is asked over REST, and there is one table.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memoryd.bench.asking import TURN_DEPTHS, Examiner, Run
from memoryd.bench.corpus import SEED, Corpus, first_of_each, renumbered
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.fill import Progress, fill_over_rest
from memoryd.bench.locomo import read_locomo
from memoryd.bench.machine import machine_facts
from memoryd.bench.table import Table
from memoryd.bench.tally import interval, mean

INDEX_S = 3600.0
ARMS: Mapping[str, str] = {
    "BM25 alone": '["lexical"]',
    "dense alone": '["dense"]',
    "both, fused": '["lexical","dense"]',
}


def run_recall(
    path: Path, gold: Path | None, *, limit: int | None = None, pooled: bool = False, progress: Progress
) -> Table:
    """Write all dialogues of a file to a temporary home, ask all questions three times, return the table.

    Args:
        path: A file in the LoCoMo format.
        gold: Corrected evidence, see :func:`memoryd.bench.locomo.read_locomo`.
        limit: Ask only so many questions of each dialogue, the first ones.
        pooled: Search each question among the turns of all dialogues, not of its own alone.
        progress: Told in words how far it is.

    Raises:
        BenchDataError: A file cannot be read.
        StartFailed: The daemon does not come up or does not finish indexing.
    """
    corpus = renumbered(first_of_each(read_locomo(path, gold), limit), seed=SEED)
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        return _measure(Path(folder), corpus, pooled=pooled, progress=progress)


def _measure(home: Path, corpus: Corpus, *, pooled: bool, progress: Progress) -> Table:
    with OwnDaemon(home) as daemon:
        filled = fill_over_rest(daemon, corpus, progress)
        started = time.perf_counter()
        daemon.wait_until_indexed(INDEX_S, progress=lambda left: progress(f"embedding: {left} left"))
        indexed_s = time.perf_counter() - started
        status = daemon.get("/v1/status")
    examiner = Examiner(corpus, filled, pooled=pooled)
    rows = [_row(examiner.ask_plainly())]
    for name, arms in ARMS.items():
        with OwnDaemon(home, {"MEMORYD_SEARCH__ARMS": arms}) as daemon:
            daemon.wait_until_indexed(INDEX_S)
            rows.append(_row(examiner.ask(daemon, name, progress)))
    facts = {
        "dialogues": len(corpus.dialogues),
        "turns": len(filled.episodes),
        "questions": len(corpus.questions),
        "searched among": "all turns" if pooled else "the dialogue's own turns",
        "model": status["episodic"]["model"],
        "engine": status["episodic"]["engine"],
        "embedding_s": round(indexed_s),
        "bootstrap seed": SEED,
        **machine_facts(),
    }
    columns = ["arms", *(f"recall@{depth}" for depth in TURN_DEPTHS), "95 % of recall@10", "MRR@20", "median ms"]
    return Table("Turn recall, each turn an episode, macro over questions", columns, rows, facts)


def _row(run: Run) -> list[Any]:
    return [
        run.name,
        *(mean(run.turns.recalls(depth)) for depth in TURN_DEPTHS),
        interval(run.turns.recalls(10), seed=SEED),
        run.turns.mean_reciprocal_rank,
        round(statistics.median(run.took_ms), 1),
    ]
