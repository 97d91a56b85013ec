"""Plans: what is proposed to tidy what is known."""

from __future__ import annotations

from typing import Any, Literal

from memoryd.api.schemas.base import Body, Page, ScopeName

PlanKind = Literal["consolidation", "promotion"]


class PlanBody(Body):
    """What to look for: near names of one thing, or facts that recur; without a kind, both."""

    kind: PlanKind | None = None


class PlanStep(Body):
    """A decision that applying the plan records, or has recorded."""

    title: str
    why: str
    scope: ScopeName
    project: str | None
    mutations: list[dict[str, Any]]
    evidence: list[str]


class PlanAnswer(Body):
    """A plan and its steps. `proposed`: nothing of it is recorded."""

    id: str
    kind: PlanKind
    title: str
    state: Literal["proposed", "applied", "undone"]
    steps: list[PlanStep]


class PlanPage(Page):
    """Plans: applied and undone ones first, then what is proposed."""

    items: list[PlanAnswer]
