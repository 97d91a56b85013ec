"""Reviewable proposals: two names of one thing made one, a fact of many places made general, a decision its evidence.

Proposals are a function of the present picture; nothing is stored of one that nobody applied or refused. Applying one
records its steps as decisions whose session is the plan's id, undoing it records their inverse, and refusing it a
decision that changes nothing, so that the log alone says which plans were applied, taken back and refused. Evidence is
added by one more line of the decision that gains it, and stays: lines of one id unite what they cite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

from memoryd.text.canonical import digest, fold_name
from semantic.errors import UnknownPlan
from semantic.identity import EDIT_LETTERS, digits_of, loose_name, why_loose_near
from semantic.model import Decision, Element, Scope
from semantic.projection.picture import Projection
from semantic.writing.recording import MAX_TITLE, NewDecision

ACTOR = "job:plan"
UNDONE = "Undone: "
"""How the titles of decisions begin that take a step back."""

REFUSED = "Refused: "
"""How the title of the decision begins that refuses a proposal."""

WITHDRAWN = "withdrawn"
"""The property of an element that a plan made and that was taken back."""

_AGAIN = " (again, "
_MOST_ALIKE = 200
"""Of more names than these that are alike in half their letters, none are compared: they are a series."""

PROJECTS = 3
DAYS = 5
"""In so many projects, or on so many days, a fact of projects recurs before it is proposed for all."""

State = Literal["proposed", "applied", "undone", "refused"]
Kind = Literal["consolidation", "promotion", "evidence"]


@dataclass(frozen=True, slots=True)
class Step:
    """A decision that a plan would record; ``project`` is ``None`` in user scope.

    With ``cited_by`` it is none of its own: that decision gains the evidence.
    """

    title: str
    why: str
    mutations: tuple[Mapping[str, Any], ...]
    project: str | None = None
    evidence: tuple[str, ...] = ()
    cited_by: str | None = None

    @property
    def scope(self) -> Scope:
        """Return the scope that it would be recorded in."""
        return "user" if self.project is None else "project"

    def decision(self, plan: str, title: str) -> NewDecision:
        """Return it as a decision to be recorded for a plan."""
        return NewDecision(
            title,
            self.why,
            self.mutations,
            scope=self.scope,
            project=self.project,
            actor=ACTOR,
            session=plan,
            evidence=self.evidence,
            new=True,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is proposed, or was applied; ``steps`` of one that was applied are those that were recorded."""

    id: str
    kind: Kind
    title: str
    state: State
    steps: tuple[Step, ...]


def plans(picture: Projection, further: Iterable[Plan] = ()) -> list[Plan]:
    """Return the plans that were applied or undone, in the order in which they were, then what is proposed now.

    ``further`` are proposals of others, who know what the log does not.
    """
    done = [*_recorded(picture), *_cited(picture)]
    known, declined = {plan.id for plan in done}, refused(picture)
    proposed = (*_consolidations(picture), *_promotions(picture), *further)
    return done + [
        replace(plan, state="refused") if plan.id in declined else plan for plan in proposed if plan.id not in known
    ]


def plan_of(picture: Projection, id_: str, further: Iterable[Plan] = ()) -> Plan:
    """Return one plan.

    Raises:
        UnknownPlan: Nothing is proposed under this id, and nothing was applied.
    """
    # Others are asked only for what the log does not know: they may have to read much.
    for plan in chain(plans(picture), further):
        if plan.id == id_:
            return replace(plan, state="refused") if plan.state == "proposed" and id_ in refused(picture) else plan
    raise UnknownPlan("no plan has this id; what was proposed may have changed: list the plans again")


def application(plan: Plan, earlier: int) -> list[NewDecision]:
    """Return the decisions that apply a plan; ``earlier`` is how many were recorded for it before.

    The same words again would be no new decision, so a plan that is applied once more says so in its titles.
    """
    again = f"{_AGAIN}{earlier})" if earlier else ""
    found = []
    for step in plan.steps:
        if step.cited_by is not None:
            continue  # it is a line of another decision
        revived = [
            {"op": "set_prop", "id": one["id"], "key": WITHDRAWN, "value": None}
            for one in step.mutations
            if earlier and one["op"] == "put_element"
        ]
        found.append(replace(step, mutations=(*step.mutations, *revived)).decision(plan.id, step.title + again))
    return found


def withdrawal(plan: Plan, earlier: int) -> list[NewDecision]:
    """Return the decisions that take an applied plan back."""
    steps = [inverse(step) for step in reversed(plan.steps)]
    return [step.decision(plan.id, f"{step.title}{_AGAIN}{earlier})" if earlier > 1 else step.title) for step in steps]


def recorded_for(picture: Projection, id_: str) -> int:
    """Return how many decisions were recorded for a plan; a refusal is none of them."""
    return sum(one.session == id_ and not one.title.startswith(REFUSED) for one in _of_plans(picture))


def refusal(plan: Plan) -> NewDecision:
    """Return the decision that refuses a proposal: it changes nothing, and says what was refused."""
    step, why = plan.steps[0], f"The proposal {plan.id} was refused."
    return NewDecision(
        f"{REFUSED}{plan.title}"[:MAX_TITLE], why, scope=step.scope, project=step.project, actor=ACTOR, session=plan.id
    )


def refused(picture: Projection) -> frozenset[str]:
    """Return the ids of the plans that were refused."""
    return frozenset(str(one.session) for one in _of_plans(picture) if one.title.startswith(REFUSED))


def inverse(step: Step) -> Step:
    """Return the step that takes back what a step did. An element that it made is marked as withdrawn and stays."""
    mutations: list[Mapping[str, Any]] = []
    for mutation in reversed(step.mutations):
        match mutation["op"]:
            case "merge":
                mutations.append({"op": "split", "id": min(mutation["ids"])})
            case "add_link":
                mutations.append({**mutation, "op": "retire_link"})
            case "put_element":
                subject = mutation.get("id") or {"kind": mutation["kind"], "name": mutation["name"]}
                mutations.append({"op": "set_prop", "id": subject, "key": WITHDRAWN, "value": True})
    return Step(UNDONE + step.title, "The plan that recorded it was undone.", tuple(mutations), step.project)


def _recorded(picture: Projection) -> Iterator[Plan]:
    groups: dict[str, list[Decision]] = {}
    for decision in _of_plans(picture):
        if not decision.title.startswith(REFUSED):
            groups.setdefault(str(decision.session), []).append(decision)
    for id_, decisions in groups.items():
        applied: list[Decision] = []
        undone = False
        for decision in decisions:
            if decision.title.startswith(UNDONE):
                undone = True
            else:
                applied = [*([] if undone else applied), decision]
                undone = False
        if not applied:
            continue
        steps = tuple(_step_of(decision) for decision in applied)
        merges = any(mutation["op"] == "merge" for step in steps for mutation in step.mutations)
        kind: Kind = "consolidation" if merges else "promotion"
        yield Plan(id_, kind, steps[0].title, "undone" if undone else "applied", steps)


def _of_plans(picture: Projection) -> Iterator[Decision]:
    for decision in picture.decisions.values():
        if decision.actor == ACTOR and (decision.session or "").startswith("pl_"):
            yield decision


def _cited(picture: Projection) -> Iterator[Plan]:
    """Yield the plans by which decisions were given evidence; each is a further line of such a decision."""
    for decision in picture.decisions.values():
        for line in decision.citations:
            if line.actor == ACTOR and (line.session or "").startswith("pl_"):
                step = evidence_step(decision, line.evidence, "It was added to what the decision cites.")
                yield Plan(str(line.session), "evidence", step.title, "applied", (step,))


def evidence_step(decision: Decision, evidence: tuple[str, ...], why: str) -> Step:
    """Return the step that gives a decision more evidence."""
    return Step(f"More evidence for: {decision.title}"[:MAX_TITLE], why, (), decision.project, evidence, decision.id)


def _step_of(decision: Decision) -> Step:
    title = decision.title.partition(_AGAIN)[0]
    return Step(title, decision.why, decision.mutations, decision.project, decision.evidence)


def _consolidations(picture: Projection) -> Iterator[Plan]:
    buckets: dict[tuple[str | None, str, str], list[Element]] = {}
    for element in picture.elements.values():
        for key in _keys(loose_name(element.name)):
            buckets.setdefault((element.project, fold_name(element.kind), key), []).append(element)
    pairs: dict[tuple[str, str], str] = {}
    for bucket in buckets.values():
        if len(bucket) > _MOST_ALIKE:
            continue
        for index, one in enumerate(bucket):
            for other in bucket[index + 1 :]:
                reason = why_loose_near(loose_name(one.name), loose_name(other.name))
                if reason is not None and not _are_told_apart(one, other):
                    first, second = sorted((one.id, other.id))
                    pairs[first, second] = reason
    for ids, reason in sorted(pairs.items()):
        one, other = (picture.elements[id_] for id_ in ids)
        evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
        step = Step(
            f"{one.name} and {other.name} are one {one.kind}",
            f"Their names are near: {reason}.",
            ({"op": "merge", "ids": list(ids)},),
            one.project,
            evidence,
        )
        yield Plan(proposal_id("consolidation", ids), "consolidation", step.title, "proposed", (step,))


def _keys(loose: str) -> set[str]:
    """Return keys of which two near names share at least one: one edit leaves one half as it was."""
    digits = digits_of(loose)
    halves = {len(loose) // 2, (len(loose) - 1) // 2} - {0, -1}
    ends = {f"{loose[:half]}*" for half in halves} | {f"*{loose[-half:]}" for half in halves}
    return {f"{digits} {key}" for key in ({loose} | ends if len(loose) >= EDIT_LETTERS - 1 else {loose}) if loose}


def _are_told_apart(one: Element, other: Element) -> bool:
    """Tell whether a link says that two elements are two."""
    return any({link.source, link.target} == {one.id, other.id} for link in one.links)


def _promotions(picture: Projection) -> Iterator[Plan]:
    named: dict[tuple[str, str], list[Element]] = {}
    for element in picture.elements.values():
        named.setdefault((fold_name(element.kind), fold_name(element.name)), []).append(element)
    for _, alike in sorted(named.items()):
        local = [one for one in alike if one.project is not None]
        if len(local) < len(alike) or not local:
            continue  # it is known for all already
        projects = {one.project for one in local}
        days = {picture.decisions[id_].at.date() for one in local for id_ in one.decisions}
        if len(projects) >= PROJECTS:
            where = f"{len(projects)} projects"
        elif len(days) >= DAYS:
            where = f"{len(days)} days"
        else:
            continue
        yield _promotion(local, where)


def _promotion(local: list[Element], where: str) -> Plan:
    local = sorted(local, key=lambda one: one.id)
    latest = max(local, key=lambda one: (str(one.at), one.id))
    subject = {"kind": latest.kind, "name": latest.name}
    links = [{"op": "add_link", "from": subject, "rel": "generalises", "to": one.id} for one in local]
    step = Step(
        f"{latest.name} holds for all projects",
        f"It recurs in {where}.",
        ({"op": "put_element", **subject, "gist": latest.gist, "props": {"scope": "global"}}, *links),
        None,
        tuple(dict.fromkeys(one for element in local for one in element.evidence)),
    )
    return Plan(proposal_id("promotion", (one.id for one in local)), "promotion", step.title, "proposed", (step,))


def proposal_id(kind: Kind, ids: Iterable[str]) -> str:
    """Return the id of a proposal: of what it is about, so that one that was undone is known again."""
    return "pl_" + digest(kind, sorted(ids), length=24)
