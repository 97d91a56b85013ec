"""``bench speed``: how long does an answer take, and what does the index cost, at a size that is named?

A temporary home is filled with made-up entries and vectors. Then the daemon itself is asked over its socket, and in
turn with each question its engine is asked by this process alone: the two bare searches that an answer cannot do
without. No model runs in these, so the embedding of a question is not in their numbers; where a model is named, the
questions are asked once more of a daemon that embeds each with it.
"""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from episodic.engine.exact import ExactEngine
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import DENSE_PREFIX, LEXICAL_PLACES, DenseRow, Engine, Filter, LexicalRow
from episodic.journal.identity import written_id
from episodic.journal.text import day_heading, render_section
from episodic.store import EpisodicStore
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.footprint import children_of, disk_mib, resident_mib
from memoryd.bench.synthetic import MadeUpEmbedder, MadeUpTexts
from memoryd.bench.table import Table
from memoryd.paths import Paths, find_paths
from memoryd.service.install import identify_machine, settle_install
from memoryd.text.bm25 import document_weights, query_weights
from memoryd.text.terms import term_id, terms

FIRST = datetime(2020, 1, 1, 8, tzinfo=UTC)
LANGUAGES = ("en", "de")
POOL = 100
"""How many pieces an arm is asked for, as an answer of ten hits asks."""
WARM_UP = 5
SETTLE_S = 4.0
"""The watcher reads a day file again a little after it was written; questions are asked when that is over."""
_BATCH = 500

Progress = Callable[[str], None]


@dataclass(slots=True)
class Timing:
    """Milliseconds of one thing, done again and again."""

    took_ms: list[float] = field(default_factory=list)

    def run(self, action: Callable[[], Any]) -> Any:
        """Do it once and take the time."""
        started = time.perf_counter()
        result = action()
        self.took_ms.append((time.perf_counter() - started) * 1000)
        return result

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.took_ms)

    def row(self, what: str) -> list[Any]:
        """Return the table's row."""
        high = float(np.percentile(self.took_ms, 95))
        return [what, round(self.median, 2), round(high, 2), "ms"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question as each side asks it."""

    text: str
    weights: Mapping[int, float]
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled home: its rows, its questions, and how fast it was filled."""

    lexical: Sequence[LexicalRow]
    vectors: npt.NDArray[np.float32]
    questions: Sequence[Question]
    lexical_rate: float
    vector_rate: float


def run_speed(
    *, chunks: int, dimension: int, questions: int, fresh: int, seed: int, model: str | None, progress: Progress
) -> Table:
    """Fill a temporary home, measure, return the table.

    Args:
        chunks: How many entries, of one piece each.
        dimension: Length of the vectors.
        questions: How many different questions are asked.
        fresh: How many entries are written over REST before the questions are asked once more; they have no vector.
        seed: Of texts, vectors and questions.
        model: The model that embeds the questions once more; None leaves that out.
        progress: Told in words how far it is.

    Raises:
        StartFailed: The daemon does not come up.
        EngineError: The engine does not work here.
    """
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        home = Path(folder)
        paths = find_paths({**os.environ, "MEMORYD_HOME": str(home)})
        paths.make()
        embedder = MadeUpEmbedder(dimension)
        filled = fill_home(paths, embedder, chunks, questions, seed, progress)
        rows: list[list[Any]] = [
            ["rows of words written", round(filled.lexical_rate), "", "rows/s"],
            ["vectors written", round(filled.vector_rate), "", "rows/s"],
        ]
        started = time.perf_counter()
        program = ("memoryd.bench.made_up", str(dimension))
        with OwnDaemon(home, {"MEMORYD_EMBEDDING__MODEL": "none"}, program=program) as daemon:
            opened_s = time.perf_counter() - started
            daemon.wait_until_indexed(600)
            rows += _ask(daemon, paths, filled, fresh, progress)
            rows.append(["start until it answers", round(opened_s, 2), "", "s"])
            rows += _cost(daemon, paths)
        if model is not None:
            with OwnDaemon(home, {"MEMORYD_EMBEDDING__MODEL": "none"}, program=(*program, model)) as daemon:
                daemon.wait_until_indexed(600)
                progress(f"asking with {model}")
                rows.append(_recalls(daemon, filled, {}).row("recall over REST, with the embedding"))
                rows.append(["memory of the daemon, model loaded", round(resident_mib(daemon.pid)), "", "MiB"])
        rows += _floor(home / "floor.db", filled, progress)
    facts = {
        "chunks": chunks,
        "dimension": dimension,
        "questions": questions,
        "fresh": fresh,
        "model": model or "none",
        "words a chunk": "40 to 159, Zipf",
        "hits of each arm": POOL,
        "seed": seed,
    }
    return Table(f"Speed at {chunks:,} chunks, the embedding apart", ["what", "p50", "p95", "unit"], rows, facts)


def fill_home(
    paths: Paths, embedder: MadeUpEmbedder, chunks: int, questions: int, seed: int, progress: Progress
) -> Filled:
    """Fill a home with made-up entries and vectors, and make questions."""
    progress("making texts")
    texts = MadeUpTexts(seed)
    entries = texts.entries(chunks, first=FIRST)
    for day, group in itertools.groupby(entries, key=lambda entry: entry.at.date()):
        sections = [
            render_section(written_id(e.at, session=e.session, turn=e.turn, key=None, entropy=bytes), e, key=None)
            for e in group
        ]
        (paths.memory / "journal").mkdir(exist_ok=True)
        file = paths.memory / "journal" / f"{day.isoformat()}.md"
        file.write_text(day_heading(day) + "\n" + "\n".join(sections), "utf-8")
    store = _store(paths)
    store.open()
    progress("filling the index")
    started = time.perf_counter()
    store.reconcile()
    lexical_rate = chunks / (time.perf_counter() - started)
    started, done = time.perf_counter(), 0
    while wanted := store.wanting_vectors(embedder.fingerprint, _BATCH):
        vectors = embedder.embed_passages([text for _, text in wanted])
        named = dict(zip((id_ for id_, _ in wanted), vectors, strict=True))
        store.add_vectors(embedder.fingerprint, embedder.dimension, named)
        done += len(wanted)
        progress(f"filling the index: {done:,} of {chunks:,} vectors")
    vector_rate = chunks / (time.perf_counter() - started)
    store.close()
    progress("weighing the words for the floor")
    weights = [document_weights(terms(entry.text, LANGUAGES)) for entry in entries]
    frequencies = Counter(term for one in weights for term in one)
    asked = [_question(text, embedder, frequencies, chunks) for text in texts.questions(questions)]
    lexical = [
        LexicalRow(id=f"{number:032x}", at_ms=round(entry.at.timestamp() * 1000), weights=one)
        for number, (entry, one) in enumerate(zip(entries, weights, strict=True))
    ]
    return Filled(lexical, embedder.embed_passages([e.text for e in entries]), asked, lexical_rate, vector_rate)


def _store(paths: Paths) -> EpisodicStore:
    install = settle_install(paths.install_file, home=paths.memory, machine=identify_machine(), entropy=bytes)
    return EpisodicStore(
        memory=paths.memory,
        state=paths.state,
        install=install.id,
        engine_factory=lambda: MilvusEngine.local(paths.state / "episodic.db", runtime=paths.runtime),
        clock=lambda: datetime.now(UTC),
        zone=UTC,
        entropy=bytes,
        languages=LANGUAGES,
    )


def _question(text: str, embedder: MadeUpEmbedder, frequencies: Mapping[int, int], chunks: int) -> Question:
    words = terms(text, LANGUAGES)
    known = {term_id(word): frequencies.get(term_id(word), 0) for word in words}
    return Question(text, query_weights(words, known, chunks), embedder.embed_query(text))


def _ask(daemon: OwnDaemon, paths: Paths, filled: Filled, fresh: int, progress: Progress) -> list[list[Any]]:
    engine = MilvusEngine.remote(f"unix:{next((paths.runtime / 'engine').glob('*.sock'))}")
    try:
        rows, ratio = _rounds(daemon, engine, filled, "", progress)
        rows.append(["recall over the two bare searches", round(ratio, 2), "", "ratio"])
        day = {"since": (FIRST + timedelta(days=1)).date().isoformat()}
        day["until"] = day["since"]
        rows += [_recalls(daemon, filled, day).row("recall, one day")]
        writing = Timing()
        for number in range(fresh):
            body = {"text": f"fresh entry {number} {filled.questions[number % len(filled.questions)].text}"}
            writing.run(lambda body=body: daemon.post("/v1/episodes", body))  # type: ignore[misc] # bound early
            if number % 100 == 0:
                progress(f"writing: {number} of {fresh}")
        if fresh:
            progress("letting the watcher see the day file")
            time.sleep(SETTLE_S)
            daemon.wait_until_indexed(600)
            again, ratio = _rounds(daemon, engine, filled, f", {fresh:,} fresh rows", progress)
            rows += [writing.row("append"), *again]
            rows.append([f"recall over the two bare searches, {fresh:,} fresh rows", round(ratio, 2), "", "ratio"])
    finally:
        engine.close()
    return rows


def _rounds(
    daemon: OwnDaemon, engine: MilvusEngine, filled: Filled, after: str, progress: Progress
) -> tuple[list[list[Any]], float]:
    """Ask each question of the daemon and of the bare engine in turn, so that both see the same machine."""
    recall, words, meaning = Timing(), Timing(), Timing()
    place = next(name for name in engine.collections() if name in LEXICAL_PLACES)
    space = next(name for name in engine.collections() if name.startswith(DENSE_PREFIX)).removeprefix(DENSE_PREFIX)
    for number, one in enumerate([*filled.questions[:WARM_UP], *filled.questions]):
        if number == WARM_UP:
            recall, words, meaning = Timing(), Timing(), Timing()
        recall.run(lambda one=one: _recall(daemon, one, {}))  # type: ignore[misc] # bound early
        words.run(lambda one=one: engine.search_lexical(one.weights, Filter(), POOL, place))  # type: ignore[misc] # bound early
        meaning.run(lambda one=one: engine.search_dense(space, one.vector, Filter(), POOL))  # type: ignore[misc] # bound early
        if number % 50 == 0:
            progress(f"asking{after}: {number} questions")
    both = Timing([a + b for a, b in zip(words.took_ms, meaning.took_ms, strict=True)])
    rows = [
        recall.row(f"recall over REST{after}"),
        words.row(f"bare engine, words{after}"),
        meaning.row(f"bare engine, vectors{after}"),
        both.row(f"bare engine, both{after}"),
    ]
    return rows, recall.median / both.median


def _recalls(daemon: OwnDaemon, filled: Filled, window: Mapping[str, str]) -> Timing:
    timing = Timing()
    for one in filled.questions[:WARM_UP]:
        _recall(daemon, one, window)
    for one in filled.questions[WARM_UP:]:
        timing.run(lambda one=one: _recall(daemon, one, window))  # type: ignore[misc] # bound early
    return timing


def _recall(daemon: OwnDaemon, question: Question, window: Mapping[str, str]) -> Any:
    return daemon.post("/v1/recall", {"query": question.text, "store": "episodic", **window})


def _cost(daemon: OwnDaemon, paths: Paths) -> list[list[Any]]:
    engines = sum(resident_mib(child) for child in children_of(daemon.pid))
    return [
        ["memory of the daemon", round(resident_mib(daemon.pid)), "", "MiB"],
        ["memory of the engine", round(engines), "", "MiB"],
        ["engine on disk", round(disk_mib(paths.state / "episodic.db"), 1), "", "MiB"],
        ["manifest on disk", round(disk_mib(paths.state / "manifest.sqlite"), 1), "", "MiB"],
        ["journal on disk", round(disk_mib(paths.memory / "journal"), 1), "", "MiB"],
    ]


def _floor(file: Path, filled: Filled, progress: Progress) -> list[list[Any]]:
    """Time what needs no engine: one matrix product, and the exact engine over SQLite."""
    progress("filling the floor")
    product = Timing()
    for one in filled.questions:
        product.run(lambda one=one: _nearest(filled.vectors, one.vector))  # type: ignore[misc] # bound early
    engine: Engine = ExactEngine(file)
    for batch in _parts(filled.lexical):
        engine.put_lexical(batch)
    space, dimension = "floor", filled.vectors.shape[1]
    for start in range(0, len(filled.vectors), _BATCH):
        rows = [
            DenseRow(id=row.id, at_ms=row.at_ms, vector=vector)
            for row, vector in zip(
                filled.lexical[start : start + _BATCH], filled.vectors[start : start + _BATCH], strict=True
            )
        ]
        engine.put_dense(space, dimension, rows)
    words, meaning = Timing(), Timing()
    for one in filled.questions:
        words.run(lambda one=one: engine.search_lexical(one.weights, Filter(), POOL))  # type: ignore[misc] # bound early
        meaning.run(lambda one=one: engine.search_dense(space, one.vector, Filter(), POOL))  # type: ignore[misc] # bound early
    engine.close()
    return [
        product.row("numpy, vectors"),
        words.row("exact engine, words (BM25 over SQLite)"),
        meaning.row("exact engine, vectors"),
    ]


def _parts(rows: Sequence[LexicalRow]) -> list[Sequence[LexicalRow]]:
    return [rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)]


def _nearest(vectors: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    scores = vectors @ vector
    best = np.argpartition(-scores, POOL)[:POOL] if len(scores) > POOL else np.arange(len(scores))
    return best[np.argsort(-scores[best])]
