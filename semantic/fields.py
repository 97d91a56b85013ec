"""What a note, an element and a decision are to a search: names, fields, pieces, and what filters look at."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memoryd.text.canonical import digest
from semantic.model import Decision, Element, Note, Scope, Section
from semantic.tag import fold_tag

DocumentKind = Literal["note", "element", "decision"]

HUB_TAG = "type/hub"
SAME_AS = "same_as"
MAX_ANCHOR_CHARACTERS = 1000
"""A longer line is a paragraph that says much beside what it says of a link's target."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece that is found and embedded by itself.

    Attributes:
        id: A section's chunk id, or the document's own id.
        heading: The titles above the text, in one string.
        body: The text that is searched.
        embedded: The exact string that gets a vector, empty for none. It holds no path, no file name and no front
            matter beside its own, so that a rename or a new tag embeds nothing.
        section: The section of the note, ``None`` for the head of a document.
        key: Tells whether a vector was made of this very string.
    """

    id: str
    heading: str
    body: str
    embedded: str
    section: Section | None = None
    key: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", digest(self.embedded, length=32) if self.embedded else "")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line of a note that links to other notes: what it says, it says of them.

    ``targets`` are the ids of those that are there; the line is kept while they are not. ``line`` is its number in
    the file, from 1.
    """

    text: str
    targets: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that can be a hit.

    Attributes:
        names: What it is called: title, aliases, file name.
        called: Whether the names are looked for in a question (a decision's title is no name).
        gist: What it says of itself in a line: a summary, a gist.
        tags: Folded.
        path: ``<vault>:<path>`` of a note.
        projects: Project ids, or names that a note's ``project/…`` tags give.
        element: The element that a note is joined to.
        superseded_by: The decision that replaced this one.
        anchors: The lines by which a note links to others.
        linked: What an element is linked with by the log: ids, or paths.
    """

    id: str
    kind: DocumentKind
    names: tuple[str, ...]
    gist: str
    units: tuple[Unit, ...]
    scope: Scope
    path: str | None = None
    called: bool = True
    tags: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    at: datetime | None = None
    valid_at: datetime | None = None
    element: str | None = None
    superseded_by: str | None = None
    anchors: tuple[Anchor, ...] = ()
    linked: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """Return what this links to, each once."""
        return tuple(dict.fromkeys((*self.linked, *(one for anchor in self.anchors for one in anchor.targets))))

    @property
    def is_hub(self) -> bool:
        """Tell whether this is a note that leads to others."""
        return HUB_TAG in self.tags


def note_document(note: Note) -> Document:
    """Return a note as a document: a head, and a unit for each section."""
    stem = posixpath.basename(note.path)[: -len(".md")]
    named = note.front_matter.get("title")
    own = [
        *([named.strip()] if isinstance(named, str) else []),
        *note.aliases,
        *([note.summary] if note.summary else []),
    ]
    projects = tuple(tag.partition("/")[2] for tag in note.tags if tag.startswith("project/"))
    head = Unit(note.id, "", "", "\n".join(own))
    return Document(
        id=note.id,
        kind="note",
        names=tuple(dict.fromkeys((note.title, stem, *note.aliases))),
        gist=note.summary or "",
        units=(head, *(_section_unit(section) for section in note.sections)),
        scope="project" if projects or "scope/project" in note.tags else "user",
        path=f"{note.vault}:{note.path}",
        tags=note.tags,
        projects=projects,
        at=note.at,
        element=note.element,
        anchors=_anchors(note),
    )


def element_document(element: Element, tags: tuple[str, ...] = ()) -> Document:
    """Return an element as a document; ``tags`` are those of the notes joined to it."""
    names = tuple(dict.fromkeys((element.name, *element.aliases)))
    body = "\n".join([element.kind, *element.notes, *element.touches, *_texts(element.props)])
    embedded = f"{element.kind}: {', '.join(names)}\n{element.gist}".strip()
    return Document(
        id=element.id,
        kind="element",
        names=names,
        gist=element.gist,
        units=(Unit(element.id, "", body, "\n".join([embedded, *element.notes])),),
        scope=element.scope,
        tags=tags,
        projects=() if element.project is None else (element.project,),
        at=element.at,
        linked=tuple(dict.fromkeys(link.target for link in element.links if link.source == element.id)),
    )


def decision_document(decision: Decision) -> Document:
    """Return a decision as a document: its title and its why."""
    return Document(
        id=decision.id,
        kind="decision",
        names=(decision.title,),
        gist="",
        units=(Unit(decision.id, "", decision.why, f"{decision.title}\n{decision.why}".strip()),),
        scope=decision.scope,
        called=False,
        projects=() if decision.project is None else (decision.project,),
        at=decision.at,
        valid_at=decision.valid_at,
        superseded_by=decision.superseded_by,
    )


def project_names(project: str) -> tuple[str, ...]:
    """Return the forms in which a project id may stand in a tag: whole, and without its eight hex digits."""
    slug, dash, tail = project.rpartition("-")
    is_id = bool(dash) and len(tail) == 8 and all(digit in "0123456789abcdef" for digit in tail)
    return tuple(dict.fromkeys((fold_tag(project), fold_tag(slug if is_id else project))))


def _anchors(note: Note) -> tuple[Anchor, ...]:
    lines = note.text.split("\n") if note.links else []
    linked: dict[int, dict[str, None]] = {}
    for link in note.links:
        targets = linked.setdefault(link.line, {})
        if link.target is not None and link.target.startswith("no_") and link.target != note.id:
            targets.setdefault(link.target)
    return tuple(
        Anchor(lines[line - 1][:MAX_ANCHOR_CHARACTERS], tuple(targets), line)
        for line, targets in sorted(linked.items())
        if 0 < line <= len(lines)
    )


def _section_unit(section: Section) -> Unit:
    heading = section.heading
    # The piece's own heading line stands in its text; only what is above it has to be said.
    first_line = section.text.lstrip().partition("\n")[0]
    above = heading[:-1] if heading and first_line.startswith("#") else heading
    embedded = f"{' > '.join(above)}\n{section.text}" if above else section.text
    return Unit(section.id, " ".join(heading), section.text, embedded, section)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
