"""Names that the stores know: a weak hint at which of them is asked about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from memoryd.text.canonical import fold_name
from semantic.store import SemanticStore

_WORD = re.compile(r"[\w.+#/-]*\w")
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_MAX_WORDS = 5
_MAX_CHARACTERS = 10
_MIN_CHARACTERS = 2


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name found in a question, and who knows it."""

    name: str
    known_to: Literal["graph", "journal"]


@dataclass(frozen=True, slots=True)
class Names:
    """Folded names of elements and notes (``graph``), and of projects and people in entries (``journal``)."""

    graph: frozenset[str] = frozenset()
    journal: frozenset[str] = frozenset()

    @classmethod
    def of(cls, graph: Iterable[str] = (), journal: Iterable[str] = ()) -> Names:
        """Build from names as written."""
        return cls(frozenset(map(fold_name, graph)), frozenset(map(fold_name, journal)))

    def found_in(self, question: str) -> tuple[KnownName, ...]:
        """Return the known names in the question, each once, the graph's first."""
        if not (self.graph or self.journal):
            return ()
        candidates = list(_candidates(fold_name(question)))
        graph = dict.fromkeys(name for name in candidates if name in self.graph)
        journal = dict.fromkeys(name for name in candidates if name in self.journal and name not in graph)
        return (
            *(KnownName(name, "graph") for name in _longest(graph)),
            *(KnownName(name, "journal") for name in _longest(journal)),
        )


NO_NAMES = Names()
"""For a daemon whose stores are still empty."""


def _longest(names: Iterable[str]) -> list[str]:
    """Drop a name that only stands inside a longer one: "queue" in "job queue" is no second piece of evidence."""
    found = list(names)
    return [name for name in found if not any(name != other and name in other for other in found)]


def _candidates(folded: str) -> Iterable[str]:
    found = list(_WORD.finditer(folded))
    for first in range(len(found)):
        for last in range(first, min(first + _MAX_WORDS, len(found))):
            yield folded[found[first].start() : found[last].end()]
    for run in _UNSPACED.finditer(folded):
        text = run.group(0)
        for start in range(len(text)):
            for end in range(start + _MIN_CHARACTERS, min(start + _MAX_CHARACTERS, len(text)) + 1):
                yield text[start:end]


class GraphNames:
    """The names of elements and notes as of now; made anew when the log or the vaults changed."""

    def __init__(self, semantic: SemanticStore) -> None:
        self._semantic = semantic
        self._made: tuple[tuple[int, int], Names] | None = None

    def __call__(self) -> Names:
        """Return them."""
        version = (self._semantic.log_seq(), self._semantic.library_version())
        if self._made is None or self._made[0] != version:
            elements = (name for one in self._semantic.projection() for name in (one.name, *one.aliases))
            notes = (name for note in self._semantic.notes() for name in (note.title, *note.aliases))
            self._made = (version, Names.of(graph=chain(elements, notes)))
        return self._made[1]
