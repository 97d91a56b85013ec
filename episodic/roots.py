"""The folders whose files are days: the journal, and the daily notes of vaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from episodic.intake import Place
from episodic.primary import day_of

JOURNAL = "journal"
DayOf = Callable[[str], date | None]


def day_named(path: str) -> date | None:
    """Return the day that a file's name begins with."""
    return day_of(path.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class DailyNotes:
    """The daily notes of a vault: read, never written.

    Attributes:
        vault: The vault's name; a note's path is shown as ``<vault>:<path>``.
        root: The vault's folder.
        folder: Where its daily notes lie, relative to ``root``; empty for the whole vault.
        day_of: Returns the day that a path (relative to ``root``) is the note of, ``None`` for any other note.
    """

    vault: str
    root: Path
    folder: str = ""
    day_of: DayOf = day_named


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of days. ``marker`` is a file whose absence says that the folder is not really there."""

    name: str
    folder: Path
    base: Path
    prefix: str
    marker: Path | None
    day_of: DayOf

    def place_of(self, path: Path) -> Place | None:
        """Return the place of a file in this root, ``None`` where it is no day of it."""
        if path.suffix != ".md" or not path.is_relative_to(self.folder):
            return None
        if any(part.startswith(".") for part in path.relative_to(self.folder).parts):
            return None
        day = self.day_of(path.relative_to(self.base).as_posix())
        return None if day is None else Place(path, self.shown(path), self.name, day)

    def shown(self, path: Path) -> str:
        """Return how a hit shows a path of this root."""
        return f"{self.prefix}{path.relative_to(self.base).as_posix()}"

    def walk(self, errors: list[str]) -> Iterator[Path]:
        """Yield the Markdown files of this root, in order; folders that cannot be read are added to ``errors``."""
        yield from _walk(self.folder, errors)


def roots_of(memory: Path, sources: Sequence[DailyNotes]) -> list[Root]:
    """Return the journal's root and those of the vaults."""
    journal = Root(JOURNAL, memory / JOURNAL, memory, "", memory / ".primary", day_named)
    return [
        journal,
        *(Root(f"vault {s.vault}", s.root / s.folder, s.root, f"{s.vault}:", None, s.day_of) for s in sources),
    ]


def _walk(folder: Path, errors: list[str]) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            items = sorted(found, key=lambda item: item.name)
    except OSError as error:
        errors.append(f"{folder.name} cannot be read: {error.strerror or error}")
        return
    for item in items:
        if item.name.startswith("."):
            continue
        if item.is_dir(follow_symlinks=False):
            if item.name.endswith(".md"):
                errors.append(f"{item.name} is a folder where a day should be")
            yield from _walk(Path(item.path), errors)
        elif item.name.endswith(".md"):
            yield Path(item.path)
