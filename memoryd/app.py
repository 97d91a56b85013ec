"""The composition root: settings become objects here, and nowhere else.

``compose`` builds the daemon around its stores; :mod:`memoryd.server` runs it until a signal.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from functools import partial
from importlib.metadata import version as installed_version
from pathlib import Path

import structlog

from memoryd.api.changes import NoteVersions
from memoryd.api.mcp.mount import load_protocol
from memoryd.api.services import Readiness, Services
from memoryd.capture.payload import Payload
from memoryd.capture.service import Capture
from memoryd.clock import Clock
from memoryd.embedding.cache import VectorCache
from memoryd.embedding.hub import Hub
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.health import Health
from memoryd.jobs.backup import Plan, add_backups, schedule_backups
from memoryd.jobs.forgotten import Forgotten
from memoryd.jobs.graph import offer_graph, renew_when_old
from memoryd.jobs.importing.job import Importing, import_job
from memoryd.jobs.index import index_job
from memoryd.jobs.later import Later
from memoryd.jobs.memo import RunMemo
from memoryd.jobs.models import models_job
from memoryd.jobs.opening import open_both
from memoryd.jobs.recurrence import Recurrence
from memoryd.jobs.registry import Job, Jobs
from memoryd.jobs.scan import Scan
from memoryd.jobs.schedule import Schedule
from memoryd.jobs.share import Sharing, after_write, sharing_jobs
from memoryd.jobs.stale import Stamp
from memoryd.jobs.switch import ModelSwitch
from memoryd.jobs.sync import Sync, schedule_sync, sync_job
from memoryd.jobs.upkeep import look_after
from memoryd.jobs.warm import Warmth
from memoryd.jobs.watch import Watcher
from memoryd.jobs.witness import Witnesses
from memoryd.parts import (
    choose_model,
    choose_remote,
    episodic_store,
    semantic_store,
    shelf_of,
    summarizer,
    vaults_of,
)
from memoryd.paths import Paths
from memoryd.render.brief import cost_of
from memoryd.render.seen import Seen
from memoryd.router.likeness import Likeness
from memoryd.router.names import GraphNames
from memoryd.router.ready import load_words
from memoryd.router.recall import Recall
from memoryd.router.replaced import Replaced
from memoryd.service.logins import Logins
from memoryd.service.token import TokenFile
from memoryd.settings import Settings
from memoryd.text.embedder import Embedder
from memoryd.text.secrets import find_secrets
from semantic.confirmed import Confirmed
from semantic.errors import SemanticError
from semantic.store import SemanticStore

log = structlog.get_logger("memoryd.app")

VERSION = installed_version("memoryd")
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
    warmth: Warmth
    notices: list[str] = field(default_factory=list)
    """What befell the daemon as a process, in words; named in every ``degraded``."""
    while_opening: Callable[[], None] = lambda: None
    """What is done beside the opening of the stores, and not waited for."""
    _is_closing: bool = field(default=False, init=False)

    def open(self) -> None:
        """Open the stores and begin the background work; calls are let through as soon as the stores are open.

        A failure is kept in ``services.readiness``: the daemon answers every call with the reason.
        """
        services = self.services
        try:
            open_both(services.semantic.open, services.episodic.open, meanwhile=self.while_opening)
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
        self.warmth.start()
        self.schedule.start()

    def cancel(self) -> None:
        """Tell the background work to end, and wait for none of it: calls under way are still being answered."""
        self._is_closing = True
        self.warmth.stop()
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
    semantic = semantic_store(settings, paths, install, clock, zone)
    episodic = episodic_store(settings, paths, install, clock, zone, semantic)
    witnesses = Witnesses(episodic, lambda: query_embedder()[0], clock)
    semantic.planning.offer(Recurrence(episodic, zone).plans, witnesses.plans)
    cache = VectorCache(paths.state / "vectors.sqlite")
    shelf = shelf_of(settings, paths)
    schedule = Schedule()
    jobs = Jobs(clock=clock, next_run=schedule.next_run, memo=RunMemo(paths.state / "jobs.json"))
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
    graph_stamp = Stamp(paths.state / "graph.json", clock, settings.graph.days)
    graph_changed = offer_graph(
        semantic,
        jobs,
        install=install,
        with_code=[id_ for id_, one in settings.projects.items() if one.code],
        environ=os.environ,
        memo=paths.state / "said.sqlite",
        now=time.monotonic,
        stamp=graph_stamp,
    )

    def looked_at() -> None:
        forgotten.heed()
        models.wake()
        graph_changed()

    scan = Scan({"episodic": episodic, "semantic": semantic}, clock=lambda: clock().astimezone(zone), after=looked_at)
    forgotten = Forgotten(semantic.forgotten, episodic.get, episodic.set_refused, scan.catch_up)
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
    importing = Importing(
        capture.recorder,
        episodic,
        semantic,
        vaults=vaults_of(settings, paths),
        clock=clock,
        zone=zone,
        project_of=partial(_project_of, semantic),
        stored=models.wake,
    )
    jobs.register(import_job(importing, is_scanned=lambda: not jobs.is_running("scan")))
    sync = Sync(paths.memory, paths.state / "sync", semantic, episodic)
    jobs.register(sync_job(sync, remote=settings.sync.remote, choose=partial(choose_remote, paths)))
    schedule_sync(schedule, jobs, settings.sync.every_minutes)
    chosen = settings.backup
    backups = Plan(chosen.folder, timedelta(hours=chosen.every_hours), chosen.keep)
    add_backups(jobs, paths.memory, backups, sync, clock=clock)
    schedule_backups(schedule, jobs, backups, clock=clock)
    sharing = Sharing(paths.memory, install, paths.config / "shared.json", semantic, models.wake)
    for job in sharing_jobs(sharing):
        jobs.register(job)
    wrote = after_write(models.wake, sharing, partial(jobs.start_unless_running, "share"))
    look_after(
        schedule,
        jobs,
        settings.jobs,
        semantic=semantic,
        episodic=episodic,
        memory=paths.memory,
        backups=backups,
        cost=cost_of,
        clock=clock,
    )
    warmth = Warmth(paths.state / "agents", load_protocol)
    arms = settings.search.arms
    recall = Recall(
        episodic=episodic,
        semantic=semantic,
        clock=clock,
        names=GraphNames(semantic),
        superseded=lambda as_of: semantic.projection(as_of).superseded_episodes,
        replaced=Replaced(semantic.projection),
        likeness=Likeness(paths.state / "router"),
    )

    note_versions = NoteVersions(semantic)
    seen = Seen(paths.state / "shown.sqlite", clock, note_versions.of)
    health = Health(episodic, semantic, jobs, scan, watcher, models, capture, sharing, sync, seen)

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
        pending=health.pending,
        degraded=health.degraded,
        shortcomings=health.shortcomings,
        reading=lambda: scan.reading,
        problems=lambda: scan.problems,
        query_embedder=query_embedder,
        stored=wrote,
        attended=Later(semantic.flush_attention, delay_s=READS_S).ask,
        jobs=jobs,
        capture=capture.submit if settings.capture.enabled else _not_captured,
        captured=capture.counts,
        seen=seen,
        logins=Logins(clock, secrets.token_bytes, TokenFile(paths.token_file).stamp),
        warm_embedder=lambda: _warm(models.serving) if "dense" in arms else None,
        project_tags={name: one.tags for name, one in settings.projects.items()},
        holds_stops=settings.capture.decision_gate,
        met_agent=warmth.note,
        notes_by_id=note_versions.all,
        lexical="lexical" in arms,
        session_began=renew_when_old(semantic.graph, jobs, graph_stamp),
        unconfirmed=Confirmed(paths.state / "confirmed.sqlite", install, semantic.projection, clock).since,
    )
    words = partial(load_words, clock(), settings.search.languages)
    return Daemon(services, models, cache, scan, watcher, schedule, jobs, capture, warmth, health.notices, words)


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
