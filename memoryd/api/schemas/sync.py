"""Sessions: what others wrote, and what each was shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body, Instant, Page


class SyncBody(Body):
    """Whose news is wanted, and from where on."""

    session: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    cursor: Annotated[str, Field(max_length=100_000)] | None = None


class Change(Body):
    """A decision that somebody else recorded; or what became of a thing that the session was shown, without a date."""

    id: str
    kind: Literal["decision", "note", "forget"]
    title: str
    why: str
    at: Instant | None = None
    actor: str | None = None
    session: str | None
    project: str | None
    elements: list[str]
    supersedes: list[str]
    superseded_by: str | None = None


class SyncAnswer(Body):
    """What others wrote, oldest first, and the cursor behind it."""

    changes: list[Change]
    cursor: str


class ShowingAnswer(Body):
    """One text that a session was given: by what, to which sub-agent if to one, its size and what it showed."""

    event: str
    agent: str | None
    at: Instant
    units: int
    ids: list[str]


class SessionAnswer(Body):
    """A session and all that it was given; ``units`` is the sum in UTF-16 units."""

    session: str
    project: str | None
    source: str | None
    began: Instant
    last: Instant
    units: int
    showings: list[ShowingAnswer]


class SessionPage(Page):
    """Sessions, the one heard of last first."""

    items: list[SessionAnswer]
