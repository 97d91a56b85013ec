"""Giving a decision more evidence: one more line of the log with the decision's id, of which only what it cites counts.

Two lines with one id are one decision, and what they cite is united. So evidence is added without touching the line
that decided, on any install, and cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

from semantic.errors import Purged
from semantic.log.citation import check_evidence
from semantic.log.instant import write_instant
from semantic.log.shards import Draft
from semantic.model import Decision
from semantic.projection.ledger import Ledger


def cite(ledger: Ledger, id_: str, evidence: Sequence[str], *, actor: str, session: str | None) -> Decision:
    """Record that a decision has this evidence too, and return it; nothing is written if it has it already.

    Raises:
        UnknownElement: There is no such decision.
        InvalidDecision: What is cited is no evidence.
        Purged: What is cited was forgotten.
        WriteFailed: It could not be made durable; nothing was recorded.
    """
    with ledger.writing:
        picture = ledger.present()
        decision = picture.decision(id_)
        added = [one for one in dict.fromkeys(evidence) if one not in decision.evidence]
        for index, one in enumerate(added):
            check_evidence(one, f"evidence[{index}]")
            if one in picture.forgotten:
                raise Purged(f"{one} was forgotten and stays so; it is evidence of nothing")
        if not added:
            return decision
        body = {
            "title": decision.title,
            "why": decision.why,
            "valid_at": write_instant(decision.valid_at),
            "mutations": [dict(mutation) for mutation in decision.mutations],
            "evidence": added,
            "supersedes": list(decision.supersedes),
            "about": list(decision.about),
        }
        ledger.record(Draft("decision", id_, body, actor, session, decision.project))
        return ledger.present().decision(id_)
