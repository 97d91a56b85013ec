"""Every option there is, read once: a flag beats a variable, a variable beats ``config.toml``, that beats the default.

The variable of ``[service] port`` is ``MEMORYD_SERVICE__PORT``. A name that does not exist is refused everywhere, so
that a typing error never passes for a default. ``docs/settings.md`` lists what stands here.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from memoryd.errors import SettingsUnusable
from memoryd.option import Facet, Folder, Language, ModelName, Tag, VaultName, Zone
from memoryd.text.toml_line import find_line

PREFIX = "MEMORYD_"
BUILT_IN_VAULT = "vault"
"""The vault below ``memory/``; it is always there."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ServiceSettings(_Section):
    """The daemon as a process."""

    host: Literal["127.0.0.1"] = Field(default="127.0.0.1", description="The only address that is ever listened on.")
    port: int = Field(default=0, ge=0, le=65535, description="TCP port; 0 takes any free one, told by `endpoint.json`.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="What the log holds.")


class JournalSettings(_Section):
    """What happened."""

    zone: Zone | None = Field(
        default=None, description="Time zone of the days, such as `Europe/Vienna`; without it the machine's."
    )


class EmbeddingSettings(_Section):
    """Text to vectors."""

    model: str = Field(
        default="e5-small",
        min_length=1,
        description="Name of the model in the catalogue; `none` searches by words alone.",
    )
    folder: Folder | None = Field(
        default=None, description="Folder of a model of your own; without it the catalogue's place."
    )
    hub: str = Field(
        default="https://huggingface.co",
        pattern=r"^https?://[^\s]+$",
        description="Address of the model hub, or of a mirror, that `memoryd models pull` fetches from.",
    )
    threads: int = Field(default=2, ge=1, le=256, description="Threads of the model.")
    idle_unload_s: int = Field(
        default=600, ge=0, description="Seconds without use after which the model leaves memory; 0: never."
    )


class SearchSettings(_Section):
    """How results are found and fused."""

    rrf_k: int = Field(default=10, ge=1, le=1000, description="The constant of reciprocal rank fusion.")
    languages: tuple[Language, ...] = Field(
        default=("en", "de"), description="Languages whose word endings are folded, as two-letter codes."
    )
    arms: tuple[Literal["lexical", "dense", "learned"], ...] = Field(
        default=("lexical", "dense", "learned"),
        min_length=1,
        description="What searches: words, vectors, and a model's own token weights where it gives them (`learned`).",
    )
    context: bool = Field(default=True, description="Whether the entries around a short one in its session raise it.")


class ModelSettings(_Section):
    """A model beside those that are known by name."""

    like: str = Field(description="The known model that it is like: the same files under the same names.")
    repo: str | None = Field(
        default=None, pattern=r"^[\w.-]+/[\w.-]+$", description="The repository on the hub that holds its files."
    )
    revision: str = Field(default="main", pattern=r"^[\w.-]+$", description="Branch, tag or commit of the repository.")
    folder: Folder | None = Field(default=None, description="The folder that holds its files, instead of a repository.")
    dimension: int | None = Field(default=None, ge=1, le=65536, description="Length of a vector, where it differs.")
    max_tokens: int | None = Field(default=None, ge=8, le=8192, description="Longest text in tokens, where it differs.")
    self_test: bool = Field(
        default=True, description="Refuse it where it cannot tell a paraphrase from an unrelated sentence."
    )

    @model_validator(mode="after")
    def _one_place(self) -> ModelSettings:
        if (self.repo is None) == (self.folder is None):
            raise ValueError("repo and folder: set one of them")
        return self


class EngineSettings(_Section):
    """Where the index of what happened lives."""

    kind: Literal["milvus-lite", "exact", "milvus"] = Field(
        default="milvus-lite", description="`milvus-lite` in a file, `exact` without Milvus, `milvus` at `uri`."
    )
    uri: str | None = Field(default=None, description="Address of a Milvus server, such as `http://127.0.0.1:19530`.")
    token: SecretStr | None = Field(default=None, description="Secret of that server, `user:password` or a key.")

    @model_validator(mode="after")
    def _needs_uri(self) -> EngineSettings:
        if (self.kind == "milvus") != (self.uri is not None):
            raise ValueError('kind = "milvus" and uri go together: set both or neither')
        return self


class CaptureSettings(_Section):
    """Turns of agents, told of by their hooks."""

    enabled: bool = Field(default=True, description="Whether turns are written to the journal.")
    excerpts: bool = Field(
        default=True, description="Whether a longer account of each turn is kept below `memory/transcripts`."
    )
    summary_command: tuple[str, ...] = Field(
        default=(),
        description="A program and its arguments: a turn on its stdin, a summary of it on its stdout.",
    )
    ollama_uri: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Address of an Ollama that sums up turns, such as `http://127.0.0.1:11434`.",
    )
    ollama_model: str | None = Field(default=None, description="Its model.")
    decision_gate: bool = Field(
        default=False,
        description="Whether an agent's stop is held once a session where code changed and nothing was decided.",
    )

    @model_validator(mode="after")
    def _one_summariser(self) -> CaptureSettings:
        if (self.ollama_uri is None) != (self.ollama_model is None):
            raise ValueError("ollama_uri and ollama_model go together: set both or neither")
        if self.summary_command and self.ollama_uri is not None:
            raise ValueError("summaries come from summary_command or from Ollama: set one of them")
        return self


class VaultSettings(_Section):
    """The folders of notes."""

    write_to: str = Field(default=BUILT_IN_VAULT, description="Name of the vault that new notes go to.")
    paths: dict[VaultName, Folder] = Field(
        default_factory=dict, description="Further vaults: a table of name = folder, read as they are."
    )

    @model_validator(mode="after")
    def _names_meet(self) -> VaultSettings:
        if BUILT_IN_VAULT in self.paths:
            raise ValueError('the name "vault" is that of the built-in vault; choose another in vault.paths')
        if self.write_to != BUILT_IN_VAULT and self.write_to not in self.paths:
            raise ValueError("write_to must be a name in vault.paths, or vault")
        return self


class ContractSettings(_Section):
    """What a note must have."""

    facets: tuple[Facet, ...] = Field(
        default=("type", "client", "project", "domain", "tool", "convention", "scope"),
        description="The first parts that a tag may have, as in `tool/milvus`.",
    )
    required: tuple[str, ...] = Field(
        default=("summary", "tags"), description="Front matter keys that each note must have."
    )


class SyncSettings(_Section):
    """The copy that this memory is brought together with."""

    remote: str | None = Field(default=None, description="A folder or a git address; `memoryd sync setup` sets it.")
    every_minutes: int | None = Field(
        default=None, ge=1, le=525_600, description="How often it is done unasked; without it only when asked."
    )


class GraphSettings(_Section):
    """How the graph is kept."""

    days: int = Field(default=7, ge=1, le=3650, description="How old it may become before a session has it made anew.")


class BackupSettings(_Section):
    """Backups that are made without being asked for."""

    folder: Folder | None = Field(default=None, description="Folder that backups go to; without it none are made.")
    every_hours: int = Field(default=24, ge=1, le=8760, description="How old the last backup may become.")
    keep: int = Field(default=7, ge=1, le=1000, description="How many stay in the folder; the oldest go.")


class JobsSettings(_Section):
    """How often the daemon looks after itself; 0: only when it is asked."""

    scan_minutes: int = Field(
        default=15, ge=1, le=1440, description="Minutes between two looks at every file, for what no event told of."
    )
    active_hours: int = Field(
        default=6, ge=0, le=8760, description="Hours between two passes over the active set of every scope; 0: none."
    )
    propose_hours: int = Field(
        default=24, ge=0, le=8760, description="Hours between two searches for what could be tidied; 0: none."
    )
    verify_hours: int = Field(
        default=72, ge=0, le=8760, description="Hours between two comparisons of the indexes with the files; 0: none."
    )
    retention_hours: int = Field(
        default=24, ge=0, le=8760, description="Hours between two looks for what is kept no longer; 0: none."
    )
    keep_excerpts_days: int = Field(
        default=0, ge=0, le=36500, description="Days that the longer accounts of turns are kept; 0: all of them stay."
    )


class ProjectSettings(_Section):
    """What ties one project to others."""

    tags: tuple[Tag, ...] = Field(default=(), description="Facet tags of the project.")
    code: bool = Field(default=False, description="Whether its program text is read into the graph.")


class Settings(BaseSettings):
    """All options; made by :func:`load_settings` and passed on by the composition root."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    service: ServiceSettings = ServiceSettings()
    journal: JournalSettings = JournalSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    search: SearchSettings = SearchSettings()
    engine: EngineSettings = EngineSettings()
    capture: CaptureSettings = CaptureSettings()
    vault: VaultSettings = VaultSettings()
    contract: ContractSettings = ContractSettings()
    sync: SyncSettings = SyncSettings()
    models: dict[ModelName, ModelSettings] = Field(
        default_factory=dict, description="A table for each further model; a known name replaces that one."
    )
    backup: BackupSettings = BackupSettings()
    jobs: JobsSettings = JobsSettings()
    graph: GraphSettings = GraphSettings()
    projects: dict[str, ProjectSettings] = Field(default_factory=dict, description="A table for each project id.")


def load_settings(file: Path, *, flags: Mapping[str, Any] | None = None) -> Settings:
    """Read the options from flags, the environment and the file (which need not exist).

    Args:
        file: ``config.toml``.
        flags: What the command line set, nested as the model is.

    Raises:
        SettingsUnusable: Something cannot be used. The message names the file and line, the variable or the flag, and
            what is allowed there; it never shows the value.
    """
    text = _read(file)
    written = _parse(file, text)
    _refuse_unknown_variables()

    class FromHere(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is the library's
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is the library's
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, written)

    try:
        return FromHere(**dict(flags or {}))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        origin = _origin(first["loc"], file, text, written, flags or {})
        raise SettingsUnusable(f"{origin}: {_say(first['type'], first['msg'], first['loc'])}") from None
    except ValueError as error:
        # The library fails this way where a variable for a table or list is not JSON; it names the section.
        section = re.search(r'field "(\w+)"', str(error))
        name = f"{PREFIX}{section.group(1).upper()}…" if section else f"a variable {PREFIX}…"
        raise SettingsUnusable(f"{name}: lists and tables in variables are written as JSON") from None


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except IsADirectoryError as error:
        raise SettingsUnusable(f"{file} is a folder; the settings are a file: move the folder away") from error
    except OSError as error:
        raise SettingsUnusable(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise SettingsUnusable(f"{file} is not UTF-8 text; save it as UTF-8") from error


def _parse(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The library's words may quote the line's text; only the place is taken from them.
        place = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
        where = f", {place.group(1)}" if place else ""
        raise SettingsUnusable(
            f"{file}{where}: not valid TOML; texts need quotes, and sections stand in brackets"
        ) from None


def _refuse_unknown_variables() -> None:
    """A variable with ``__`` in it can only be meant as an option, so its section and key must exist."""
    for name in os.environ:
        if not name.startswith(PREFIX) or "__" not in name:
            continue
        section, key, *_ = name.removeprefix(PREFIX).lower().split("__")
        field = Settings.model_fields.get(section)
        if field is None:
            raise SettingsUnusable(f"the variable {name}: there is no section [{section}]; {_options(Settings)}")
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel) and key not in model.model_fields:
            raise SettingsUnusable(f"the variable {name}: [{section}] has no option of that name; {_options(model)}")


def _origin(
    place: tuple[int | str, ...], file: Path, text: str, written: Mapping[str, Any], flags: Mapping[str, Any]
) -> str:
    names = [str(part) for part in place]
    dotted = ".".join(names) or "the settings"
    if _reaches(flags, names):
        return f"the flag for {dotted}"
    for length in range(len(names), 0, -1):
        variable = PREFIX + "__".join(names[:length]).upper()
        if variable in os.environ:
            return f"the variable {variable}"
    if not _reaches(written, names[:1]):
        return dotted
    line = find_line(text, names)
    return f"{file}, line {line}: {dotted}" if line else f"{file}: {dotted}"


def _reaches(values: Any, names: list[str]) -> bool:
    for name in names:
        if not isinstance(values, Mapping) or name not in values:
            return False
        values = values[name]
    return True


def _say(kind: str, message: str, place: tuple[int | str, ...]) -> str:
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(place[-1]), _names_beside(place), n=1)
        meant = f"did you mean {f'[{near[0]}]' if len(place) == 1 else near[0]}? " if near else ""
        return f"there is no such option; {meant}`memoryd settings` lists them all"
    if kind in {"model_type", "dict_type"}:
        return "must be a section with options in it"
    return message.removeprefix("Value error, ").replace("Input should be", "should be")


def _names_beside(place: tuple[int | str, ...]) -> list[str]:
    """Return the names of the options that there are where one is that there is not."""
    held: Any = Settings
    for name in place[:-1]:
        if isinstance(held, type) and issubclass(held, BaseModel):
            field = held.model_fields.get(str(name))
            held = None if field is None else field.annotation
        else:
            held = (get_args(held) or (None,))[-1]  # a table of tables, whose names are free
    return list(held.model_fields) if isinstance(held, type) and issubclass(held, BaseModel) else []


def _options(model: type[BaseModel]) -> str:
    return "there are " + ", ".join(cast("dict[str, Any]", model.model_fields))
