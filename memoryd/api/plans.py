"""``/v1/plans``: proposals to tidy what is known, to be read, applied and taken back."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from memoryd.api.conventions import cut_page
from memoryd.api.present import page_body
from memoryd.api.request import LIMIT_DEFAULT, Cursor, Limit
from memoryd.api.route import answer, documented, new_router
from memoryd.api.schemas.plans import PlanAnswer, PlanBody, PlanPage
from memoryd.api.services import Services
from semantic.curation.plan import Plan


def plans_router(services: Services) -> APIRouter:
    """Return the routes of plans."""
    router = new_router(services, "plans")

    @router.get(
        "/plans", operation_id="list_plans", responses=documented(PlanPage, text="What was done, then proposals")
    )
    def list_plans(cursor: Cursor = None, limit: Limit = LIMIT_DEFAULT) -> Response:
        """List the plans that were applied or undone, and what is proposed now."""
        page, following = cut_page(services.semantic.planning.list(), limit, cursor)
        return answer(services, page_body([_body(plan) for plan in page], following))

    @router.post("/plans", operation_id="propose_plans", responses=documented(PlanPage, text="What is proposed"))
    def propose(body: PlanBody) -> Response:
        """Look for what could be tidied. Nothing is recorded; what was undone or refused is not proposed again."""
        found = [
            plan
            for plan in services.semantic.planning.list()
            if plan.state == "proposed" and body.kind in {None, plan.kind}
        ]
        return answer(services, page_body([_body(plan) for plan in found], None))

    @router.get("/plans/{id}", operation_id="get_plan", responses=documented(PlanAnswer, 404, text="The plan"))
    def get(id: str) -> Response:  # noqa: A002 - the name of the path parameter is the contract's
        """Show a plan with its steps."""
        return answer(services, _body(services.semantic.planning.get(id)))

    @router.post(
        "/plans/{id}/apply",
        operation_id="apply_plan",
        responses=documented(PlanAnswer, 404, 409, text="It is recorded"),
    )
    def apply(id: str) -> Response:  # noqa: A002 - as above
        """Record the steps of a plan as decisions."""
        return _done(services.semantic.planning.apply(id))

    @router.post(
        "/plans/{id}/undo",
        operation_id="undo_plan",
        responses=documented(PlanAnswer, 404, 409, text="It is taken back"),
    )
    def undo(id: str) -> Response:  # noqa: A002 - as above
        """Record the inverse of the steps of an applied plan; what was recorded since stays."""
        return _done(services.semantic.planning.undo(id))

    @router.post(
        "/plans/{id}/refuse",
        operation_id="refuse_plan",
        responses=documented(PlanAnswer, 404, 409, text="It is not proposed again"),
    )
    def refuse(id: str) -> Response:  # noqa: A002 - as above
        """Record that a proposal is not wanted. It can be applied all the same."""
        return _done(services.semantic.planning.refuse(id))

    def _done(plan: Plan) -> Response:
        services.stored()
        return answer(services, _body(plan))

    return router


def _body(plan: Plan) -> dict[str, Any]:
    return {
        "id": plan.id,
        "kind": plan.kind,
        "title": plan.title,
        "state": plan.state,
        "steps": [
            {
                "title": step.title,
                "why": step.why,
                "scope": step.scope,
                "project": step.project,
                "mutations": [dict(mutation) for mutation in step.mutations],
                "evidence": list(step.evidence),
                **({} if step.cited_by is None else {"decision": step.cited_by}),
            }
            for step in plan.steps
        ],
    }
