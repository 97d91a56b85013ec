"""The composition root: settings become objects here, and nowhere else.

``compose`` builds the daemon around its stores; :mod:`memoryd.server` runs it until a signal.
"""

from __future__ import annotations

import secrets
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from functools import partial
from importlib.metadata import version as installed_version
from itertools import chain
from pathlib import Path

import structlog

from episodic.store import EpisodicStore
from memoryd.api.services import Readiness, Services
from memoryd.capture.payload import Payload
from memoryd.capture.service import Capture
from memoryd.clock import Clock
from memoryd.embedding.cache import VectorCache
from memoryd.embedding.hub import Hub
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.jobs.backup import Plan, add_backups, schedule_backups
from memoryd.jobs.graph import offer_graph
from memoryd.jobs.importing import import_job
from memoryd.jobs.index import index_job
from memoryd.jobs.later import Later
from memoryd.jobs.models import models_job
from memoryd.jobs.registry import Job, Jobs
from memoryd.jobs.scan import Scan
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.share import Sharing, after_write, sharing_jobs
from memoryd.jobs.switch import ModelSwitch
from memoryd.jobs.sync import Sync, sync_job
from memoryd.jobs.watch import Watcher
from memoryd.parts import (
    choose_model,
    choose_remote,
    contract_of,
    daily_notes,
    open_engine,
    project_ids,
    shelf_of,
    summarizer,
    vaults_of,
)
from memoryd.paths import Paths
from memoryd.render.seen import Seen
from memoryd.router.likeness import Likeness
from memoryd.router.names import Names
from memoryd.router.recall import Recall
from memoryd.settings import Settings
from memoryd.text.embedder import Embedder
from memoryd.text.report import Problem
from memoryd.text.secrets import find_secrets
from semantic.errors import SemanticError
from semantic.store import SemanticStore

log = structlog.get_logger("memoryd.app")

VERSION = installed_version("memoryd")
RESCAN_MINUTES = 15
"""How often every file is looked at, for what no event told of."""
NAMED_PROBLEMS = 3
"""How many files with problems an answer names; all are listed by ``GET /v1/problems``."""
READS_S = 2.0
"""How long the reads of agents are gathered before they are written; the rest is written at the end."""
STOP_S = 30.0
"""How long a scan or another job that is under way is waited for at the end."""
COLD_MODEL_S = 5.0
"""How long a question waits for a model that is being loaded."""


@dataclass(slots=True)
class Daemon:
    """The parts of a running daemon, and the order in which they come up and go down."""

    services: Services
    models: ModelSwitch
    cache: VectorCache
    scan: Scan
    watcher: Watcher
    schedule: Schedule
    jobs: Jobs
    capture: Capture
    notices: list[str] = field(default_factory=list)
    """What befell the daemon as a process, in words; named in every ``degraded``."""
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
        self.jobs.start_unless_running("scan")
        self.watcher.start()
        self.models.open()
        self.capture.start()
        for name in ("scan", "share"):
            self.schedule.every(RESCAN_MINUTES, name, partial(self.jobs.start_unless_running, name))
        self.schedule.start()

    def cancel(self) -> None:
        """Tell the background work to end, and wait for none of it: calls under way are still being answered."""
        self._is_closing = True
        self.jobs.cancel()
        self.scan.stop()
        self.watcher.ask_to_stop()

    def close(self) -> None:
        """End the background work and close the stores. What was acknowledged is on disk already."""
        self.cancel()
        self.schedule.stop()
        self.capture.close()
        self.watcher.stop()
        self.models.close()
        self.jobs.stop(STOP_S)
        self.services.episodic.close()
        self.services.semantic.close()
        self.services.seen.close()
        self.cache.close()


def compose(paths: Paths, settings: Settings, *, install: str, clock: Clock, zone: tzinfo) -> Daemon:
    """Build the daemon; nothing is opened yet."""
    readiness = Readiness()
    semantic = SemanticStore(
        memory=paths.memory,
        install=install,
        clock=clock,
        entropy=secrets.token_bytes,
        zone=zone,
        vaults=vaults_of(settings, paths),
        contract=contract_of(settings),
        languages=settings.search.languages,
        no_projects=[Path.home()],
        cache=paths.state / "notes.sqlite",
        write_to=settings.vault.write_to,
        ends=paths.state / "log" / "ends",
    )
    episodic = EpisodicStore(
        memory=paths.memory,
        state=paths.state,
        install=install,
        engine_factory=partial(open_engine, settings, paths, install),
        clock=clock,
        zone=zone,
        entropy=secrets.token_bytes,
        languages=settings.search.languages,
        sources=partial(daily_notes, semantic),
        rrf_k=settings.search.rrf_k,
        lends_context=settings.search.context,
        project_ids=partial(project_ids, semantic),
    )
    cache = VectorCache(paths.state / "vectors.sqlite")
    shelf = shelf_of(settings, paths)
    schedule = Schedule()
    jobs = Jobs(clock=clock, next_run=schedule.next_run)
    models = ModelSwitch(
        shelf,
        (episodic, semantic),
        cache,
        wanted=settings.embedding.model,
        memo=paths.state / "model.json",
        choose=partial(choose_model, paths),
        is_settled=lambda: not jobs.is_running("scan") and semantic.pending() == 0,
    )
    jobs.register(models_job(models, shelf, Hub(settings.embedding.hub)))
    graph_changed = offer_graph(
        semantic,
        jobs,
        install=install,
        with_code=[id_ for id_, one in settings.projects.items() if one.code],
        memo=paths.state / "said.sqlite",
        now=time.monotonic,
    )

    def looked_at() -> None:
        models.wake()
        graph_changed()

    scan = Scan({"episodic": episodic, "semantic": semantic}, after=looked_at)
    watcher = Watcher(lambda: [*episodic.watched(), *semantic.watched()], scan.follow, on_gap=scan.catch_up)
    jobs.register(Job(name="scan", summary="Look at every file.", run=lambda _, run: scan.run(run.check)))

    def rebuilt() -> None:
        jobs.start_unless_running("scan")
        models.wake()

    jobs.register(
        index_job(
            {"episodic": episodic, "semantic": semantic},
            after=rebuilt,
            is_scanned=lambda: not jobs.is_running("scan"),
        )
    )
    capture = Capture(
        episodic,
        memory=paths.memory,
        state=paths.state,
        clock=clock,
        zone=zone,
        project_of=partial(_project_of, semantic),
        vaults=vaults_of(settings, paths),
        is_scanned=lambda: not jobs.is_running("scan"),
        on_touched=lambda path: scan.follow({path}),
        on_stored=models.wake,
        keeps_excerpts=settings.capture.excerpts,
        summarize=summarizer(settings, paths),
    )
    jobs.register(import_job(capture.recorder, clock=clock, is_scanned=lambda: not jobs.is_running("scan")))
    sync = Sync(paths.memory, paths.state / "sync", semantic, episodic)
    jobs.register(sync_job(sync, remote=settings.sync.remote, choose=partial(choose_remote, paths)))
    chosen = settings.backup
    backups = Plan(chosen.folder, timedelta(hours=chosen.every_hours), chosen.keep)
    add_backups(jobs, paths.memory, backups, sync, clock=clock)
    schedule_backups(schedule, jobs, backups, clock=clock)
    sharing = Sharing(paths.memory, install, paths.config / "shared.json", semantic, models.wake)
    for job in sharing_jobs(sharing):
        jobs.register(job)
    wrote = after_write(models.wake, sharing, partial(jobs.start_unless_running, "share"))
    arms = settings.search.arms
    recall = Recall(
        episodic=episodic,
        semantic=semantic,
        clock=clock,
        names=_KnownNames(semantic),
        superseded=lambda as_of: semantic.projection(as_of).superseded_episodes,
        likeness=Likeness(paths.state / "router"),
    )

    def pending() -> int:
        waiting = models.pending() + capture.pending
        return episodic.counts().pending + semantic.pending() + waiting + (1 if jobs.is_running("scan") else 0)

    notices: list[str] = []

    def degraded() -> list[str]:
        reasons = [*notices, *([scan.reading] if scan.reading else []), *models.degraded()]
        reasons += [watcher.problem] if watcher.problem else []
        if capture.problem:
            reasons.append(f"turns are not written: {capture.problem}")
        reasons += [f"the {store} memory could not be scanned: {reason}" for store, reason in scan.failures.items()]
        reasons += _summary(scan.problems)
        reasons += [f"{problem.path}: {problem.reason}" for problem in sharing.problems]
        reasons += [services.seen.problem] if services.seen.problem else []
        return [*reasons, *episodic.degraded(), *semantic.problems()]

    def query_embedder() -> tuple[Embedder | None, tuple[str, ...]]:
        embedder = models.serving
        if embedder is None or "dense" not in arms:
            return None, ()
        if embedder.wait(COLD_MODEL_S):
            return embedder, ()
        return None, ("the embedding model is not loaded yet: searched by words alone",)

    services = Services(
        version=VERSION,
        clock=clock,
        zone=zone,
        readiness=readiness,
        episodic=episodic,
        semantic=semantic,
        recall=recall,
        model=lambda: models.serving_name,
        models=models.models,
        pending=pending,
        degraded=degraded,
        problems=lambda: scan.problems,
        query_embedder=query_embedder,
        stored=wrote,
        attended=Later(semantic.flush_attention, delay_s=READS_S).ask,
        jobs=jobs,
        capture=capture.submit if settings.capture.enabled else _not_captured,
        captured=capture.counts,
        seen=Seen(paths.state / "shown.sqlite", clock),
        warm_embedder=lambda: _warm(models.serving) if "dense" in arms else None,
        project_tags={name: one.tags for name, one in settings.projects.items()},
        holds_stops=settings.capture.decision_gate,
        lexical="lexical" in arms,
    )
    return Daemon(services, models, cache, scan, watcher, schedule, jobs, capture, notices)


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


def _project_of(semantic: SemanticStore, cwd: str | None) -> str | None:
    """Return the project of an agent's working folder; one that is new is recorded."""
    if cwd is None or find_secrets(cwd):
        return None  # the log would keep the path
    try:
        place = semantic.project_for(Path(cwd), mint=True, actor="agent")
    except SemanticError as error:
        # The turn is worth more than its project: a path of another system is no folder here.
        log.warning("no_project", reason=type(error).__name__)
        return None
    return place.id if place is not None else None


def _warm(embedder: LazyEmbedder | None) -> Embedder | None:
    """Return the model if it is in memory; else it is set to load, and the next prompt finds it there."""
    return embedder if embedder is not None and embedder.wait(0) else None


def _not_captured(_payload: Payload) -> Future[None]:
    """Take in nothing: the settings say so."""
    done: Future[None] = Future()
    done.set_result(None)
    return done
