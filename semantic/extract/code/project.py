"""The code of one project, kept up with its files: what each says is read once a text, and put together anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from semantic.extract.code.reading import read_source
from semantic.extract.code.source import Source
from semantic.extract.code.wiring import Wiring
from semantic.extract.code.worktree import list_sources
from semantic.graph.build import Parts

CHECK_EVERY = 50
FEW_FILES = 10
"""Of so few files any number may go."""

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Held:
    stamp: _Stamp
    source: Source


class CodeProject:
    """The code below one folder. Not safe for several threads.

    Args:
        id: The project's id, which the ids of all nodes hold: projects never share one.
        root: The folder.
        environ: The environment in which git is asked what belongs to it.
    """

    def __init__(self, id: str, root: Path, environ: Mapping[str, str]) -> None:  # noqa: A002 - an id is called id
        self.id = id
        self.root = root
        self._environ = environ
        self.problems: tuple[str, ...] = ()
        self.version = 0
        self._held: dict[str, _Held] = {}
        self._parts: tuple[int, Parts] | None = None

    def refresh(self, check: Callable[[], None] = lambda: None, *, accept_loss: bool = False) -> None:
        """Read what changed; what is gone is dropped only if the folder was seen whole and not half empty.

        Args:
            check: Called now and then; what it raises ends the work, and nothing is lost.
            accept_loss: What is missing is gone for good, even where that is most of it.
        """
        listing = list_sources(self.root, self._environ)
        problems = [] if listing.is_whole else [f"{self.root}: not all of it could be seen; nothing was dropped"]
        fresh: dict[str, _Held] = {}
        for number, path in enumerate(listing.paths):
            if number % CHECK_EVERY == 0:
                check()
            held = self._held.get(path)
            try:
                found = self.root / path
                state = found.stat()
                stamp = (state.st_mtime_ns, state.st_ctime_ns, state.st_size)
                if held is not None and held.stamp == stamp:
                    fresh[path] = held
                    continue
                source = read_source(path, found.read_bytes())
            except OSError as error:
                problems.append(f"{path}: {error.strerror or type(error).__name__}")
                if held is not None:
                    fresh[path] = held
                continue
            if source is not None:
                fresh[path] = _Held(stamp, source)
        gone = self._held.keys() - fresh.keys()
        is_half_empty = len(self._held) > FEW_FILES and 2 * len(gone) > len(self._held)
        if gone and is_half_empty and listing.is_whole and not accept_loss:
            problems.append(f"{self.root}: {len(gone)} of {len(self._held)} files are missing; they were not dropped")
        if not accept_loss and (not listing.is_whole or is_half_empty):
            fresh = {**{path: self._held[path] for path in gone}, **fresh}
        problems += [f"{path}: {one.source.problem}" for path, one in sorted(fresh.items()) if one.source.problem]
        self.problems = tuple(problems)
        if {path: one.source for path, one in fresh.items()} != {path: one.source for path, one in self._held.items()}:
            self.version += 1
        self._held = fresh

    def parts(self) -> Parts:
        """Return the project's nodes and edges."""
        if self._parts is None or self._parts[0] != self.version:
            sources = {path: self._held[path].source for path in sorted(self._held)}
            self._parts = (self.version, Wiring(self.id, sources, self.root.name).parts())
        return self._parts[1]

    def __len__(self) -> int:
        return len(self._held)
