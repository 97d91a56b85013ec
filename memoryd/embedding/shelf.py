"""The models of this installation: those known by name, those that the settings add, and which are on the machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memoryd.embedding.catalog import MANIFESTS, NONE, open_manifest
from memoryd.embedding.errors import UnknownModel
from memoryd.embedding.lazy import LazyEmbedder
from memoryd.embedding.manifest import FolderSource, Manifest, PackageSource, RemoteFile
from memoryd.embedding.pulled import is_pulled

State = Literal["serving", "building", "ready", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnModel:
    """A model that the settings add: as a known one, but for what is set here.

    ``repo`` at ``revision`` holds all its files under the names of the known one; ``folder`` holds them already.
    """

    like: str
    repo: str | None = None
    revision: str = "main"
    folder: Path | None = None
    dimension: int | None = None
    max_tokens: int | None = None
    self_test: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """A model as of now.

    ``serving`` answers questions, ``building`` gets its vectors while another one serves, ``ready`` is on the machine
    and ``absent`` is not. ``wanting`` is how many pieces have no vector of it yet, where it serves or is built.
    """

    name: str
    state: State
    is_wanted: bool
    licence: str
    dimension: int
    download_bytes: int
    has_lexical: bool
    is_loaded: bool = False
    wanting: int | None = None
    problem: str | None = None


class Shelf:
    """Finds and opens models by name. Safe in several threads."""

    def __init__(
        self,
        models_dir: Path,
        *,
        own: Mapping[str, OwnModel] | None = None,
        folders: Mapping[str, Path] | None = None,
        threads: int = 2,
        idle_s: float = 600,
        with_lexical: bool = True,
    ) -> None:
        """Read nothing yet.

        Args:
            models_dir: Where unpacked and pulled models lie.
            own: Models of the settings, by name; one that has a known name replaces it.
            folders: Folders of the user with a model's files, by the model's name.
            threads: Of one model.
            idle_s: After so many seconds without use a model leaves memory; 0: never.
            with_lexical: Use token weights where a model gives them.
        """
        self.models_dir = models_dir
        self._folders = dict(folders or {})
        self._threads = threads
        self._idle_s = idle_s
        self._with_lexical = with_lexical
        self._manifests = dict(MANIFESTS)
        self.problems: list[str] = []
        for name, one in (own or {}).items():
            try:
                self._manifests[name] = _own_manifest(name, one)
            except UnknownModel as error:
                self.problems.append(str(error))
                continue
            if one.folder is not None:
                self._folders[name] = one.folder

    def __iter__(self) -> Iterator[Manifest]:
        return iter(self._manifests.values())

    def find(self, name: str) -> Manifest | None:
        """Return the manifest of a name, None for ``none``. Raises UnknownModel."""
        if name == NONE:
            return None
        if name not in self._manifests:
            known = ", ".join([*self._manifests, NONE])
            raise UnknownModel(f"there is no model {name!r}; known are {known}")
        return self._manifests[name]

    def is_here(self, manifest: Manifest) -> bool:
        """Tell whether a model's files are on this machine. Nothing large is read."""
        source = manifest.source
        if isinstance(source, PackageSource):
            unpacked = self.models_dir / source.sha256 / "files.json"
            return unpacked.is_file() or importlib.util.find_spec(source.package) is not None
        folder = self._folders.get(manifest.name)
        if folder is not None:
            return any((folder / name).is_file() for name in source.models)
        return is_pulled(source, self.models_dir)

    def open(self, name: str) -> LazyEmbedder | None:
        """Return an embedder that loads itself when it is first used; None for ``none``. Raises EmbeddingError."""
        manifest = self.find(name)
        if manifest is None:
            return None
        return open_manifest(
            manifest,
            self.models_dir,
            folder=self._folders.get(name),
            threads=self._threads,
            idle_s=self._idle_s,
            with_lexical=self._with_lexical,
        )


def _own_manifest(name: str, one: OwnModel) -> Manifest:
    if one.like not in MANIFESTS:
        raise UnknownModel(f"models.{name}.like: there is no model {one.like!r}; known are {', '.join(MANIFESTS)}")
    base = MANIFESTS[one.like]
    source = base.source
    if not isinstance(source, FolderSource):
        raise UnknownModel(f"models.{name}.like: {one.like} comes inside a package; take one made of files")
    if one.repo is not None:
        # Another repository has other bytes: no pin of the known one holds for it.
        remote = (RemoteFile(one.repo, one.revision, it.path, it.into, may_miss=it.may_miss) for it in source.remote)
        source = replace(source, remote=tuple(remote))
    elif one.folder is not None:
        source = replace(source, remote=())
    return replace(
        base,
        name=name,
        source=source,
        dimension=one.dimension or base.dimension,
        max_tokens=one.max_tokens or base.max_tokens,
        self_test=one.self_test,
        bytes_fetched=base.bytes_fetched if one.repo is None else base.download_bytes,
        licence=base.licence if one.repo is None else "as its repository says",
    )
