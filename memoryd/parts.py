"""What the settings say, as objects: the pieces that the composition root puts together."""

from __future__ import annotations

import os
import secrets
from datetime import tzinfo
from functools import partial
from pathlib import Path

import structlog

from episodic.engine.exact import ExactEngine
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import Engine
from episodic.errors import EngineUnavailable
from episodic.store import DailyNotes, EpisodicStore
from memoryd.capture.summarise import Summarize, by_command, by_ollama
from memoryd.clock import Clock
from memoryd.embedding.shelf import OwnModel, Shelf
from memoryd.errors import SettingsUnusable
from memoryd.paths import Paths
from memoryd.service.choice import write_choice
from memoryd.settings import BUILT_IN_VAULT, PREFIX, Settings
from semantic.store import SemanticStore
from semantic.vault.contract import Contract

log = structlog.get_logger("memoryd.parts")


def vaults_of(settings: Settings, paths: Paths) -> dict[str, Path]:
    """Return the folders of all vaults by name, the built-in one first."""
    return {BUILT_IN_VAULT: paths.memory / "vault", **settings.vault.paths}


def contract_of(settings: Settings) -> Contract:
    """Return what a note has to keep, as the settings have it."""
    chosen = settings.contract
    facets = tuple(facet for facet in chosen.facets if facet != "scope")
    return Contract(facets=facets, required_keys=tuple(key for key in chosen.required if key != "tags"))


def daily_notes(semantic: SemanticStore) -> list[DailyNotes]:
    """Return where the vaults keep their daily notes, as their settings say now."""
    return [
        DailyNotes(one.vault, one.root, None if one.is_away else one.folder, one.day_of, rules=(one.format, one.ignore))
        for one in semantic.daily_notes()
    ]


def semantic_store(settings: Settings, paths: Paths, install: str, clock: Clock, zone: tzinfo) -> SemanticStore:
    """Return the semantic memory, not opened yet."""
    return SemanticStore(
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


def episodic_store(
    settings: Settings, paths: Paths, install: str, clock: Clock, zone: tzinfo, semantic: SemanticStore
) -> EpisodicStore:
    """Return the episodic memory, not opened yet; the semantic one says where daily notes lie and what merged."""
    return EpisodicStore(
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


def project_ids(semantic: SemanticStore, id_: str) -> tuple[str, ...]:
    """Return all ids of a project, its own first: entries keep the id they were written with when projects merge."""
    picture = semantic.projection()
    found = picture.projects.get(picture.shown(id_))
    return (id_,) if found is None else tuple(dict.fromkeys((id_, found.id, *found.merged)))


def open_engine(settings: Settings, paths: Paths, install: str) -> Engine:
    """Return the engine that is set; where Milvus Lite does not load, the exact one, which says so."""
    chosen = settings.engine
    if chosen.kind == "milvus":
        token = chosen.token.get_secret_value() if chosen.token else ""
        return MilvusEngine.remote(chosen.uri or "", token=token, owner=install)
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


def shelf_of(settings: Settings, paths: Paths) -> Shelf:
    """Return the models of this installation; ``embedding.folder`` holds the one that the settings name."""
    chosen = settings.embedding
    return Shelf(
        paths.models,
        own={name: OwnModel(**dict(one)) for name, one in settings.models.items()},
        folders={} if chosen.folder is None else {chosen.model: chosen.folder},
        threads=chosen.threads,
        idle_s=chosen.idle_unload_s,
        with_lexical="learned" in settings.search.arms,
    )


def choose_model(paths: Paths, name: str) -> None:
    """Write a model's name into the settings file; SettingsUnusable where a variable beats the file."""
    _choose(paths, "embedding", "model", name)


def choose_remote(paths: Paths, address: str) -> None:
    """Write the remote copy's address into the settings file; SettingsUnusable where a variable beats the file."""
    _choose(paths, "sync", "remote", address)


def _choose(paths: Paths, section: str, key: str, value: str) -> None:
    """Write one option into the settings file.

    Raises:
        SettingsUnusable: A variable sets it, which beats the file; or the file cannot be changed safely.
    """
    variable = f"{PREFIX}{section}__{key}".upper()
    if os.environ.get(variable) not in {None, value}:
        raise SettingsUnusable(
            f"the variable {variable} sets the {key} and beats the file: unset it, or change it there"
        )
    write_choice(paths.config_file, section, key, value)


def summarizer(settings: Settings, paths: Paths) -> Summarize | None:
    """Return what sums up turns, where the user named something."""
    chosen = settings.capture
    if chosen.summary_command:
        return by_command(chosen.summary_command, folder=paths.runtime, environ=os.environ)
    if chosen.ollama_uri is not None and chosen.ollama_model is not None:
        return by_ollama(chosen.ollama_uri, chosen.ollama_model)
    return None
