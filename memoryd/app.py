"""The composition root: settings become objects here, and nowhere else.

``compose`` builds the daemon around its stores; :mod:`memoryd.server` runs it until a signal.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from importlib.metadata import version as installed_version
from itertools import chain
from pathlib import Path

import structlog

from episodic.engine.exact import ExactEngine
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import Engine
from episodic.errors import EngineUnavailable
from episodic.store import DailyNotes, EpisodicStore
from memoryd.api.services import Readiness, Services
from memoryd.clock import Clock
from memoryd.embedding.cache import VectorCache
from memoryd.embedding.catalog import NONE, open_lazily
from memoryd.embedding.errors import EmbeddingError
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.jobs.embed import EmbedQueue
from memoryd.jobs.scan import Scan
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.watch import Watcher
from memoryd.paths import Paths
from memoryd.router.names import Names
from memoryd.router.recall import Recall
from memoryd.settings import BUILT_IN_VAULT, Settings
from memoryd.text.embedder import Embedder
from memoryd.text.report import Problem
from semantic.store import SemanticStore
from semantic.vault.contract import Contract

log = structlog.get_logger("memoryd.app")

VERSION = installed_version("memoryd")
RESCAN_MINUTES = 15
"""How often every file is looked at, for what no event told of."""
NAMED_PROBLEMS = 3
"""How many files with problems an answer names; all are listed by ``GET /v1/problems``."""
COLD_MODEL_S = 5.0
"""How long a question waits for a model that is being loaded."""


@dataclass(slots=True)
class Daemon:
    """The parts of a running daemon, and the order in which they come up and go down."""

    services: Services
    embedder: LazyEmbedder | None
    queue: EmbedQueue | None
    cache: VectorCache | None
    scan: Scan
    watcher: Watcher
    schedule: Schedule
    _is_closing: bool = field(default=False, init=False)

    def open(self) -> None:
        """Open the stores and begin the background work; calls are let through as soon as the stores are open.

        A failure is kept in ``services.readiness``: the daemon answers every call with the reason.
        """
        services = self.services
        try:
            services.semantic.open()
            services.episodic.open()
            services.episodic.set_refused(services.semantic.forgotten())
        except Exception as error:
            log.exception("start_failed")
            services.readiness.set_failed(error)
            return
        services.readiness.set_ready()
        if self._is_closing:
            return
        self.scan.start()
        self.watcher.start()
        if self.queue is not None:
            self.queue.start()
        self.schedule.every(RESCAN_MINUTES, "scan", self.scan.run)
        self.schedule.start()

    def close(self) -> None:
        """End the background work and close the stores. What was acknowledged is on disk already."""
        self._is_closing = True
        self.schedule.stop()
        self.watcher.stop()
        if self.queue is not None:
            self.queue.stop()
        self.scan.stop()
        self.services.episodic.close()
        self.services.semantic.close()
        if self.embedder is not None:
            self.embedder.close()
        if self.cache is not None:
            self.cache.close()


def compose(paths: Paths, settings: Settings, *, install: str, clock: Clock, zone: tzinfo) -> Daemon:
    """Build the daemon; nothing is opened yet."""
    readiness = Readiness()
    embedder, model_problem = _embedder(settings, paths)
    semantic = SemanticStore(
        memory=paths.memory,
        install=install,
        clock=clock,
        entropy=secrets.token_bytes,
        zone=zone,
        vaults=_vaults(settings, paths),
        contract=_contract(settings),
        languages=settings.search.languages,
        no_projects=[Path.home()],
    )
    episodic = EpisodicStore(
        memory=paths.memory,
        state=paths.state,
        install=install,
        engine_factory=partial(_open_engine, settings, paths),
        clock=clock,
        zone=zone,
        entropy=secrets.token_bytes,
        languages=settings.search.languages,
        sources=[DailyNotes(one.vault, one.root, one.folder, one.day_of) for one in semantic.daily_notes()],
        rrf_k=settings.search.rrf_k,
    )
    cache = VectorCache(paths.state / "vectors.sqlite") if embedder is not None else None
    queue = EmbedQueue((episodic, semantic), embedder, cache) if embedder is not None and cache is not None else None
    scan = Scan({"episodic": episodic, "semantic": semantic}, after=queue.wake if queue is not None else None)
    watcher = Watcher(lambda: [*episodic.watched(), *semantic.watched()], scan.follow)
    arms = settings.search.arms
    recall = Recall(episodic=episodic, semantic=semantic, clock=clock, names=_KnownNames(semantic))

    def pending() -> int:
        waiting = queue.pending() if queue is not None else 0
        return episodic.counts().pending + semantic.pending() + waiting + (1 if scan.is_running else 0)

    def degraded() -> list[str]:
        reasons = [model_problem] if model_problem else []
        if settings.embedding.model == NONE:
            reasons.append("no embedding model is set: search by words alone")
        if embedder is not None and embedder.problem:
            reasons.append(f"the embedding model could not be loaded: {embedder.problem}")
        if queue is not None and queue.problem:
            reasons.append(f"embedding pauses: {queue.problem}")
        reasons += [f"the {store} memory could not be scanned: {reason}" for store, reason in scan.failures.items()]
        reasons += _summary(scan.problems)
        return [*reasons, *episodic.degraded(), *semantic.problems()]

    def query_embedder() -> tuple[Embedder | None, tuple[str, ...]]:
        if embedder is None or "dense" not in arms:
            return None, ()
        if embedder.wait(COLD_MODEL_S):
            return embedder, ()
        return None, ("the embedding model is not loaded yet: searched by words alone",)

    def stored() -> None:
        if queue is not None:
            queue.wake()

    services = Services(
        version=VERSION,
        clock=clock,
        zone=zone,
        readiness=readiness,
        episodic=episodic,
        semantic=semantic,
        recall=recall,
        model=lambda: settings.embedding.model if embedder is not None else NONE,
        pending=pending,
        degraded=degraded,
        problems=lambda: scan.problems,
        query_embedder=query_embedder,
        stored=stored,
        lexical="lexical" in arms,
    )
    return Daemon(services, embedder, queue, cache, scan, watcher, Schedule())


def _summary(problems: tuple[Problem, ...]) -> list[str]:
    """Name the first files that could not be read whole; a vault with a hundred of them must not drown an answer."""
    named = [f"{problem.path}: {problem.reason}" for problem in problems[:NAMED_PROBLEMS]]
    more = len(problems) - len(named)
    return [*named, f"{more} more files could not be read whole; `memoryd doctor` lists them"] if more > 0 else named


class _KnownNames:
    """The names of elements and notes, for the router; made anew when the log or the vaults changed."""

    def __init__(self, semantic: SemanticStore) -> None:
        self._semantic = semantic
        self._made: tuple[tuple[int, int], Names] | None = None

    def __call__(self) -> Names:
        version = (self._semantic.log_seq(), self._semantic.library_version())
        if self._made is None or self._made[0] != version:
            elements = (name for one in self._semantic.projection() for name in (one.name, *one.aliases))
            notes = (name for note in self._semantic.notes() for name in (note.title, *note.aliases))
            self._made = (version, Names.of(graph=chain(elements, notes)))
        return self._made[1]


def _embedder(settings: Settings, paths: Paths) -> tuple[LazyEmbedder | None, str | None]:
    """Return the embedder, or none and why: without a model the daemon serves words."""
    chosen = settings.embedding
    try:
        embedder = open_lazily(
            chosen.model, paths.models, folder=chosen.folder, threads=chosen.threads, idle_s=chosen.idle_unload_s
        )
    except EmbeddingError as error:
        return None, f"no embedding model: {error}"
    return embedder, None


def _open_engine(settings: Settings, paths: Paths) -> Engine:
    """Return the engine that is set; where Milvus Lite does not load, the exact one, which says so."""
    chosen = settings.engine
    if chosen.kind == "milvus":
        token = chosen.token.get_secret_value() if chosen.token else ""
        return MilvusEngine.remote(chosen.uri or "", token=token)
    exact = paths.state / "exact.db"
    if chosen.kind == "exact":
        return ExactEngine(exact)
    try:
        return MilvusEngine.local(paths.state / "episodic.db", runtime=paths.runtime)
    except EngineUnavailable as error:
        log.warning("engine_replaced", reason=str(error))
        engine = ExactEngine(exact)
        engine.notes.append(f"engine exact: {error}")
        return engine


def _vaults(settings: Settings, paths: Paths) -> dict[str, Path]:
    return {BUILT_IN_VAULT: paths.memory / "vault", **settings.vault.paths}


def _contract(settings: Settings) -> Contract:
    chosen = settings.contract
    facets = tuple(facet for facet in chosen.facets if facet != "scope")
    return Contract(facets=facets, required_keys=tuple(key for key in chosen.required if key != "tags"))
