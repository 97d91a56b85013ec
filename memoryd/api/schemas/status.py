"""What the daemon says of itself, and the context it renders."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from memoryd.api.schemas.base import Body, Page


class EpisodicStatus(Body):
    """The episodic half: searchable pieces, the engine that holds them, the embedding model."""

    chunks: int
    engine: str
    model: str


class SemanticStatus(Body):
    """The semantic half, by kind."""

    elements: int
    links: int
    decisions: int
    notes: int


class CaptureStatus(Body):
    """Turns since the start: written, of those such that no stop had told of, and all by what became of them."""

    recorded: int
    missed: int
    outcomes: dict[str, int]


class StatusAnswer(Body):
    """One look at the daemon. ``pending`` counts files, chunks and vectors that are not yet indexed."""

    version: str
    ready: bool
    pending: Annotated[int, Field(ge=0)]
    episodic: EpisodicStatus
    semantic: SemanticStatus
    capture: CaptureStatus
    degraded: list[str]


class ProblemFile(Body):
    """A file that could not be read whole, and in words what was wrong and what was done about it."""

    path: str
    reason: str


class ProblemPage(Page):
    """Files with problems, by path."""

    items: list[ProblemFile]


class ReadyAnswer(Body):
    """Whether the stores are open."""

    ready: bool


class AliveAnswer(Body):
    """The process answers."""

    status: str


class ContextAnswer(Body):
    """What an agent is given at the start of a session, and what it costs (UTF-16 units).

    A part is ``{name}``, and ``left_out`` where so many of its lines, or all of them, did not fit into ``max_chars``.
    """

    text: str
    units: int
    session: str | None
    parts: list[dict[str, Any]]
