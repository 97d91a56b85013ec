"""Turns events, in replay order, into a picture of what is known.

The replay keeps what it has learnt, so that one more event at the end costs little; ``freeze`` gives an immutable
picture of the moment. Feeding the same events one by one or all at once gives the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from memoryd.text.report import Problem
from semantic.errors import BrokenLine
from semantic.identity import element_id
from semantic.log.body import read_body
from semantic.log.event import Event
from semantic.log.ids import is_episode, note_id
from semantic.log.reach import Reach
from semantic.log.shard import ShardKey
from semantic.model import Decision, Element
from semantic.project.naming import Project, shown_projects, united
from semantic.projection.decision_state import DecisionState
from semantic.projection.element_state import ElementState, merged
from semantic.projection.layered import Growing
from semantic.projection.link_state import LinkState
from semantic.projection.picture import Delta, Projection
from semantic.union import Moves, Unions


@dataclass(frozen=True, slots=True)
class _Aside:
    """The parts of a picture that few decisions change."""

    projects: Mapping[str, Project]
    shown_as: Mapping[str, str]
    note_heads: Mapping[str, tuple[str, ...]]


class Replay:
    """The state of a replay. ``reach`` must be that of all events of the log from the start.

    ``as_of`` (in the log's form) leaves out decisions that hold only from then on, or later. Projects, merges of
    projects and what was forgotten are known at any time.
    """

    def __init__(self, reach: Reach | None = None, *, as_of: str | None = None) -> None:
        self.reach = reach or Reach()
        self._covers = self.reach.covers
        self._everywhere = self.reach.everywhere
        self.problems: list[Problem] = []
        self.last: tuple[int, str, int, str] = (0, "", 0, "")
        self._as_of = as_of
        self._later: set[str] = set()
        self._events = 0
        self._step = 0
        self._states: dict[str, ElementState] = {}
        self._notes: dict[str, ElementState] = {}
        self._decisions: dict[str, DecisionState] = {}
        self._superseded: dict[str, str] = {}
        self._unions = Unions()
        self._note_moves = Moves()
        self._links = LinkState(self._unions, self._note_moves)
        self._projects: dict[str, Project] = {}
        self._project_moves = Moves()
        self._frozen_elements: Growing[str, Element] = Growing()
        self._frozen_decisions: Growing[str, Decision] = Growing()
        self._aside: _Aside | None = None  # what few decisions change, kept until one does
        self._dirty_elements: set[str] = set()
        self._dirty_decisions: dict[str, None] = {}
        self._changed: set[str] = set()
        self._token: object = object()  # of the last picture, and what changed since it was made
        self._fresh_elements: set[str] = set()
        self._fresh_decisions: set[str] = set()

    def apply(self, event: Event) -> None:
        """Take in the next event. Events must come in replay order."""
        self._events += 1
        self.last = event.order
        if not event.known:
            return
        if event.body is None:
            if not self._covers(event.head.id, event.head.project):
                self._blame(event, "its body is missing and nothing says that it was forgotten; it is not used")
            return
        try:
            body = read_body(event.head.kind, event.head.id, event.body)
        except BrokenLine as error:
            self._blame(event, f"{error}; it is not used")
            return
        match event.head.kind:
            case "decision":
                self._apply_decision(event, body)
            case "project" | "project_merge" if event.head.project is not None:
                self._blame(event, "a project's log does not say where projects lie or which are one; it is not used")
            case "project":
                self._aside = None
                self._projects[event.head.id] = united(self._projects.get(event.head.id), event.head.id, body)
            case "project_merge":
                self._aside = None
                self._project_moves.move(self._project_moves.of(body["from"]), self._project_moves.of(body["into"]))
                # Every element may show another project now; merges of projects are rare.
                self._dirty_elements.update(self._states)
                self._dirty_decisions.update(dict.fromkeys(self._decisions))

    def freeze(self) -> Projection:
        """Return an immutable picture of the present state."""
        now = self.present()
        token = object()
        delta = Delta(self._token, frozenset(self._fresh_elements), frozenset(self._fresh_decisions))
        self._token = token
        self._fresh_elements.clear()
        self._fresh_decisions.clear()
        return replace(
            now,
            token=token,
            delta=delta,
            elements=self._frozen_elements.picture(),
            decisions=self._frozen_decisions.picture(),
            raw_links=self._links.held.picture(),
        )

    def present(self) -> Projection:
        """Return the present state without a copy: good until the next event is applied, and for its caller only."""
        for id_ in self._dirty_decisions:
            self._frozen_decisions[id_] = self._decisions[id_].read(self._superseded.get(id_), self._project_moves.of)
        for id_ in self._dirty_elements:
            self._freeze_element(id_)
        touched = self._dirty_elements | {self._unions.members(id_)[0] for id_ in self._dirty_elements}
        self._changed |= touched
        self._fresh_elements |= touched
        self._fresh_decisions.update(self._dirty_decisions)
        self._dirty_elements.clear()
        self._dirty_decisions.clear()
        aside = self._aside
        if aside is None:
            shown_as = self._unions.shown() | self._note_moves.shown() | self._project_moves.shown()
            aside = self._aside = _Aside(
                shown_projects(self._projects, self._project_moves), shown_as, self._note_heads()
            )
        return Projection(
            elements=self._frozen_elements,
            decisions=self._frozen_decisions,
            raw_links=self._links.held,
            projects=aside.projects,
            shown_as=aside.shown_as,
            note_heads=aside.note_heads,
            forgotten=self._forgotten(),
            events=self._events,
        )

    def take_changed(self) -> set[str]:
        """Return the ids whose element may have changed in the pictures made since this was last asked."""
        changed, self._changed = self._changed, set()
        return changed

    def beyond(self) -> list[Problem]:
        """Name the forgets of projects' logs that name what is none of these projects'."""
        return self.reach.beyond(self._is_beyond)

    def _is_beyond(self, id_: str) -> bool:
        """Tell whether an id that a project's log wants forgotten is still there, since it is not the project's."""
        return is_episode(id_) or id_ in self._frozen_elements or id_ in self._decisions

    def _forgotten(self) -> frozenset[str]:
        bounded = [id_ for id_ in self.reach.bounded if not self._is_beyond(id_)]
        return self._everywhere.union(bounded) if bounded else self._everywhere

    def _apply_decision(self, event: Event, body: Mapping[str, Any]) -> None:
        id_ = event.head.id
        if id_ in self._later or self._covers(id_, event.head.project):
            return
        known = self._decisions.get(id_)
        if known is not None:
            # Two lines with one id are one decision: the first stands, what they cite is united.
            known.cite(event, body)
            self._dirty_decisions[id_] = None
            self._dirty_elements.update(known.touched)
            return
        if self._as_of is not None and body.get("valid_at", event.head.at) >= self._as_of:
            self._later.add(id_)
            return
        decision = self._decisions[id_] = DecisionState(event, body)
        self._dirty_decisions[id_] = None
        beyond = 0
        for former in body["supersedes"]:
            beyond += not self._supersede(former, decision)
        for mutation in body["mutations"]:
            self._step += 1
            self._give_back(decision, mutation)
            if decision.project is None or self._reaches(decision.project, mutation):
                self._mutate(decision, mutation)
            else:
                beyond += 1
        decision.settle()
        if beyond:
            self._blame(event, f"{beyond} thing(s) in it concern what is none of its project's; these are not used")
        by = self._superseded.get(id_)
        if by is not None and by in self._decisions and not self._may_supersede(self._decisions[by], decision):
            del self._superseded[id_]  # it came after what claims to supersede it, so only now it can be told
        if id_ not in self._superseded:
            for subject in decision.elements:
                self._state(subject).heads[id_] = None

    def _supersede(self, former: str, by: DecisionState) -> bool:
        """Let a decision supersede another, and tell whether it may."""
        known = self._decisions.get(former)
        if known is not None and not self._may_supersede(by, known):
            return False
        if former == by.id or former in self._superseded:
            return True
        self._superseded[former] = by.id
        if known is not None:
            self._dirty_decisions[former] = None
            for subject in known.elements:
                self._state(subject).heads.pop(former, None)
                self._dirty_elements.add(subject)
        return True

    def _may_supersede(self, by: DecisionState, former: DecisionState) -> bool:
        """Tell whether a decision reaches all that the former one has authority over."""
        if by.project is None or self._is_one(by.project, former.project):
            return True
        return bool(former.elements) and all(self._is_own(by.project, subject) for subject in former.elements)

    def _reaches(self, project: str, mutation: Mapping[str, Any]) -> bool:
        """Tell whether all that a mutation in a project's log changes is the project's own."""
        match mutation["op"]:
            case "add_link" | "retire_link":
                return self._is_own(project, mutation["from"])
            case "merge":
                return all(self._is_own(project, id_) for id_ in mutation["ids"])
            case "rename":
                return not mutation["id"].startswith("no_") and self._is_own(project, mutation["id"])
            case _:
                return self._is_own(project, mutation["id"])

    def _is_own(self, project: str, id_: str) -> bool:
        """Tell whether an id is none of an element that another made; notes and paths are nobody's."""
        if not id_.startswith("el_"):
            return True
        for member in self._unions.members(id_):
            state = self._states.get(member)
            if state is not None and state.born and not self._is_one(project, state.project):
                return False
        return True

    def _is_one(self, project: str, other: str | None) -> bool:
        return project == other or (other is not None and self.reach.one(project) == self.reach.one(other))

    def _mutate(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        match mutation["op"]:
            case "add_link" | "retire_link":
                self._link(decision, mutation)
            case "merge":
                ids = [id_ for id_ in mutation["ids"] if not self._covers(id_, decision.project)]
                if ids:
                    self._aside = None
                    self._mark_around(*ids)
                    self._mark_around(*self._unions.merge(ids))
                for id_ in ids:
                    self._concern(decision, id_, authority=True)
            case "split":
                self._aside = None
                self._mark_around(*self._unions.members(mutation["id"]))
                self._mark_around(*self._unions.split(mutation["id"]))
                self._concern(decision, mutation["id"], authority=False)
            case _:
                if not self._covers(mutation["id"], decision.project):
                    self._change(decision, mutation)

    def _link(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        triple = (mutation["from"], mutation["rel"], mutation["to"])
        if self._covers(triple[0], decision.project) or self._covers(triple[2], decision.project):
            return
        if mutation["op"] == "add_link":
            self._links.add(triple, decision.id, self._step)
            self._dirty_elements.update(triple[::2])
        else:
            self._dirty_elements.update(self._links.retire(triple))
        if not triple[0].startswith("path:"):
            self._concern(decision, triple[0], authority=True)

    def _change(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        id_ = mutation["id"]
        state = self._state(id_)
        with_authority = True
        match mutation["op"]:
            case "put_element":
                if not state.born:
                    self._mark_around(id_)
                    state = self._without_others(state, decision.project)
                with_authority = state.put(mutation, self._step, decision.scope, decision.project)
            case "set_prop":
                state.props[mutation["key"]] = (self._step, mutation["value"])
            case "rename" if id_.startswith("no_"):
                vault, _, path = mutation["name"].partition(":")
                self._mark_around(id_)
                self._note_moves.move(id_, note_id(vault, path))
            case "rename":
                state.rename(mutation["name"])
            case _:
                with_authority = False
                for member in self._unions.members(id_):
                    self._state(member).drop(mutation["field"], mutation["value"])
        self._concern(decision, id_, authority=with_authority)

    def _give_back(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        """Let an element be made by whose it is, where a project's log had taken its id: an id tells whose it is."""
        state = self._states.get(mutation["id"]) if mutation["op"] == "put_element" else None
        if state is None or state.project is None or decision.project == state.project:
            return
        if state.id == element_id(decision.project, mutation["kind"], mutation["name"]):
            self._mark_around(*self._unions.members(state.id))
            self._unions.split(state.id)
            self._aside = None
            self._without_others(state, decision.project)

    def _without_others(self, state: ElementState, project: str | None) -> ElementState:
        """Return the state of an element that is made now, without what other projects' logs said of its id before."""
        others = {
            id_
            for id_ in state.decisions
            if (by := self._decisions[id_].project) is not None and (project is None or not self._is_one(by, project))
        }
        if not others:
            return state
        self._links.end_from(state.id, others)
        fresh = self._states[state.id] = ElementState(state.id)
        return fresh

    def _concern(self, decision: DecisionState, id_: str, *, authority: bool) -> None:
        """Note that a decision changed something: with authority it becomes a head of it."""
        decision.touched[id_] = authority or decision.touched.get(id_, False)
        self._state(id_).decisions[decision.id] = None
        self._dirty_elements.add(id_)

    def _state(self, id_: str) -> ElementState:
        state = self._states.get(id_)
        if state is not None:
            return state
        if not id_.startswith("no_"):
            state = self._states[id_] = ElementState(id_)
            return state
        self._aside = None  # whoever asks for a note's state changes it
        return self._notes.setdefault(id_, ElementState(id_))

    def _mark_around(self, *ids: str) -> None:
        for id_ in ids:
            self._dirty_elements |= self._links.around(id_)

    def _blame(self, event: Event, reason: str) -> None:
        head = event.head
        self.problems.append(Problem(ShardKey(head.project, head.install).shown, f"seq {head.seq}: {reason}"))

    def _freeze_element(self, id_: str) -> None:
        members = self._unions.members(id_)
        for member in members:
            self._frozen_elements.drop(member)
        states = [self._states[member] for member in members if member in self._states]
        living = [state for state in states if state.born]
        if not living:
            return
        one = merged(living)
        decisions = self._in_order(state.decisions for state in states)
        cited = (evidence for decision in decisions for evidence in self._decisions[decision].evidence)
        self._frozen_elements[members[0]] = Element(
            id=members[0],
            kind=one.kind,
            name=one.name,
            gist=one.gist,
            scope=one.scope,
            project=None if one.project is None else self._project_moves.of(one.project),
            props=one.props,
            notes=one.notes,
            touches=one.touches,
            aliases=one.aliases,
            links=self._links.of(members),
            heads=tuple(self._in_order(state.heads for state in states)),
            decisions=tuple(decisions),
            evidence=tuple(dict.fromkeys(cited)),
            at=self._frozen_decisions[decisions[-1]].at,
        )

    def _in_order(self, parts: Iterable[Iterable[str]]) -> list[str]:
        several = [list(part) for part in parts]
        if len(several) == 1:
            return several[0]  # one state meets its decisions in replay order
        ids = {id_ for part in several for id_ in part}
        return sorted(ids, key=lambda id_: self._decisions[id_].order)

    def _note_heads(self) -> Mapping[str, tuple[str, ...]]:
        parts: dict[str, list[dict[str, None]]] = {}
        for id_, state in self._notes.items():
            if state.heads:
                parts.setdefault(self._note_moves.of(id_), []).append(state.heads)
        return MappingProxyType({id_: tuple(self._in_order(heads)) for id_, heads in parts.items()})
