"""Whether a path of a vault is there, and what lies at or below it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def at_or_below(paths: set[str], told: Iterable[str]) -> set[str]:
    """Return those of the paths that are named, or lie below a named folder; the vault itself names nothing."""
    names = {name for name in told if name}
    return {path for path in paths if path in names or not names.isdisjoint(folders_of(path))}


def folders_of(path: str) -> Iterator[str]:
    """Yield the folders above a path, the vault's own left out."""
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def is_there(disk: Path, listed: dict[Path, frozenset[str]]) -> bool:
    """Tell whether a file of exactly this name is there, also where upper and lower case name one file.

    ``listed`` keeps the names of a folder from one question to the next.
    """
    if not os.path.lexists(disk):
        return False
    try:
        if disk.parent not in listed:
            listed[disk.parent] = frozenset(one.name for one in disk.parent.iterdir())
    except OSError:
        return True
    return disk.name in listed[disk.parent]


def parent_is_readable(disk: Path, root: Path) -> bool:
    """Tell whether the nearest folder that is still there can be read, so that "not there" can be believed."""
    folder = disk.parent
    while folder != root and not folder.exists():
        folder = folder.parent
    return os.access(folder, os.R_OK | os.X_OK)
