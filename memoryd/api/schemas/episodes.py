"""Episodes and days: what happened, and when."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from memoryd.api.schemas.base import Body, Instant, Lines, Page


class EpisodeBody(Body):
    """An entry to be written to the journal."""

    text: Annotated[str, Field(min_length=1)]
    at: str | None = None
    title: Annotated[str, Field(max_length=500)] | None = None
    cwd: str | None = None
    project: str | None = None
    session: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    turn: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    files: list[str] | None = None


class EpisodeWritten(Body):
    """Where the entry stands. It is on disk when this answer is sent."""

    id: str
    path: str
    lines: Lines
    at: Instant


class EpisodeAnswer(Body):
    """An entry as read back. ``text`` is the text as stored, without heading and anchor."""

    id: str
    title: str
    text: str
    at: Instant
    path: str
    lines: Lines
    project: str | None
    session: str | None
    superseded_by: str | None = None
    expanded: str | None = None


class EpisodePage(Page):
    """Episodes, newest first by (at, id)."""

    items: list[EpisodeAnswer]


class DayAnswer(Body):
    """One day of the calendar."""

    date: str
    episodes: int
    notes: int


class DayPage(Page):
    """The calendar with counts, newest first."""

    items: list[DayAnswer]


class DayEpisodes(Page):
    """One day in order, to its end."""

    date: str
    items: list[EpisodeAnswer]
