"""The folders whose files are days: the journal, and the daily notes of vaults; and that of the kept excerpts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import overload

from episodic.index.intake import Place
from episodic.journal.excerpt import EXCERPTS, NO_DAY
from episodic.journal.primary import day_of
from memoryd.text.ignore import NO_RULES, Rules, read_rules

JOURNAL = "journal"
OWN = frozenset({JOURNAL, EXCERPTS})
"""The names of the roots that lie below ``memory/``."""

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
        folder: Where its daily notes lie, relative to ``root``; empty for the whole vault. ``None`` where the vault is
            away and cannot be asked: what is known of its days stays.
        day_of: Returns the day that a path (relative to ``root``) is the note of, ``None`` for any other note.
        rules: Differs whenever ``day_of`` may answer otherwise.
    """

    vault: str
    root: Path
    folder: str | None = ""
    day_of: DayOf = field(default=day_named, compare=False)
    rules: object = None


Sources = Callable[[], Sequence[DailyNotes]]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of days, with its rules as of now.

    Attributes:
        marker: A file whose absence says that the folder is not really there.
        rules: What is left alone, in paths relative to ``folder``.
        key: Differs whenever ``day_of`` may answer otherwise.
        is_away: Whether the folder cannot be looked at, so that nothing follows from what it shows.
    """

    name: str
    folder: Path
    base: Path
    prefix: str
    marker: Path | None
    day_of: DayOf = field(compare=False)
    rules: Rules = NO_RULES
    key: object = None
    is_away: bool = False

    def place_of(self, path: Path) -> Place | None:
        """Return the place of a file in this root, ``None`` where it is no day of it."""
        if path.suffix != ".md" or not path.is_relative_to(self.folder) or path == self.folder:
            return None
        if self.rules.hides(path.relative_to(self.folder).as_posix()):
            return None
        day = self.day_of(path.relative_to(self.base).as_posix())
        return None if day is None else Place(path, self.shown(path), self.name, day, (self.folder, self.base))

    def shown(self, path: Path) -> str:
        """Return how a hit shows a path of this root."""
        return f"{self.prefix}{path.relative_to(self.base).as_posix()}"

    def disk(self, shown: str) -> Path:
        """Return the path on the disk of a path as shown."""
        return self.base / shown.removeprefix(self.prefix)

    def walk(self, errors: list[str], *, below: Path | None = None, links: list[Path] | None = None) -> Iterator[Path]:
        """Yield the Markdown files of this root, in order. Links to folders are followed, each real folder once.

        Args:
            errors: Gets, in words, the folders that cannot be read.
            below: A folder of this root, for the part of it below.
            links: Gets the folders that were reached by a link.
        """
        visited: set[tuple[int, int]] = set()
        yield from self._walk(below or self.folder, errors, [] if links is None else links, visited)

    def _walk(
        self, folder: Path, errors: list[str], links: list[Path], visited: set[tuple[int, int]]
    ) -> Iterator[Path]:
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in visited:
                return
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as found:
                items = sorted(found, key=lambda item: item.name)
        except OSError as error:
            errors.append(f"{folder.name} cannot be read: {error.strerror or error}")
            return
        for item in items:
            path = Path(item.path)
            is_folder = _is_folder(item)
            if self.rules.hides(path.relative_to(self.folder).as_posix(), folder=is_folder):
                continue
            if is_folder:
                if item.name.endswith(".md"):
                    errors.append(f"{item.name} is a folder where a day should be")
                if item.is_symlink():
                    links.append(path)
                yield from self._walk(path, errors, links, visited)
            elif item.name.endswith(".md"):
                yield path


class Roots(Sequence[Root]):
    """The roots as of now: ignore files change, and so does where a vault keeps its daily notes."""

    def __init__(self, memory: Path, sources: Sources) -> None:
        self._memory = memory
        self._sources = sources
        self._held: dict[str, Rules] = {}
        self.journal = self._own(JOURNAL, day_named)
        """The journal as it is written to, without ignore rules."""

    def __iter__(self) -> Iterator[Root]:
        """Yield the journal, the excerpts and the daily notes of vaults, each with its rules as read just now."""
        for root in (self.journal, self._own(EXCERPTS, lambda _: NO_DAY)):
            rules = read_rules(root.folder, self._held.get(root.name, NO_RULES))
            self._held[root.name] = rules
            yield replace(root, rules=rules)
        for one in self._sources():
            folder = one.root / (one.folder or "")
            yield Root(
                f"vault {one.vault}", folder, one.root, f"{one.vault}:", None, one.day_of,
                key=one.rules, is_away=one.folder is None,
            )  # fmt: skip

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @overload
    def __getitem__(self, index: int) -> Root: ...
    @overload
    def __getitem__(self, index: slice) -> list[Root]: ...
    def __getitem__(self, index: int | slice) -> Root | list[Root]:
        return list(self)[index]

    def named(self, name: str) -> Root | None:
        """Return the root of a name."""
        return next((root for root in self if root.name == name), None)

    def _own(self, name: str, day: DayOf) -> Root:
        return Root(name, self._memory / name, self._memory, "", self._memory / ".primary", day)


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir()
    except OSError:
        return False
