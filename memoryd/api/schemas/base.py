"""What all bodies share: unknown fields are refused, and lists have one envelope."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """A body of the interface. Fields that no table names are refused (422), and so is ``"5"`` for a number."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, strict=True)


class Page(Body):
    """The envelope of every list. ``next_cursor`` is ``null`` on the last page."""

    next_cursor: str | None = None


Lines = Annotated[
    list[int], Field(min_length=2, max_length=2, description="First and last line, 1-based, of the file as stored")
]
Instant = Annotated[str, Field(description="RFC 3339 with offset", examples=["2026-11-30T14:05:12+01:00"])]
StoreName = Literal["episodic", "semantic", "both"]
KindName = Literal["episode", "section", "note", "element", "decision"]
ScopeName = Literal["user", "project"]
Limit = Annotated[int, Field(ge=1, le=500)]
