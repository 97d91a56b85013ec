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
from semantic.body import read_body
from semantic.decision_state import DecisionState
from semantic.element_state import ElementState, merged
from semantic.errors import BrokenLine
from semantic.event import Event
from semantic.ids import note_id
from semantic.instant import read_instant
from semantic.layered import Growing
from semantic.link_state import LinkState
from semantic.model import Decision, Element
from semantic.project import Project, joined, united
from semantic.projection import Delta, Projection
from semantic.shard import ShardKey
from semantic.union import Moves, Unions


@dataclass(frozen=True, slots=True)
class _Aside:
    """The parts of a picture that few decisions change."""

    projects: Mapping[str, Project]
    shown_as: Mapping[str, str]
    note_heads: Mapping[str, tuple[str, ...]]


class Replay:
    """The state of a replay. ``forgotten`` must hold the ids of all forget events of the log from the start.

    ``as_of`` (in the log's form) leaves out decisions that hold only from then on, or later. Projects, merges of
    projects and what was forgotten are known at any time.
    """

    def __init__(self, forgotten: Iterable[str] = (), *, as_of: str | None = None) -> None:
        self.forgotten = frozenset(forgotten)
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
            if event.head.id not in self.forgotten:
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
        for id_ in self._dirty_elements:
            self._freeze_element(id_)
        touched = self._dirty_elements | {self._unions.members(id_)[0] for id_ in self._dirty_elements}
        self._changed |= touched
        self._fresh_elements |= touched
        self._fresh_decisions.update(self._dirty_decisions)
        for id_ in self._dirty_decisions:
            self._frozen_decisions[id_] = self._decisions[id_].read(self._superseded.get(id_), self._project_moves.of)
        self._dirty_elements.clear()
        self._dirty_decisions.clear()
        aside = self._aside
        if aside is None:
            shown_as = self._unions.shown() | self._note_moves.shown() | self._project_moves.shown()
            aside = self._aside = _Aside(self._shown_projects(), shown_as, self._note_heads())
        return Projection(
            elements=self._frozen_elements,
            decisions=self._frozen_decisions,
            raw_links=self._links.held,
            projects=aside.projects,
            shown_as=aside.shown_as,
            note_heads=aside.note_heads,
            forgotten=self.forgotten,
            events=self._events,
        )

    def take_changed(self) -> set[str]:
        """Return the ids whose element may have changed in the pictures made since this was last asked."""
        changed, self._changed = self._changed, set()
        return changed

    def _apply_decision(self, event: Event, body: Mapping[str, Any]) -> None:
        id_ = event.head.id
        if id_ in self.forgotten or id_ in self._later:
            return
        known = self._decisions.get(id_)
        if known is not None:
            # Two lines with one id are one decision: the first stands, what they cite is united.
            known.cite(body["evidence"], body["about"])
            self._dirty_decisions[id_] = None
            self._dirty_elements.update(known.touched)
            return
        if self._as_of is not None and body.get("valid_at", event.head.at) >= self._as_of:
            self._later.add(id_)
            return
        decision = self._decisions[id_] = DecisionState(event, body)
        self._dirty_decisions[id_] = None
        for former in body["supersedes"]:
            self._supersede(former, id_)
        for mutation in body["mutations"]:
            self._step += 1
            self._mutate(decision, mutation)
        decision.settle()
        if id_ not in self._superseded:
            for subject in decision.elements:
                self._state(subject).heads[id_] = None

    def _supersede(self, former: str, by: str) -> None:
        if former == by or former in self._superseded:
            return
        self._superseded[former] = by
        known = self._decisions.get(former)
        if known is not None:
            self._dirty_decisions[former] = None
            for subject in known.elements:
                self._state(subject).heads.pop(former, None)
                self._dirty_elements.add(subject)

    def _mutate(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        match mutation["op"]:
            case "add_link" | "retire_link":
                self._link(decision, mutation)
            case "merge":
                ids = [id_ for id_ in mutation["ids"] if id_ not in self.forgotten]
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
                if mutation["id"] not in self.forgotten:
                    self._change(decision, mutation)

    def _link(self, decision: DecisionState, mutation: Mapping[str, Any]) -> None:
        triple = (mutation["from"], mutation["rel"], mutation["to"])
        if triple[0] in self.forgotten or triple[2] in self.forgotten:
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
            at=read_instant(self._decisions[decisions[-1]].at),
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

    def _shown_projects(self) -> Mapping[str, Project]:
        parts: dict[str, list[Project]] = {}
        for id_, project in self._projects.items():
            into = self._project_moves.of(id_)
            if into != id_ and into in self._projects:
                parts.setdefault(into, []).append(project)
        return MappingProxyType(
            {
                id_: joined(project, parts.get(id_, ()))
                for id_, project in sorted(self._projects.items())
                if self._project_moves.of(id_) == id_ or self._project_moves.of(id_) not in self._projects
            }
        )
