"""``bench peers``: the same questions put to us and to other memories, over the same texts, in one run."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memoryd.bench.corpus import SEED, Corpus, renumbered, sampled
from memoryd.bench.daemon import OwnDaemon
from memoryd.bench.fill import Filled, Progress, check_filled, fill_day_files
from memoryd.bench.footprint import children_of, disk_mib, resident_mib
from memoryd.bench.machine import machine_facts
from memoryd.bench.peers.drivers import KINDS, Kind, environment_of, version_of
from memoryd.bench.peers.errors import PeerUnavailable
from memoryd.bench.peers.weights import MINILM, Weights, minilm
from memoryd.bench.table import Report, Table
from memoryd.bench.tally import Tally, difference, interval, mean
from memoryd.embedding import catalog

DEPTHS = (5, 10)
LIMIT = 10
INDEX_S = 3600.0
START_S = 120.0
_FIRST_LINE = 160
OWN_MODEL = "e5-small"
OURS: Mapping[str, Mapping[str, str]] = {
    f"memoryd, as shipped, {OWN_MODEL}": {"MEMORYD_EMBEDDING__MODEL": OWN_MODEL},
    "memoryd, BM25 alone": {"MEMORYD_EMBEDDING__MODEL": "none"},
}
Ask = Callable[[str, str, int], Sequence[str]]
"""Asked with a scope, a question and a limit; answers with names, best first."""
WE_DIFFER = "over REST; returns entries as stored"


@dataclass(slots=True)
class Figures:
    """What one memory found, and what it cost. ``took_ms`` has a value a question, the first after its start."""

    name: str
    differs: str
    tally: Tally = field(default_factory=lambda: Tally(DEPTHS))
    took_ms: list[float] = field(default_factory=list)
    index_s: float = 0.0
    rows: int | None = None
    memory_mib: float = 0.0
    disk_mib: float = 0.0
    returned: list[int] = field(default_factory=list)


def drawn(corpus: Corpus, dialogues: int, questions: int | None) -> Corpus:
    """Return a part of a corpus: so many dialogues, and of their questions so many, drawn with the fixed seed."""
    chosen = list(corpus.dialogues)
    if dialogues < len(chosen):
        chosen = random.Random(SEED).sample(chosen, dialogues)  # noqa: S311 - no secret
    names = {dialogue.id for dialogue in chosen}
    asked = tuple(question for question in corpus.questions if question.dialogue in names)
    return sampled(replace(corpus, dialogues=tuple(chosen), questions=asked), questions, seed=SEED)


def run_peers(
    corpus: Corpus,
    *,
    weights: Path | None,
    environments: Path | None,
    only: Sequence[str] = (),
    kinds: Sequence[Kind] = KINDS,
    ours: Mapping[str, Mapping[str, str]] = OURS,
    progress: Progress,
) -> Report:
    """Measure all memories on a corpus, one after the other.

    Args:
        corpus: As it was read; its ids are replaced before anybody sees them.
        weights: A folder with the peers' small model as ONNX; without it those that need it are named as not run.
        environments: A folder with an environment a peer, kept; what is not there is installed. Else a temporary one.
        only: Names of peers; all where it is empty.
        kinds: The peers.
        ours: Ways of running ourselves, and the settings that make them.
        progress: Told in words how far it is.

    Raises:
        StartFailed: Our own daemon does not come up.
    """
    corpus = renumbered(corpus, seed=SEED)
    wanted = [kind for kind in kinds if not only or kind.name in only or kind.package in only]
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as folder:
        work = Path(folder)
        home = nullcontext(str(environments)) if environments else nullcontext(str(work / "environments"))
        with home as where:
            figures = [_ask_ourselves(corpus, work / f"own{n}", *way, progress) for n, way in enumerate(ours.items())]
            missing: list[list[Any]] = []
            for kind in wanted:
                for name, given in _weights_for(kind, weights, work / "models"):
                    label = f"{kind.name}, {name}"
                    progress(f"{label}: preparing")
                    try:
                        place = work / f"peer{len(figures)}-{len(missing)}"
                        figures.append(_ask_peer(kind, label, corpus, given(), place, Path(where), progress))
                    except PeerUnavailable as error:
                        missing.append([label, " ".join(str(error).split())[:_FIRST_LINE]])
    return report_of(corpus, figures, missing)


def _weights_for(kind: Kind, folder: Path | None, models: Path) -> list[tuple[str, Callable[[], Weights]]]:
    found: list[tuple[str, Callable[[], Weights]]] = [(MINILM, lambda: minilm(folder))]
    if kind.takes_any_weights:
        found.append((f"vectors of {OWN_MODEL}", lambda: own_weights(models)))
    return found


def own_weights(models: Path) -> Weights:
    """Return our own default model as files, so that what takes them has the very vectors that we have."""
    manifest = catalog.find(OWN_MODEL)
    assert manifest is not None
    files = catalog.locate(manifest, models)
    return Weights(OWN_MODEL, files.graph.parent, manifest.query_prefix, manifest.passage_prefix, manifest.max_tokens)


def lay_files(corpus: Corpus, folder: Path) -> None:
    """Write each turn as a file of its own, in a folder a dialogue."""
    for dialogue in corpus.dialogues:
        (folder / dialogue.id).mkdir(parents=True)
        for turn in dialogue.turns:
            (folder / dialogue.id / f"{turn.id}.md").write_text(f"{turn.text}\n", "utf-8")


def _ask_peer(
    kind: Kind, label: str, corpus: Corpus, weights: Weights, work: Path, environments: Path, progress: Progress
) -> Figures:
    (work / "store").mkdir(parents=True)
    environment = environment_of(kind, environments, work / "home")
    figures = Figures(f"{label} ({version_of(kind, environment)})", kind.differs)
    texts = work / "texts"
    lay_files(corpus, texts)
    peer = kind.open(environment, work / "store", weights)
    try:
        progress(f"{label}: indexing")
        started = time.perf_counter()
        figures.rows = peer.index(texts)
        figures.index_s = time.perf_counter() - started
        _question(peer.ask, figures, corpus, label, progress)
        figures.memory_mib, figures.disk_mib = peer.cost()
    finally:
        peer.close()
    return figures


def _question(ask: Ask, figures: Figures, corpus: Corpus, label: str, progress: Progress) -> None:
    for number, question in enumerate(corpus.questions, start=1):
        started = time.perf_counter()
        found = list(dict.fromkeys(ask(question.dialogue, question.text, LIMIT)))
        figures.took_ms.append((time.perf_counter() - started) * 1000)
        figures.returned.append(len(found))
        figures.tally.add(question.turns, found, kind=question.kind)
        if number % 10 == 0:
            progress(f"{label}: {number} of {len(corpus.questions)} questions")


def _ask_ourselves(corpus: Corpus, home: Path, name: str, settings: Mapping[str, str], progress: Progress) -> Figures:
    figures = Figures(name, WE_DIFFER, rows=sum(len(dialogue.turns) for dialogue in corpus.dialogues))
    filled = fill_day_files(home, corpus, progress)
    started = time.perf_counter()
    with OwnDaemon(home, settings).start(START_S) as daemon:
        daemon.wait_until_indexed(INDEX_S, progress=lambda left: progress(f"{name}: {left} left to index"))
        figures.index_s = time.perf_counter() - started
        check_filled(daemon, filled)
    with OwnDaemon(home, settings).start(START_S) as daemon:
        daemon.wait_until_indexed(INDEX_S)
        _question(_own_ask(daemon, filled), figures, corpus, name, progress)
        figures.memory_mib = sum(resident_mib(pid) for pid in (daemon.pid, *children_of(daemon.pid)))
    figures.disk_mib = sum(disk_mib(path) for path in (home / "state").iterdir() if path.name not in {"models", "log"})
    return figures


def _own_ask(daemon: OwnDaemon, filled: Filled) -> Ask:
    turn_of = {episode: turn for turn, episode in filled.episodes.items()}

    def ask(scope: str, question: str, limit: int) -> Sequence[str]:
        body = {
            "query": question,
            "store": "episodic",
            "limit": limit,
            "kinds": ["episode"],
            "project": filled.projects[scope],
        }
        return [turn_of.get(hit.get("episode", ""), "") for hit in daemon.post("/v1/recall", body)["hits"]]

    return ask


def report_of(corpus: Corpus, figures: Sequence[Figures], missing: Sequence[Sequence[Any]]) -> Report:
    """Return the tables: what was found, what it cost, who could not run and what each returns."""
    turns = sum(len(dialogue.turns) for dialogue in corpus.dialogues)
    found = [
        [
            one.name,
            *(mean(one.tally.recalls(depth)) for depth in DEPTHS),
            interval(one.tally.recalls(10), seed=SEED),
            _beside(figures[0], one),
            one.tally.mean_reciprocal_rank,
            f"{statistics.fmean(one.returned or [0]):.1f}",
        ]
        for one in figures
    ]
    cost = [
        [
            one.name,
            f"{one.took_ms[0] if one.took_ms else 0:.0f}",
            f"{statistics.median(one.took_ms[1:] or [0]):.1f}",
            f"{turns / max(one.index_s, 1e-9):.1f}",
            "not told" if one.rows is None else str(one.rows),
            f"{one.memory_mib:.0f}",
            f"{one.disk_mib:.1f}",
        ]
        for one in figures
    ]
    columns = [
        "memory",
        *(f"recall@{depth}" for depth in DEPTHS),
        "95 % of recall@10",
        "we minus it",
        "MRR@10",
        "returned",
    ]
    tables = [
        Table(f"Found, {len(corpus.questions)} questions, macro over questions", columns, found),
        Table(
            "Cost",
            [
                "memory",
                "first question, ms",
                "later, median ms",
                "texts a second indexed",
                "rows",
                "memory, MiB",
                "disk, MiB",
            ],
            cost,
        ),
        Table("What each returns", ["memory", "how it was asked"], [[one.name, one.differs] for one in figures]),
    ]
    if missing:
        tables.append(Table("Not run", ["memory", "why"], missing))
    facts: dict[str, Any] = {
        "format": corpus.format,
        "dialogues": len(corpus.dialogues),
        "texts": turns,
        "each text": "one file, or one entry",
        "questions": len(corpus.questions),
        "seed of the draw, the ids and the bootstrap": SEED,
        **machine_facts(),
    }
    return Report(f"Beside other memories, {corpus.format}", tables, facts)


def _beside(ours: Figures, other: Figures) -> str:
    if other is ours:
        return ""
    change, bounds = difference(ours.tally.recalls(10), other.tally.recalls(10), seed=SEED)
    return f"{change:+.3f} ({bounds})"
