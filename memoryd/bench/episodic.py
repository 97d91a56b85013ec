"""``bench episodic``: what the episodic memory finds, how fast, and in how many bytes, beside its baselines.

What is measured is the product: entries lie in a home, a daemon indexes them, questions are asked over REST. Runs on
one home differ in settings only, so each baseline stands in the table of the thing it is the baseline of.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from memoryd.bench.asking import SESSION_DEPTHS, TURN_DEPTHS, Examiner, Run
from memoryd.bench.corpus import SEED, Corpus, renumbered
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.fill import Progress, check_filled, fill_day_files, fill_over_rest
from memoryd.bench.table import Report, Table
from memoryd.bench.tally import Tally, difference, interval, mean

INDEX_S = 6 * 3600.0
START_S = 600.0
MIN_MAX = "min-max of both arms"
FUSED = "RRF of both arms"
SHIPPED = "RRF and context, as shipped"
AUTO = "as shipped, the router choosing the store"
DEFAULTS: Mapping[str, str] = MappingProxyType({})
_PLAIN = {"MEMORYD_SEARCH__CONTEXT": "false"}
RUNS: Mapping[str, Mapping[str, str]] = {
    "BM25 alone": {**_PLAIN, "MEMORYD_SEARCH__ARMS": '["lexical"]'},
    "dense alone": {**_PLAIN, "MEMORYD_SEARCH__ARMS": '["dense"]'},
    FUSED: _PLAIN,
    SHIPPED: {},
}
"""Each way of searching, and the settings that make it."""
WITHOUT_VECTORS: Mapping[str, Mapping[str, str]] = {
    "BM25 alone": RUNS["BM25 alone"],
    "BM25 and context, as shipped": {},
}
"""What is left to compare where no model is set."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How a home came to be full: seconds, rows and bytes."""

    way: str
    written_s: float
    indexed_s: float
    rows: int
    journal_bytes: int
    index_bytes: int


def run_episodic(
    corpus: Corpus,
    *,
    pooled: bool = False,
    over_rest: bool = False,
    home: Path | None = None,
    settings: Mapping[str, str] = DEFAULTS,
    progress: Progress,
) -> Report:
    """Measure a corpus.

    Args:
        corpus: As it was read; its ids are replaced before a memory sees them.
        pooled: Search each question among the turns of all dialogues, not of its own alone.
        over_rest: Write each turn with a call; else day files are laid into the home.
        home: An empty or new folder that is kept; else a temporary one.
        settings: Variables of every daemon that is started, such as ``{"MEMORYD_ENGINE__KIND": "exact"}``.
        progress: Told in words how far it is.

    Raises:
        StartFailed: The daemon does not come up, or does not finish indexing.
    """
    corpus = renumbered(corpus, seed=SEED)
    temporary = tempfile.TemporaryDirectory(prefix="memoryd-bench-") if home is None else nullcontext(str(home))
    with temporary as folder:
        return _measure(Path(folder), corpus, settings, pooled=pooled, over_rest=over_rest, progress=progress)


def _measure(
    home: Path, corpus: Corpus, settings: Mapping[str, str], *, pooled: bool, over_rest: bool, progress: Progress
) -> Report:
    started = time.perf_counter()
    filled = None if over_rest else fill_day_files(home, corpus, progress)
    written_s = time.perf_counter() - started
    started = time.perf_counter()
    with OwnDaemon(home, settings).start(START_S) as daemon:
        if filled is None:
            filled = fill_over_rest(daemon, corpus, progress)
            written_s, started = time.perf_counter() - started, time.perf_counter()
        daemon.wait_until_indexed(INDEX_S, progress=lambda left: progress(f"indexing: {left} left"))
        indexed_s = time.perf_counter() - started
        check_filled(daemon, filled)
        status = daemon.get("/v1/status")
    filling = Filling(
        "a REST call each" if over_rest else "day files, read at the start",
        written_s,
        indexed_s,
        status["episodic"]["chunks"],
        _bytes_below(home / "memory" / "journal"),
        _bytes_below(home / "state", without=("models", "log")),
    )
    examiner = Examiner(corpus, filled, pooled=pooled)
    runs = [examiner.ask_plainly()]
    ways = RUNS if status["episodic"]["model"] != "none" else WITHOUT_VECTORS
    for name, way in ways.items():
        with OwnDaemon(home, {**settings, **way}).start(START_S) as daemon:
            daemon.wait_until_indexed(INDEX_S)
            runs.append(examiner.ask(daemon, name, progress))
            if not way.get("MEMORYD_SEARCH__CONTEXT"):
                # What is shipped stands last; a router that sends questions elsewhere loses here what they need.
                runs.insert(-1, examiner.ask(daemon, AUTO, progress, store="auto"))
            if name == FUSED:
                runs.insert(-1, examiner.ask_min_max(daemon, MIN_MAX, progress))
    facts: dict[str, Any] = {
        "format": corpus.format,
        "dialogues": len(corpus.dialogues),
        "turns": sum(len(dialogue.turns) for dialogue in corpus.dialogues),
        "questions": len(corpus.questions),
        **{f"left out ({why})": count for why, count in corpus.left_out.items()},
        "searched among": "all turns" if pooled else "the dialogue's own turns",
        "written as": filling.way,
        "model": status["episodic"]["model"],
        "engine": status["episodic"]["engine"],
        "version": status["version"],
        "seed of ids and bootstrap": SEED,
    }
    return Report(f"Episodic recall, {corpus.format}", tables_of(runs, filling), facts)


def tables_of(runs: Sequence[Run], filling: Filling) -> list[Table]:
    """Return the tables of a measurement; the last run is the product as it is shipped."""
    shipped = runs[-1]
    tables = [_turn_table(runs)]
    if len(shipped.sessions):
        tables.append(_session_table(runs))
    tables += [_difference_table(runs), _kind_table(shipped), _speed_table(runs), _size_table(filling)]
    return tables


def _turn_table(runs: Sequence[Run]) -> Table:
    columns = [
        "arms",
        *(f"recall@{depth}" for depth in TURN_DEPTHS),
        "95 % of recall@10",
        "any@5",
        "any@10",
        "all@10",
        f"MRR@{max(TURN_DEPTHS)}",
    ]
    rows = [
        [
            run.name,
            *(mean(run.turns.recalls(depth)) for depth in TURN_DEPTHS),
            interval(run.turns.recalls(10), seed=SEED),
            mean(run.turns.any_found(5)),
            mean(run.turns.any_found(10)),
            mean(run.turns.all_found(10)),
            run.turns.mean_reciprocal_rank,
        ]
        for run in runs
    ]
    return Table(f"Turns, {len(runs[0].turns)} questions, macro over questions", columns, rows)


def _session_table(runs: Sequence[Run]) -> Table:
    columns = ["arms", *(f"any@{depth}" for depth in SESSION_DEPTHS), "95 % of any@5", "recall@5", "all@5", "MRR"]
    rows = [
        [
            run.name,
            *(mean(run.sessions.any_found(depth)) for depth in SESSION_DEPTHS),
            interval(run.sessions.any_found(5), seed=SEED),
            mean(run.sessions.recalls(5)),
            mean(run.sessions.all_found(5)),
            run.sessions.mean_reciprocal_rank,
        ]
        for run in runs
    ]
    title = (
        f"Sessions, {len(runs[0].sessions)} questions; a session ranks as its best turn of the first {max(TURN_DEPTHS)}"
    )
    return Table(title, columns, rows)


def _difference_table(runs: Sequence[Run]) -> Table:
    shipped, rows = runs[-1], []
    by_turns = len(shipped.turns) > 0
    for run in runs[:-1]:
        ours, theirs = (_judged(one, by_turns=by_turns) for one in (shipped, run))
        change, bounds = difference(ours, theirs, seed=SEED)
        rows.append([run.name, f"{change:+.3f}", bounds])
    level = "turn recall@10" if by_turns else "session any@5"
    return Table(f"As shipped minus each other, {level}, paired by question", ["minus", "mean", "95 %"], rows)


def _judged(run: Run, *, by_turns: bool) -> list[float]:
    return run.turns.recalls(10) if by_turns else run.sessions.any_found(5)


def _kind_table(shipped: Run) -> Table:
    tally, depth, what = (
        (shipped.turns, 10, "recall@10") if len(shipped.turns) else (shipped.sessions, 5, "session recall@5")
    )
    rows = [
        [kind, len(values), mean(values), interval(values, seed=SEED)]
        for kind, values in sorted(_by_kind(tally, tally.recalls(depth)).items())
    ]
    return Table(f"{shipped.name}, by kind of question", ["kind", "questions", what, "95 %"], rows)


def _by_kind(tally: Tally, values: Sequence[float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for kind, value in zip(tally.kinds, values, strict=True):
        found.setdefault(kind, []).append(value)
    return found


def _speed_table(runs: Sequence[Run]) -> Table:
    rows: list[list[Any]] = []
    for run in runs:
        if run.took_ms:
            later = run.took_ms[1:] or run.took_ms
            p95 = float(np.percentile(later, 95))
            rows.append([run.name, *(f"{ms:.1f}" for ms in (run.took_ms[0], statistics.median(later), p95))])
    columns = ["arms", "cold: the first question, ms", "warm: median, ms", "warm: 95th percentile, ms"]
    return Table("Milliseconds a question over REST, the question's vector included", columns, rows)


def _size_table(filling: Filling) -> Table:
    rows = [
        ["pieces (rows of an index collection)", str(filling.rows)],
        ["seconds to write", f"{filling.written_s:.1f}"],
        ["seconds to index, from the start to nothing pending", f"{filling.indexed_s:.1f}"],
        ["rows a second", f"{filling.rows / max(filling.indexed_s, 1e-9):.1f}"],
        ["bytes of the journal", str(filling.journal_bytes)],
        ["bytes of all that can be made again (index, manifest, cached vectors)", str(filling.index_bytes)],
        ["bytes a row of the latter", f"{filling.index_bytes / max(filling.rows, 1):.0f}"],
    ]
    return Table("Indexing and size", ["figure", "value"], rows)


def _bytes_below(folder: Path, *, without: Sequence[str] = ()) -> int:
    passed = [folder / name for name in without]
    files = (
        path for path in folder.rglob("*") if path.is_file() and not any(path.is_relative_to(one) for one in passed)
    )
    return sum(path.stat().st_size for path in files)
