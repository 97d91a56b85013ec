"""Where a pull puts a model's files, and how it is known that they are there whole.

The folder's name is the sha256 of what names the files (repositories, revisions, paths), so it is known without
asking a server. The seal names what was fetched and checked so far; files are used once it says that they are all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryd.embedding.manifest import FolderSource
from memoryd.paths import write_private
from memoryd.text.canonical import digest

SEAL = "pulled.json"


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A file that was fetched and checked."""

    size: int
    sha256: str


def pulled_place(source: FolderSource, models_dir: Path) -> Path:
    """Return the folder of a source's files, whether it exists or not."""
    return models_dir / digest("pull", [[one.repo, one.revision, one.path, one.place] for one in source.remote])


def read_seal(place: Path) -> dict[str, SealedFile]:
    """Return the files that the seal of a folder names, by their place in it; none where there is no seal."""
    return _read(place)[0]


def write_seal(place: Path, files: Mapping[str, SealedFile], *, is_whole: bool) -> None:
    """Say that these files are there, and whether they are all."""
    listed = {name: {"size": one.size, "sha256": one.sha256} for name, one in files.items()}
    write_private(place / SEAL, json.dumps({"whole": is_whole, "files": listed}, indent=1).encode())


def is_pulled(source: FolderSource, models_dir: Path) -> bool:
    """Tell whether a source's files were pulled and are there, by their sizes."""
    if not source.remote:
        return False
    place = pulled_place(source, models_dir)
    sealed, is_whole = _read(place)
    if not is_whole or not {one.place for one in source.remote if not one.may_miss} <= sealed.keys():
        return False
    return all(_size(place / name) == one.size for name, one in sealed.items())


def _read(place: Path) -> tuple[dict[str, SealedFile], bool]:
    try:
        seal = json.loads((place / SEAL).read_bytes())
        files = {name: SealedFile(int(one["size"]), str(one["sha256"])) for name, one in seal["files"].items()}
        return files, seal["whole"] is True
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, False


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
