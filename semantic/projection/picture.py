"""What the log says, seen at once: an immutable picture of all elements, links and decisions.

A picture is made by ``semantic.projection.replay`` and never changes, so any number of readers may keep one
while decisions are written. What it holds is a function of the set of events alone, in whatever order their files
arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from memoryd.text.canonical import fold_name
from memoryd.text.shown import shown_id
from semantic.errors import UnknownDecision, UnknownElement
from semantic.model import Decision, Element, Link
from semantic.project.naming import Project


@dataclass(frozen=True, slots=True)
class Delta:
    """What may differ from an earlier picture, known by its ``token``: ids of elements and of decisions."""

    before: object
    elements: frozenset[str]
    decisions: frozenset[str]


@dataclass(frozen=True)  # not slotted: what is derived from it is kept once asked for
class Projection:
    """The state after a replay.

    Attributes:
        elements: Living elements by id, merged ones under their smallest id only.
        decisions: Decisions by id, in replay order.
        raw_links: Decision that last asserted each living link, by (from, rel, to) as written.
        projects: Projects by id, merged ones under what they were merged into.
        shown_as: For each id that another stands for now (merged element or project, moved note), that other.
        note_heads: Heads of notes (``no_…``): links from them and moves.
        forgotten: Ids that were purged.
        events: How many events of the log the picture includes.
        token: Stands for this very picture; ``delta`` tells of another's what has changed since it was made.
    """

    elements: Mapping[str, Element] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    raw_links: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    projects: Mapping[str, Project] = field(default_factory=dict)
    shown_as: Mapping[str, str] = field(default_factory=dict)
    note_heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()
    events: int = 0
    token: object = field(default=None, compare=False, repr=False)
    delta: Delta | None = field(default=None, compare=False, repr=False)

    def shown(self, id_: str) -> str:
        """Return the id that stands for this one now."""
        return self.shown_as.get(id_, id_)

    def element(self, id_: str) -> Element:
        """Return the element that an id, also one merged away, means.

        Raises:
            UnknownElement: There is none, or none at the time of this picture.
        """
        found = self.elements.get(self.shown(id_))
        if found is None:
            raise UnknownElement(f"no element has the id {shown_id(id_)}")
        return found

    def decision(self, id_: str) -> Decision:
        """Return a decision.

        Raises:
            UnknownDecision: There is none with this id, or it was forgotten.
        """
        found = self.decisions.get(id_)
        if found is None:
            raise UnknownDecision(f"no decision has the id {shown_id(id_)}")
        return found

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Return every living link between what is shown, each once, in code-point order."""
        found: dict[tuple[str, str, str], Link] = {}
        for (source, relation, target), decision in self.raw_links.items():
            ends = (self.shown(source), relation, self.shown(target))
            if (ends[0] == ends[2] and source != target) or not (self.is_shown(ends[0]) and self.is_shown(ends[2])):
                continue
            known = found.get(ends)
            if known is None or self._order(known.decision) < self._order(decision):
                found[ends] = Link(*ends, decision)
        return tuple(found[ends] for ends in sorted(found))

    def is_shown(self, id_: str) -> bool:
        """Tell whether an end of a link can be shown: an element that lives, or something that is no element."""
        return id_ in self.elements if id_.startswith("el_") else id_ not in self.forgotten

    def heads(self, id_: str) -> tuple[Decision, ...]:
        """Return the unsuperseded decisions of an element or a note, in replay order.

        Raises:
            UnknownElement: No element has this id.
        """
        id_ = self.shown(id_)
        heads = self.note_heads.get(id_, ()) if id_.startswith("no_") else self.element(id_).heads
        return tuple(self.decisions[head] for head in heads)

    def conflicts(self) -> tuple[tuple[Element, tuple[Decision, ...]], ...]:
        """Return the elements on which two or more decisions stand unsuperseded, by id, heads in replay order."""
        return tuple(
            (element, tuple(self.decisions[head] for head in element.heads))
            for _, element in sorted(self.elements.items())
            if len(element.heads) > 1
        )

    def history(self, id_: str) -> tuple[Decision, ...]:
        """Return the chain of an element, a note or a decision, in replay order.

        For an element these are the decisions that changed it and those that superseded them; for a decision, all
        that it stands in a line of supersession with.

        Raises:
            UnknownElement: Nothing has this id.
            UnknownDecision: The decision is not known.
        """
        if id_.startswith("de_"):
            return self._in_order(self._line_of(self.decision(id_)))
        id_ = self.shown(id_)
        start = self.note_heads.get(id_, ()) if id_.startswith("no_") else self.element(id_).decisions
        found = dict.fromkeys(start)
        for decision in start:
            while (later := self.decisions[decision].superseded_by) is not None and later not in found:
                found[later] = None
                decision = later  # noqa: PLW2901 -- walks on from the decision to what replaced it
        return self._in_order(found)

    def neighbors(self, id_: str) -> tuple[tuple[Link, Element | None], ...]:
        """Return each link of an element, a note or a path with the element at its other end, if that is one."""
        id_ = self.shown(id_)
        if id_.startswith("el_"):
            links: Iterable[Link] = self.element(id_).links
        else:
            links = (link for link in self.links if id_ in {link.source, link.target})
        return tuple((link, self.elements.get(link.target if link.source == id_ else link.source)) for link in links)

    @cached_property
    def in_force(self) -> tuple[Decision, ...]:
        """Return the decisions that nothing superseded, newest first by replay order."""
        standing = [decision for decision in self.decisions.values() if decision.superseded_by is None]
        return tuple(sorted(standing, key=lambda decision: decision.order, reverse=True))

    @cached_property
    def superseded_episodes(self) -> Mapping[str, str]:
        """Return episode id to the decision that superseded the one which the episode is evidence of.

        An episode that is also evidence of a decision still in force is not superseded.
        """
        found: dict[str, str] = {}
        current: set[str] = set()
        for decision in self.decisions.values():
            episodes = [cited for cited in decision.evidence if cited.startswith("ep_")]
            if decision.superseded_by is None:
                current.update(episodes)
            else:
                found.update(dict.fromkeys(episodes, decision.superseded_by))
        return MappingProxyType({episode: newer for episode, newer in found.items() if episode not in current})

    def without_authority(self, project: str | None, title: str, why: str) -> tuple[str, ...]:
        """Return the decisions of these words that never had authority, such as one without mutations."""
        return self._idle.get((project, fold_name(title), fold_name(why)), ())

    def __iter__(self) -> Iterator[Element]:
        return iter(self.elements.values())

    def _line_of(self, decision: Decision) -> dict[str, None]:
        found: dict[str, None] = {}
        waiting = [decision.id]
        while waiting:
            id_ = waiting.pop()
            if id_ in found or id_ not in self.decisions:
                continue
            found[id_] = None
            one = self.decisions[id_]
            waiting += one.supersedes
            waiting += self._supersedes_it.get(id_, ())
        return found

    @cached_property
    def _supersedes_it(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for decision in self.decisions.values():
            for former in decision.supersedes:
                found[former] = (*found.get(former, ()), decision.id)
        return found

    @cached_property
    def _idle(self) -> Mapping[tuple[str | None, str, str], tuple[str, ...]]:
        found: dict[tuple[str | None, str, str], tuple[str, ...]] = {}
        for one in self.decisions.values():
            if not one.elements:
                key = (one.project, fold_name(one.title), fold_name(one.why))
                found[key] = (*found.get(key, ()), one.id)
        return found

    def _order(self, decision: str) -> tuple[int, str, int]:
        return self.decisions[decision].order

    def _in_order(self, ids: Iterable[str]) -> tuple[Decision, ...]:
        return tuple(sorted((self.decisions[id_] for id_ in ids), key=lambda decision: decision.order))
