"""``bench recall``: how often are the turns that answer a question among the first ten?

Each turn of a dialogue is written as an episode over REST and each question is asked over REST, so that what is
measured is the product. Three runs on one home differ in the arms only; they are printed in one table.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.interval import bootstrap_mean
from memoryd.bench.locomo import Dialogue, Question, read_dialogues, read_questions
from memoryd.bench.table import Table

DEPTHS = (5, 10, 20)
SEED = 20261130
INDEX_S = 3600.0
ARMS: Mapping[str, str] = {
    "BM25 alone": '["lexical"]',
    "dense alone": '["dense"]',
    "both, fused": '["lexical","dense"]',
}

FLOOR = r"floor: plain BM25 (\w+)"
_WORD = re.compile(r"\w+")

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run found for each question: recall at each depth, the reciprocal rank, and milliseconds."""

    recalls: Mapping[int, Sequence[float]]
    reciprocal_ranks: Sequence[float]
    took_ms: Sequence[float]


def run_recall(
    path: Path, gold: Path | None, *, limit: int | None = None, pooled: bool = False, progress: Progress
) -> Table:
    """Write all dialogues of a file to a temporary home, ask all questions three times, return the table.

    Args:
        path: A file in the LoCoMo format.
        gold: Corrected evidence, see :func:`memoryd.bench.locomo.read_questions`.
        limit: Ask only so many questions of each dialogue, the first ones.
        pooled: Search each question among the turns of all dialogues, not of its own alone.
        progress: Told in words how far it is.

    Raises:
        BenchDataError: A file cannot be read.
        StartError: The daemon does not come up or does not finish indexing.
    """
    dialogues, questions = read_dialogues(path), _first(read_questions(path, gold), limit)
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        home = Path(folder)
        with OwnDaemon(home) as daemon:
            ids = _write(daemon, dialogues, progress)
            started = time.perf_counter()
            daemon.wait_until_indexed(INDEX_S, progress=lambda left: progress(f"embedding: {left} left"))
            indexed_s = time.perf_counter() - started
            status = daemon.get("/v1/status")
        rows = [_row(FLOOR, ask_plainly(dialogues, questions, ids, pooled=pooled))]
        for name, arms in ARMS.items():
            with OwnDaemon(home, {"MEMORYD_SEARCH__ARMS": arms}) as daemon:
                daemon.wait_until_indexed(INDEX_S)
                outcome = _ask(daemon, questions, ids, pooled=pooled, progress=partial(_tell, progress, name))
                rows.append(_row(name, outcome))
    facts = {
        "dialogues": len(dialogues),
        "turns": len(ids),
        "questions": len(questions),
        "searched among": "all turns" if pooled else "the dialogue's own turns",
        "model": status["episodic"]["model"],
        "engine": status["episodic"]["engine"],
        "embedding_s": round(indexed_s),
        "bootstrap seed": SEED,
    }
    columns = ["arms", *(f"recall@{k}" for k in DEPTHS), "95 % of recall@10", "MRR@20", "median ms"]
    return Table("Turn recall, each turn an episode, macro over questions", columns, rows, facts)


def _tell(progress: Progress, name: str, text: str) -> None:
    progress(f"{name}: {text}")


def _first(questions: list[Question], limit: int | None) -> list[Question]:
    if limit is None:
        return questions
    seen: Counter[str] = Counter()
    kept = []
    for question in questions:
        seen[question.dialogue] += 1
        if seen[question.dialogue] <= limit:
            kept.append(question)
    return kept


def _write(daemon: OwnDaemon, dialogues: Sequence[Dialogue], progress: Progress) -> dict[tuple[str, str], str]:
    ids: dict[tuple[str, str], str] = {}
    total = sum(len(dialogue.turns) for dialogue in dialogues)
    for dialogue in dialogues:
        for turn in dialogue.turns:
            body = {
                "text": f"{turn.speaker}: {turn.text}",
                "at": turn.at.isoformat(),
                "project": dialogue.id,
                "session": dialogue.id,
                "turn": turn.id,
            }
            ids[dialogue.id, turn.id] = daemon.post("/v1/episodes", body)["id"]
            if len(ids) % 50 == 0:
                progress(f"writing: {len(ids)} of {total} turns")
    return ids


def ask_plainly(
    dialogues: Sequence[Dialogue], questions: Sequence[Question], ids: Mapping[tuple[str, str], str], *, pooled: bool
) -> Outcome:
    """Ask the floor: a textbook BM25 over lower-cased words, in this process, on the same texts."""
    tally = Tally()
    pools = [dialogues] if pooled else [[dialogue] for dialogue in dialogues]
    for pool in pools:
        turns = [(dialogue.id, turn) for dialogue in pool for turn in dialogue.turns]
        words = [_WORD.findall(f"{turn.speaker}: {turn.text}".lower()) for _, turn in turns]
        index = BM25Okapi(words, k1=1.2, b=0.75)
        known = {dialogue.id for dialogue in pool}
        for question in questions:
            if question.dialogue in known:
                started = time.perf_counter()
                scores = index.get_scores(_WORD.findall(question.text.lower()))
                best = np.argsort(-scores, kind="stable")[: max(DEPTHS)]
                found = [ids[turns[place][0], turns[place][1].id] for place in best]
                tally.add(question, ids, found, (time.perf_counter() - started) * 1000)
    return tally.outcome()


class Tally:
    """Counts what was found for each question."""

    def __init__(self) -> None:
        self._recalls: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
        self._ranks: list[float] = []
        self._took_ms: list[float] = []

    def add(
        self, question: Question, ids: Mapping[tuple[str, str], str], found: Sequence[str | None], took_ms: float
    ) -> None:
        """Score one answer; a question whose evidence is not among the turns does not count."""
        wanted = {ids[question.dialogue, turn] for turn in question.evidence if (question.dialogue, turn) in ids}
        if not wanted:
            return
        for depth, values in self._recalls.items():
            values.append(len(wanted.intersection(found[:depth])) / len(wanted))
        self._ranks.append(next((1 / rank for rank, id_ in enumerate(found, start=1) if id_ in wanted), 0.0))
        self._took_ms.append(took_ms)

    def outcome(self) -> Outcome:
        """Return the figures so far."""
        return Outcome(self._recalls, self._ranks, self._took_ms)


def _ask(
    daemon: OwnDaemon,
    questions: Sequence[Question],
    ids: Mapping[tuple[str, str], str],
    *,
    pooled: bool,
    progress: Progress,
) -> Outcome:
    tally = Tally()
    for number, question in enumerate(questions, start=1):
        body: dict[str, Any] = {
            "query": question.text,
            "store": "episodic",
            "limit": max(DEPTHS),
            "kinds": ["episode", "section"],
        }
        if not pooled:
            body["project"] = question.dialogue
        started = time.perf_counter()
        hits = daemon.post("/v1/recall", body)["hits"]
        took_ms = (time.perf_counter() - started) * 1000
        tally.add(question, ids, [hit.get("episode") for hit in hits], took_ms)
        if number % 25 == 0:
            progress(f"{number} of {len(questions)} questions")
    return tally.outcome()


def _row(name: str, outcome: Outcome) -> list[Any]:
    low, high = bootstrap_mean(outcome.recalls[10], seed=SEED)
    means = [statistics.fmean(outcome.recalls[depth]) for depth in DEPTHS]
    return [
        name,
        *means,
        f"{low:.3f} to {high:.3f}",
        statistics.fmean(outcome.reciprocal_ranks),
        round(statistics.median(outcome.took_ms), 1),
    ]
