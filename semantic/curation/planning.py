"""Applying plans, and taking them back: the only part of a plan that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from semantic.curation.plan import ACTOR, Plan, application, plan_of, plans, recorded_for, refusal, withdrawal
from semantic.errors import PlanSettled
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection
from semantic.writing.citing import cite
from semantic.writing.recording import record


class Planning:
    """The plans of a log. May be called from any thread.

    Args:
        ledger: The log.
        after: Called when something was recorded.
    """

    def __init__(self, ledger: Ledger, after: Callable[[], object]) -> None:
        self._ledger = ledger
        self._after = after
        self._further: tuple[Callable[[Projection], Iterable[Plan]], ...] = ()

    def offer(self, *further: Callable[[Projection], Iterable[Plan]]) -> None:
        """Let others propose too: called with the present picture whenever plans are asked for."""
        self._further = further

    def _others(self, picture: Projection) -> Iterator[Plan]:
        return chain.from_iterable(propose(picture) for propose in self._further)

    def list(self) -> list[Plan]:
        """Return all plans: applied and undone ones, then what is proposed or was refused."""
        picture = self._ledger.projection()
        return plans(picture, self._others(picture))

    def get(self, id_: str) -> Plan:
        """Return a plan, or raise UnknownPlan."""
        picture = self._ledger.projection()
        return plan_of(picture, id_, self._others(picture))

    def apply(self, id_: str) -> Plan:
        """Record the steps of a plan that is proposed, or was refused or undone.

        Raises:
            UnknownPlan: Nothing is proposed under this id.
            PlanSettled: It is applied already.
            Purged: What it would cite was forgotten.
            WriteFailed: It could not be made durable.
        """
        with self._ledger.writing:
            plan = self.get(id_)
            if plan.state == "applied":
                after = "what a decision cites stays" if plan.kind == "evidence" else "it can be undone"
                raise PlanSettled(f"this plan is applied already; {after}")
            for step in plan.steps:
                if step.cited_by is not None:
                    cite(self._ledger, step.cited_by, step.evidence, actor=ACTOR, session=id_)
            for decision in application(plan, recorded_for(self._ledger.projection(), id_)):
                record(self._ledger, decision)
        return self._done(id_)

    def undo(self, id_: str) -> Plan:
        """Record the inverse of the steps of an applied plan.

        Raises:
            UnknownPlan: Nothing was applied under this id.
            PlanSettled: It is not applied, or it added evidence.
            WriteFailed: It could not be made durable.
        """
        with self._ledger.writing:
            plan = self.get(id_)
            if plan.state != "applied":
                raise PlanSettled(f"this plan is {plan.state}; only one that is applied can be undone")
            if plan.kind == "evidence":
                cited = ", ".join(one for step in plan.steps for one in step.evidence)
                raise PlanSettled(
                    "evidence cannot be taken back: lines of one decision unite what they cite, on every install; "
                    f"to take out the entry itself, `memoryd forget {cited}`"
                )
            for decision in withdrawal(plan, recorded_for(self._ledger.projection(), id_)):
                record(self._ledger, decision)
        return self._done(id_)

    def refuse(self, id_: str) -> Plan:
        """Record that a proposal is not wanted: it is not proposed again. It can be applied all the same.

        Raises:
            UnknownPlan: Nothing is proposed under this id.
            PlanSettled: It is no proposal any more.
            WriteFailed: It could not be made durable.
        """
        with self._ledger.writing:
            plan = self.get(id_)
            if plan.state != "proposed":
                raise PlanSettled(f"this plan is {plan.state}; only what is proposed can be refused")
            record(self._ledger, refusal(plan))
        return self._done(id_)

    def _done(self, id_: str) -> Plan:
        self._after()
        return self.get(id_)
