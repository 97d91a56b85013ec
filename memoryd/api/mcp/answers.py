"""What each tool answers with: the schemas of structured output. A field without a value is left out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Cut = Annotated[str | None, Field(description="What was left out for length, and how to get it.")]


class Output(BaseModel):
    """A tool's answer."""

    model_config = ConfigDict(extra="forbid")


class RecallHit(Output):
    """One line of an answer; `read` gives it whole by its id."""

    id: str
    kind: Literal["episode", "section", "note", "element", "decision"]
    title: str
    text: str
    at: str | None = None
    summary: str | None = None
    path: str | None = None
    lines: list[int] | None = None
    episode: str | None = None
    project: str | None = None
    superseded_by: Annotated[str | None, Field(description="A later decision: do not take this as current.")] = None


class Recalled(Output):
    """Hits, best first, and why this memory was asked."""

    store: Literal["episodic", "semantic", "both"]
    reasons: list[str]
    range: dict[str, Any] | None = None
    hits: list[RecallHit]
    degraded: Annotated[list[str] | None, Field(description="What memory had to do without.")] = None
    cut: Cut = None


class Remembered(Output):
    """Where the entry stands. It is on disk."""

    id: str
    path: str
    lines: list[int]
    at: str
    created: Annotated[bool, Field(description="False: it was there already.")]


class Decided(Output):
    """What was recorded, what holds now, what it replaced. It is on disk."""

    id: str
    elements: list[str]
    heads: list[str]
    superseded: list[str]
    warnings: list[str]
    created: Annotated[bool, Field(description="False: it was recorded already and still holds.")]


class Read(Output):
    """One thing whole, or everything active as text."""

    kind: Literal["episode", "decision", "element", "note", "day", "context"]
    item: dict[str, Any] | None = None
    items: list[dict[str, Any]] | None = None
    text: str | None = None
    cut: Cut = None


class Graphed(Output):
    """Elements, edges, a history, conflicts, a path or an explanation."""

    op: str
    items: list[dict[str, Any]]
    text: str | None = None
    next_cursor: str | None = None
    cut: Cut = None


class Synced(Output):
    """What others wrote since the cursor."""

    changes: list[dict[str, Any]]
    cursor: str | None = None
    cut: Cut = None


class Noted(Output):
    """The note as it stands now, or what breaks the contract."""

    vault: str
    path: str
    written: bool
    etag: str | None = None
    violations: list[str]


class Attended(Output):
    """What was recorded."""

    op: str
    ids: list[str]
