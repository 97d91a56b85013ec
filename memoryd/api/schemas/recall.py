"""``POST /v1/recall`` and ``POST /v1/route``: a question, and one explained answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body, Instant, KindName, Limit, Lines, StoreName


class RecallBody(Body):
    """A question, and what may narrow it. ``cwd`` only ranks; ``project``, times, tags, kinds and session filter."""

    query: Annotated[str, Field(max_length=20_000, description="May be empty only with since or until")]
    limit: Annotated[Limit | None, Field(description="Default 10; a span read in order goes to its end")] = None
    store: Literal["auto", "episodic", "semantic", "both"] = "auto"
    cwd: str | None = None
    project: str | None = None
    scope: Literal["user", "project", "all"] = "all"
    tags: list[str] | None = None
    kinds: list[KindName] | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    max_chars: Annotated[int, Field(ge=1)] | None = None
    explain: bool = False


class RouteBody(Body):
    """A question to be routed, not answered."""

    query: Annotated[str, Field(min_length=1, max_length=20_000)]
    cwd: str | None = None


class RangeAnswer(Body):
    """The half-open span of time that was read from the question."""

    since: Instant | None
    until: Instant | None


class RouteAnswer(Body):
    """Which memory answers, how sure that is, and why, in words."""

    store: StoreName
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasons: list[str]
    range: RangeAnswer | None = None


class HitAnswer(Body):
    """One line of an answer. ``score`` is comparable inside one answer only."""

    id: str
    episode: str | None = None
    store: Literal["episodic", "semantic"]
    kind: KindName
    title: str
    text: str
    summary: str | None = None
    score: Annotated[float, Field(ge=0, le=1)]
    path: str | None
    lines: Lines | None
    at: Instant | None
    project: str | None
    session: str | None
    superseded_by: str | None = None
    sources: list[str]


class RecallAnswer(Body):
    """The answer: the route with its reasons, the hits best first, and what had to be done without."""

    query: str
    route: RouteAnswer
    hits: list[HitAnswer]
    degraded: list[str]
    took_ms: int
    explain: dict[str, Any] | None = None


class RoutedAnswer(Body):
    """The route alone."""

    query: str
    route: RouteAnswer
