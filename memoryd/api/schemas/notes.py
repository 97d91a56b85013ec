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


class NoteCheckBody(Body):
    """A text to be held against the note contract before it is written."""

    text: str
    vault: str = "vault"
    path: Annotated[str, Field(min_length=1)] = "New note.md"


class NoteCheckAnswer(Body):
    """What breaks the contract, each with its fix; empty when nothing does."""

    violations: list[str]
