"""Applying plans, and taking them back: the only part of a plan that writes."""

from __future__ import annotations

from collections.abc import Callable

from semantic.errors import PlanSettled
from semantic.ledger import Ledger
from semantic.plan import Plan, application, plan_of, plans, recorded_for, withdrawal
from semantic.recording import record


class Planning:
    """The plans of a log. May be called from any thread.

    Args:
        ledger: The log.
        after: Called when something was recorded.
    """

    def __init__(self, ledger: Ledger, after: Callable[[], object]) -> None:
        self._ledger = ledger
        self._after = after

    def list(self) -> list[Plan]:
        """Return all plans: applied and undone ones, then what is proposed."""
        return plans(self._ledger.projection())

    def get(self, id_: str) -> Plan:
        """Return a plan, or raise UnknownPlan."""
        return plan_of(self._ledger.projection(), id_)

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
