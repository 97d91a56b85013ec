"""Bodies of the graph: nodes and links as drawing programs read them, paths and explanations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from memoryd.api.schemas.base import Body, Lines
from memoryd.api.schemas.decisions import HistoryItem

Confidence = Literal["EXTRACTED", "INFERRED", "AMBIGUOUS"]
PlaneName = Literal["curated", "note", "extracted", "code"]
Named = Annotated[str, Field(min_length=1, max_length=500)]


class GraphNode(Body):
    """A node. ``path`` is that of the note that it is, ``about`` what it is, ``names`` what else it is called."""

    id: str
    kind: str
    plane: PlaneName
    name: str
    path: str | None = None
    about: str | None = None
    names: list[str] | None = None
    scope: str | None = None
    project: str | None = None
    note: str | None = None
    community: str | None = None


class GraphLink(Body):
    """An edge, and where it was read: a file with lines, or a decision. ``reason`` says why it is not certain."""

    source: str
    target: str
    relation: str
    plane: PlaneName
    confidence: Confidence
    source_path: str | None = None
    lines: Lines | None = None
    decision: str | None = None
    reason: str | None = None
    support: int | None = None


class GraphAnswer(Body):
    """The graph as node-link JSON; ``schema_version`` changes when a reader has to change."""

    schema_version: int
    directed: bool
    multigraph: bool
    graph: dict[str, Any]
    nodes: list[GraphNode]
    links: list[GraphLink]
    degraded: list[str]


class PathBody(Body):
    """Two ends, each an id or a name; ``as_of`` asks about the log as it was then."""

    from_: Annotated[Named, Field(alias="from")]
    to: Named
    as_of: str | None = None


class PathStep(GraphLink):
    """One step; ``forward`` tells whether it is walked from its source to its target."""

    forward: bool


class PathAnswer(Body):
    """How two things hang together. Without a path ``steps`` is empty and ``found`` is false.

    ``nodes`` are those on the path in order; ``cost`` is lower where the ties say more; ``cut`` says that the search
    ended at its limit.
    """

    from_: Annotated[GraphNode, Field(alias="from")]
    to: GraphNode
    found: bool
    cut: bool
    cost: float
    nodes: list[GraphNode]
    steps: list[PathStep]
    degraded: list[str]


QUERY_UNITS = 8_000
"""What the answer to a question may cost where the caller sets no limit, in UTF-16 units of its nodes and links."""


class QueryBody(Body):
    """A question in words, and how long the answer may be; ``as_of`` asks about the log as it was then."""

    query: Annotated[str, Field(min_length=1, max_length=4_000)]
    max_chars: Annotated[int, Field(ge=500, le=200_000)] = QUERY_UNITS
    as_of: str | None = None


class Start(Body):
    """A node that the question led to, and how well it answers it, from 0 to 1."""

    id: str
    score: float


class LeftOut(Body):
    """What belongs to the answer and did not fit, and how many further ties the nodes shown have."""

    nodes: int
    links: int
    further_ties: int


class QueryAnswer(Body):
    """The part of the graph that answers a question, the nearest to it first.

    Every end of ``links`` is among ``nodes``; ``units`` is what both take as JSON.
    """

    query: str
    starts: list[Start]
    nodes: list[GraphNode]
    links: list[GraphLink]
    left_out: LeftOut
    units: int
    degraded: list[str]


class ExplainBody(Body):
    """An id or a name; ``as_of`` asks about the log as it was then."""

    of: Named
    as_of: str | None = None


class Hanging(Body):
    """One tie of a thing and what is at its other end."""

    link: GraphLink
    forward: bool
    node: GraphNode


class ExplainedNote(Body):
    """A note that speaks of a thing."""

    id: str
    path: str
    title: str
    summary: str | None = None


class ExplainAnswer(Body):
    """What a thing is and what it hangs on, the strongest ties first; ``left_out`` counts those not shown."""

    node: GraphNode
    relations: dict[str, int]
    hangs_on: list[Hanging]
    left_out: int
    decisions: list[HistoryItem]
    notes: list[ExplainedNote]
    evidence: list[str]
    degraded: list[str]
