"""Plans: what is proposed to tidy what is known."""

from __future__ import annotations

from typing import Any, Literal

from memoryd.api.schemas.base import Body, Page, ScopeName

PlanKind = Literal["consolidation", "promotion", "evidence"]


class PlanBody(Body):
    """What to look for: near names of one thing, facts that recur, more evidence of decisions; without a kind, all."""

    kind: PlanKind | None = None


class PlanStep(Body):
    """A decision that applying the plan records, or has recorded; with `decision`, that one gains the evidence."""

    title: str
    why: str
    scope: ScopeName
    project: str | None
    mutations: list[dict[str, Any]]
    evidence: list[str]
    decision: str | None = None


class PlanAnswer(Body):
    """A plan and its steps. `proposed` and `refused`: nothing of it is recorded."""

    id: str
    kind: PlanKind
    title: str
    state: Literal["proposed", "applied", "undone", "refused"]
    steps: list[PlanStep]


class PlanPage(Page):
    """Plans: applied and undone ones first, then what is proposed or was refused."""

    items: list[PlanAnswer]
