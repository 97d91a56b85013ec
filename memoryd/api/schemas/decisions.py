"""Decisions, elements and links: what is known, and why."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from memoryd.api.schemas.base import Body, Instant, Page, ScopeName


class DecisionBody(Body):
    """A decision to be recorded. Each mutation is ``{op, …}``; an element in it is ``{kind, name}`` or an id."""

    title: Annotated[str, Field(min_length=1, max_length=500)]
    why: Annotated[str, Field(min_length=1)]
    mutations: list[dict[str, Any]]
    scope: ScopeName | None = None
    cwd: str | None = None
    project: str | None = None
    session: str | None = None
    evidence: list[str] | None = None
    supersedes: list[str] | None = None
    about: list[str] | None = None
    valid_at: str | None = None
    new: bool = False


class DecisionRecorded(Body):
    """What was recorded: the ids it touched, the heads now, what it superseded, what to look at."""

    id: str
    elements: list[str]
    heads: list[str]
    superseded: list[str]
    warnings: list[str]


class DecisionAnswer(Body):
    """A decision as recorded."""

    id: str
    title: str
    why: str
    at: Instant
    valid_at: Instant
    actor: str
    session: str | None
    scope: ScopeName
    project: str | None
    mutations: list[dict[str, Any]]
    elements: list[str]
    evidence: list[str]
    supersedes: list[str]
    about: list[str]
    superseded_by: str | None = None


class ChangedLine(Body):
    """A line of the log that somebody changed by hand: it is not used, and may be recorded as a decision."""

    path: str
    line: int
    title: str
    why: str
    mutations: list[dict[str, Any]]
    project: str | None
    evidence: list[str]
    about: list[str]


class ChangedPage(Page):
    """Changed lines, by file and line."""

    items: list[ChangedLine]


class LinkAnswer(Body):
    """A typed edge. ``to`` may be a plain path that has no node."""

    source: Annotated[str, Field(alias="from")]
    rel: str
    to: str
    decision: str


class StandingAnswer(Body):
    """Where an element stands in the active set of its scope, and why: it is archived from the lowest score up."""

    score: Annotated[float, Field(description="0 to 1: a third recency, two thirds connectedness.")]
    recency: Annotated[float, Field(description="The share of the scope that was written or read less lately.")]
    connectedness: Annotated[float, Field(description="The share of the scope that hangs together with less.")]
    units: Annotated[int, Field(description="What its line costs, in UTF-16 units.")]
    archived: bool
    pinned: bool
    graced: Annotated[bool, Field(description="It is new, and therefore kept for its first days.")]


class ElementAnswer(Body):
    """A thing known. ``standing`` is there where it was asked for."""

    id: str
    kind: str
    name: str
    gist: str
    notes: list[str]
    touches: list[str]
    aliases: list[str]
    props: dict[str, Any]
    scope: ScopeName
    project: str | None
    archived: bool
    links: list[LinkAnswer]
    heads: list[str]
    evidence: list[str]
    unconfirmed_since: Annotated[
        str | None, Field(description="The day since when a file that it touches is not what it was when confirmed.")
    ] = None
    standing: StandingAnswer | None = None


class ElementPage(Page):
    """Elements in a fixed order."""

    items: list[ElementAnswer]


class HistoryItem(Body):
    """One decision in an element's history."""

    id: str
    kind: str
    title: str
    why: str
    at: Instant
    valid_at: Annotated[Instant | None, Field(description="From when it holds, where that is not `at`.")] = None
    actor: str
    supersedes: list[str]
    superseded_by: str | None = None


class HistoryPage(Page):
    """The chain of decisions, oldest first."""

    items: list[HistoryItem]


class ConflictItem(Body):
    """An element with more than one head."""

    element: ElementAnswer
    heads: list[HistoryItem]


class ConflictPage(Page):
    """Conflicts in a fixed order."""

    items: list[ConflictItem]


class NeighborItem(Body):
    """A link and what stands at its other end; a plain path has no element."""

    link: LinkAnswer
    element: ElementAnswer | None


class NeighborPage(Page):
    """The edges around an element."""

    items: list[NeighborItem]


class ForgetBody(Body):
    """Ids whose text is to be removed for good: elements, decisions, episodes."""

    ids: Annotated[list[str], Field(min_length=1)]


class ForgetAnswer(Body):
    """What was forgotten, and what this cannot reach."""

    ids: list[str]
    events: list[str]
    not_reached: list[str]


class ProjectAnswer(Body):
    """A project as known."""

    id: str
    name: str
    remotes: list[str]
    roots: list[dict[str, str]]


class ProjectPage(Page):
    """Projects by id."""

    items: list[ProjectAnswer]


class MergeBody(Body):
    """Two ids of one project."""

    from_: Annotated[str, Field(alias="from")]
    into: str
