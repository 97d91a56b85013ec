"""What the settings say, as objects: the pieces that the composition root puts together."""

from __future__ import annotations

import os
from pathlib import Path

import structlog

from episodic.engine.exact import ExactEngine
from episodic.engine.milvus import MilvusEngine
from episodic.engine.port import Engine
from episodic.errors import EngineUnavailable
from episodic.store import DailyNotes
from memoryd.capture.summarise import Summarize, by_command, by_ollama
from memoryd.embedding.shelf import OwnModel, Shelf
from memoryd.errors import SettingsError
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
    """Write a model's name into the settings file.

    Raises:
        SettingsError: A variable sets it, which beats the file; or the file cannot be changed safely.
    """
    variable = f"{PREFIX}EMBEDDING__MODEL"
    if os.environ.get(variable) not in {None, name}:
        raise SettingsError(f"the variable {variable} sets the model and beats the file: unset it, or change it there")
    write_choice(paths.config_file, "embedding", "model", name)


def choose_remote(paths: Paths, address: str) -> None:
    """Write the address of the remote copy into the settings file.

    Raises:
        SettingsError: A variable sets it, which beats the file; or the file cannot be changed safely.
    """
    variable = f"{PREFIX}SYNC__REMOTE"
    if os.environ.get(variable) not in {None, address}:
        raise SettingsError(f"the variable {variable} sets the remote and beats the file: unset it, or change it there")
    write_choice(paths.config_file, "sync", "remote", address)


def summarizer(settings: Settings, paths: Paths) -> Summarize | None:
    """Return what sums up turns, where the user named something."""
    chosen = settings.capture
    if chosen.summary_command:
        return by_command(chosen.summary_command, folder=paths.runtime, environ=os.environ)
    if chosen.ollama_uri is not None and chosen.ollama_model is not None:
        return by_ollama(chosen.ollama_uri, chosen.ollama_model)
    return None
