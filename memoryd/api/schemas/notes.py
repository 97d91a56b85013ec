"""Notes of the vaults, read as they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from memoryd.api.schemas.base import Body, Page


class NoteLinkAnswer(Body):
    """A link as written and where it leads; ``target`` is ``null`` while nothing has that name."""

    written: str
    target: str | None
    heading: str | None = None
    block: str | None = None
    shown: str | None = None
    embed: bool = False
    line: int
    ambiguous: list[str] = Field(default_factory=list)
    inferred: bool = False


class NoteAnswer(Body):
    """A note. ``broken`` lists links that lead nowhere, ``violations`` what breaks the note contract."""

    vault: str
    path: str
    title: str
    summary: str | None = None
    tags: list[str]
    links: list[NoteLinkAnswer]
    broken: list[str]
    violations: list[str]
    text: str
    etag: str


class NotePage(Page):
    """Notes by vault and path."""

    items: list[NoteAnswer]


class NoteBody(Body):
    """The whole text of a note, front matter included; it is stored byte for byte."""

    text: str


class NoteMoveBody(Body):
    """Where a note lies and where it goes, as ``<vault>:<path>``; a bare path is in the vault for new notes."""

    source: Annotated[str, Field(alias="from", min_length=1)]
    target: Annotated[str, Field(alias="to", min_length=1)]
    dry: Annotated[bool, Field(description="Only tell what would change; nothing is done.")] = False


class NoteChangeAnswer(Body):
    """A note whose text changes with a move: where it lies afterwards, its ETag before, and a unified diff."""

    vault: str
    path: str
    etag: str
    diff: str


class NoteLeftAnswer(Body):
    """A link that is not mended, and why: a person has to look at it."""

    path: str
    line: int
    written: str
    reason: str


class NoteMoveAnswer(Body):
    """A move: the note's new id, what else changes, what is left. ``decision`` records a move that was done."""

    id: str
    source: Annotated[str, Field(alias="from")]
    target: Annotated[str, Field(alias="to")]
    dry: bool
    changes: list[NoteChangeAnswer]
    left: list[NoteLeftAnswer]
    decision: str | None = None


class NoteCheckBody(Body):
    """A text to be held against the note contract before it is written."""

    text: str
    vault: str = "vault"
    path: Annotated[str, Field(min_length=1)] = "New note.md"


class NoteCheckAnswer(Body):
    """What breaks the contract, each with its fix; empty when nothing does."""

    violations: list[str]
