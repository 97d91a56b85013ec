"""Applying plans, and taking them back: the only part of a plan that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from semantic.curation.plan import Plan, application, plan_of, plans, recorded_for, withdrawal
from semantic.errors import PlanSettled
from semantic.projection.ledger import Ledger
from semantic.projection.picture import Projection
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
        self._further: Callable[[Projection], Iterable[Plan]] = lambda _: ()

    def offer(self, further: Callable[[Projection], Iterable[Plan]]) -> None:
        """Let others propose too: called with the present picture whenever plans are asked for."""
        self._further = further

    def list(self) -> list[Plan]:
        """Return all plans: applied and undone ones, then what is proposed."""
        picture = self._ledger.projection()
        return plans(picture, self._further(picture))

    def get(self, id_: str) -> Plan:
        """Return a plan, or raise UnknownPlan."""
        picture = self._ledger.projection()
        return plan_of(picture, id_, self._further(picture))

    def apply(self, id_: str) -> Plan:
        """Record the steps of a plan that is proposed or was undone.

        Raises:
            UnknownPlan: Nothing is proposed under this id.
            PlanSettled: It is applied already.
            WriteFailed: It could not be made durable.
        """
        with self._ledger.writing:
            plan = self.get(id_)
            if plan.state == "applied":
                raise PlanSettled("this plan is applied already; it can be undone")
            for decision in application(plan, recorded_for(self._ledger.projection(), id_)):
                record(self._ledger, decision)
        return self._done(id_)

    def undo(self, id_: str) -> Plan:
        """Record the inverse of the steps of an applied plan.

        Raises:
            UnknownPlan: Nothing was applied under this id.
            PlanSettled: It is not applied.
            WriteFailed: It could not be made durable.
        """
        with self._ledger.writing:
            plan = self.get(id_)
            if plan.state != "applied":
                raise PlanSettled(f"this plan is {plan.state}; only one that is applied can be undone")
            for decision in withdrawal(plan, recorded_for(self._ledger.projection(), id_)):
                record(self._ledger, decision)
        return self._done(id_)

    def _done(self, id_: str) -> Plan:
        self._after()
        return self.get(id_)
