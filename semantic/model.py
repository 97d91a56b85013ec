"""The things the semantic memory knows: elements, links, decisions, and the notes beside them.

These are values read from a projection. None of them writes; a change is always a new event in the log or a new
text in the vault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

from memoryd.text.canonical import digest

Scope = Literal["user", "project"]

NO_PROPS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Link:
    """A typed, directed edge. An end is ``el_…``, ``no_…`` or ``path:<project>:<path>``."""

    source: str
    relation: str
    target: str
    decision: str


@dataclass(frozen=True, slots=True)
class Element:
    """A thing known: the sum of all mutations of it.

    ``heads`` and ``decisions`` are decision ids in replay order; ``archived`` is the reader's own (attention).
    """

    id: str
    kind: str
    name: str
    gist: str
    scope: Scope
    project: str | None
    props: Mapping[str, Any] = field(default_factory=lambda: NO_PROPS)
    notes: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    heads: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    at: datetime | None = None

    @property
    def etag(self) -> str:
        """32 hex digits that change when the heads do: what a writer must have seen to decide anew."""
        return digest(self.id, list(self.heads), length=32)


Cost = Callable[[Element], int]
"""Returns the UTF-16 units that an element takes in the rendered text, its line end included."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A later line of a decision, which adds to what the decision cites."""

    actor: str
    session: str | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """An immutable event with a why.

    ``at`` is when it was recorded, ``valid_at`` from when it holds (default ``at``). ``superseded_by`` is the
    first decision, in replay order, that replaced it; ``elements`` are those whose head it is or was. ``evidence``
    holds what all its lines cite, ``citations`` the lines after the first.
    """

    id: str
    title: str
    why: str
    at: datetime
    valid_at: datetime
    actor: str
    session: str | None
    scope: Scope
    project: str | None
    mutations: tuple[Mapping[str, Any], ...]
    evidence: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    elements: tuple[str, ...] = ()
    order: tuple[int, str, int] = (0, "", 0)
    citations: tuple[Citation, ...] = ()

    @property
    def is_bookkeeping(self) -> bool:
        """Whether it only says where notes went, or that a plan was refused: kept, and no knowledge of anyone's."""
        if not self.mutations:
            return self.actor == "job:plan"
        return all(one.get("op") == "rename" and str(one.get("id", "")).startswith("no_") for one in self.mutations)


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link as written in a note, and what it resolved to.

    ``target`` is a note id, ``<vault>:<path>`` for a file that is no note, or ``None`` while nothing has that name
    (the link waits). ``ambiguous`` holds the
    other paths that the name could have meant; ``inferred`` marks a match by alias.
    """

    written: str
    target: str | None
    heading: str | None = None
    block: str | None = None
    shown: str | None = None
    embed: bool = False
    line: int = 0
    ambiguous: tuple[str, ...] = ()
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A searchable piece of a note: its heading path, its text, its lines in the file as stored (1-based)."""

    id: str
    heading: tuple[str, ...]
    text: str
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown file of a vault as read.

    Attributes:
        id: ``no_`` + 20 hex of the vault's name and the NFC path.
        vault: The vault's name; ``path`` is relative to its folder, with ``/``.
        tags: Folded, without ``#``, from front matter and text.
        front_matter: The parsed mapping, unknown keys kept; empty where it could not be read.
        element: The element that the front matter joins this note to.
        violations: What breaks the note contract, in words.
        problems: What could not be read whole, in words (bad YAML, bad UTF-8).
    """

    id: str
    vault: str
    path: str
    title: str
    text: str
    etag: str
    summary: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=lambda: NO_PROPS)
    links: tuple[NoteLink, ...] = ()
    sections: tuple[Section, ...] = ()
    element: str | None = None
    at: datetime | None = None
    violations: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
