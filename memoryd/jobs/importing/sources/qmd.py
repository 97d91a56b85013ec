"""qmd: an index over folders of Markdown. The folders are what a person made; they are proposed as vaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from memoryd.errors import ImportFailed, SourceDamaged
from memoryd.jobs.importing.files import peek, text_of
from memoryd.jobs.importing.item import Folder, Item
from memoryd.jobs.importing.report import Report
from memoryd.jobs.importing.sqlite import is_sqlite, open_copy, rows_of, tables_of

_CONFIGS = ("index.yml", "index.yaml")
_DATABASE = "index.sqlite"
_TABLE = "store_collections"
_COLLECTIONS = re.compile(r"^collections:", re.MULTILINE)
_UNFIT = re.compile(r"[^a-z0-9_-]+")


class Qmd:
    """Takes its settings (index.yml), its index, or the folder of either."""

    name = "qmd"

    def recognises(self, path: Path) -> bool:
        """Tell whether its list of collections lies there."""
        file = _file(path)
        if file is None:
            return False
        return _TABLE in tables_of(file) or (
            file.suffix in {".yml", ".yaml"} and _COLLECTIONS.search(peek(file)) is not None
        )

    def read(self, path: Path, report: Report) -> Iterator[Item]:
        """Yield the folder of each collection."""
        file = _file(path)
        if file is None:
            raise ImportFailed(f"neither index.yml nor {_DATABASE} lies at {path}; the first is in ~/.config/qmd")
        report.files += 1
        for name, folder in _collections(file):
            if folder.is_absolute():
                yield Folder(name=_UNFIT.sub("-", name.lower()).strip("-") or "notes", path=folder)
            else:
                report.skipped["collections whose folder is not named in full"] += 1


def _collections(file: Path) -> list[tuple[str, Path]]:
    if is_sqlite(file):
        with open_copy(file) as opened:
            rows = [*rows_of(opened, _TABLE, ("name", "path"), "name")]
        return [(str(row["name"]), _folder(path)) for row in rows if row["name"] and (path := text_of(row["path"]))]
    try:
        read: Any = YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError, YAMLError) as error:
        raise SourceDamaged(f"{file} cannot be read as YAML: {' '.join(str(error).split())[:160]}") from error
    found = read.get("collections") if isinstance(read, dict) else None
    if not isinstance(found, dict):
        return []
    folders = {str(name): text_of(one.get("path")) for name, one in found.items() if isinstance(one, dict)}
    return [(name, _folder(path)) for name, path in folders.items() if path]


def _folder(path: str) -> Path:
    """Return the folder that a text names; what names none comes back as something that is no full path."""
    if "\0" in path:
        return Path()
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def _file(path: Path) -> Path | None:
    if path.is_file():
        return path
    return next((path / one for one in (*_CONFIGS, _DATABASE) if (path / one).is_file()), None)
