"""What of a scope the passes of the active set stand on: its living elements and how they hang together, as numbers.

It is a function of a picture of the log alone and is kept from one pass to the next. What a new picture brings is
worked in element by element, since a decision changes a few of many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from semantic.attention.standing import UNATTENDED, Standing
from semantic.log.instant import read_instant
from semantic.model import Cost, Decision, Element, Link
from semantic.projection.layered import changed_keys
from semantic.projection.picture import Projection

Numbers = npt.NDArray[np.int64]

NEVER = -(2**62)
"""Stands for an instant that is not known, in milliseconds or microseconds."""

_FEW = 1_000
"""More changes than this are not worked in: all is laid anew."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND, _MICROSECOND = timedelta(milliseconds=1), timedelta(microseconds=1)


class Ground:
    """The elements of a scope in the order of their ids, and a number of each kind for each of them.

    Attributes:
        elements: By id, in code-point order; ``places`` gives each one's place in the arrays.
        costs: Units as rendered.
        written: When each was last written, in milliseconds; 0 where that is not known.
        made: When each was made, in microseconds, or ``NEVER``.
        degree: How many links each has, those to notes, paths and other scopes included, those to itself not.
        archived, pinned, attended: What the attention record says; when each was last read or found useful, in
            milliseconds, or ``NEVER``.
        sources: With ``targets`` the links between these elements, as places.
    """

    def __init__(self, cost: Cost) -> None:
        self.cost = cost
        self.elements: list[Element] = []
        self.ids: list[str] = []
        self.costs = self.written = self.made = self.degree = self.attended = np.zeros(0, dtype=np.int64)
        self.sources = self.targets = np.zeros(0, dtype=np.int64)
        self.archived = self.pinned = np.zeros(0, dtype=bool)
        self._standings: Mapping[str, Standing] = {}

    @classmethod
    def of(
        cls, elements: Iterable[Element], links: Iterable[Link], decisions: Mapping[str, Decision], cost: Cost
    ) -> Ground:
        """Return the ground of elements and of the links between them and to anything else."""
        ground = cls(cost)
        ground.elements = sorted(elements, key=lambda one: one.id)
        ground.ids = [one.id for one in ground.elements]
        places = {id_: place for place, id_ in enumerate(ground.ids)}
        every = [link for link in links if link.source != link.target]
        ends = [places[end] for link in every for end in (link.source, link.target) if end in places]
        ground.degree = np.bincount(_numbers(ends), minlength=len(ground.ids)).astype(np.int64)
        pairs = [
            (places[link.source], places[link.target])
            for link in every
            if link.source in places and link.target in places
        ]
        edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        ground.sources, ground.targets = edges[:, 0], edges[:, 1]
        ground.costs = _numbers([cost(one) for one in ground.elements])
        ground.written = _numbers([_written(one) for one in ground.elements])
        ground.made = _numbers([_made(one, decisions) for one in ground.elements])
        ground.attended = np.full(len(ground.ids), NEVER, dtype=np.int64)
        ground.archived, ground.pinned = np.zeros((2, len(ground.ids)), dtype=bool)
        return ground

    def place(self, id_: str) -> int | None:
        """Return where an element stands in the arrays; ``None`` where it is not of this scope."""
        place = bisect_left(self.ids, id_)
        return place if place < len(self.ids) and self.ids[place] == id_ else None

    def attend(self, standings: Mapping[str, Standing]) -> None:
        """Take in a state of the attention record."""
        if standings is self._standings:
            return
        for id_ in changed_keys(self._standings, standings):
            place = self.place(id_)
            if place is not None:
                self._stand(place, standings.get(id_, UNATTENDED))
        self._standings = standings

    def _stand(self, place: int, standing: Standing) -> None:
        self.archived[place], self.pinned[place] = standing.archived, standing.pinned
        last = max(standing.read_at or "", standing.useful_at or "")
        self.attended[place] = microseconds(read_instant(last)) // 1000 if last else NEVER

    def work_in(self, changed: Iterable[str], picture: Projection, scope: str, project: str | None) -> None:
        """Bring these elements up to a picture; all others are as they were."""
        living = [one for id_ in changed if (one := picture.elements.get(id_)) is not None]
        inside = {one.id: one for one in living if one.scope == scope and one.project == project}
        self._remove([place for id_ in changed if id_ not in inside and (place := self.place(id_)) is not None])
        self._add([one for id_, one in sorted(inside.items()) if self.place(id_) is None])
        edges: list[tuple[int, int]] = []
        touched = np.zeros(len(self.ids), dtype=bool)
        for one in inside.values():
            place = self._known(one.id)
            links = [link for link in one.links if _counts(link, picture)]
            self.elements[place] = one
            self.costs[place] = self.cost(one)
            self.written[place] = _written(one)
            self.made[place] = _made(one, picture.decisions)
            self.degree[place] = len(links)
            touched[place] = True
            outward = [self.place(link.target) for link in links if link.source == one.id]
            edges += [(place, target) for target in outward if target is not None]
        kept = ~touched[self.sources]
        fresh = np.array(edges, dtype=np.int64).reshape(-1, 2)
        self.sources = np.concatenate((self.sources[kept], fresh[:, 0]))
        self.targets = np.concatenate((self.targets[kept], fresh[:, 1]))

    def _known(self, id_: str) -> int:
        return bisect_left(self.ids, id_)

    def _add(self, fresh: list[Element]) -> None:
        if not fresh:
            return
        before = np.array([bisect_left(self.ids, one.id) for one in fresh], dtype=np.int64)
        moved = np.arange(len(self.ids)) + np.searchsorted(before, np.arange(len(self.ids)), side="right")
        self.sources, self.targets = moved[self.sources], moved[self.targets]
        for one in fresh:
            place = bisect_left(self.ids, one.id)
            self.ids.insert(place, one.id)
            self.elements.insert(place, one)
        self.costs, self.written, self.made, self.degree, self.attended = (
            np.insert(column, before, 0) for column in (self.costs, self.written, self.made, self.degree, self.attended)
        )
        self.archived, self.pinned = (np.insert(column, before, 0) for column in (self.archived, self.pinned))
        for one in fresh:
            self._stand(self._known(one.id), self._standings.get(one.id, UNATTENDED))

    def _remove(self, places: list[int]) -> None:
        if not places:
            return
        gone = np.zeros(len(self.ids), dtype=bool)
        gone[places] = True
        kept = ~gone[self.sources] & ~gone[self.targets]
        moved = np.arange(len(self.ids)) - np.cumsum(gone)
        self.sources, self.targets = moved[self.sources[kept]], moved[self.targets[kept]]
        self.costs, self.written, self.made, self.degree, self.attended = (
            column[~gone] for column in (self.costs, self.written, self.made, self.degree, self.attended)
        )
        self.archived, self.pinned = self.archived[~gone], self.pinned[~gone]
        for place in sorted(places, reverse=True):
            del self.ids[place], self.elements[place]


class Grounds:
    """The ground of each scope, kept and brought up to each picture that is asked for. It has one user at a time."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str | None], tuple[Mapping[str, Element], Ground]] = {}

    def of(self, picture: Projection, scope: str, project: str | None, cost: Cost) -> Ground:
        """Return the ground of a scope in a picture."""
        held = self._held.get((scope, project))
        if held is not None and held[1].cost is cost:
            elements, ground = held
            changed = () if elements is picture.elements else changed_keys(elements, picture.elements)
            if len(changed) <= _FEW:
                # The entry is taken out meanwhile: a failure in between leaves no ground that is half of each.
                del self._held[scope, project]
                if changed:
                    ground.work_in(changed, picture, scope, project)
                self._held[scope, project] = (picture.elements, ground)
                return ground
        living = [one for one in picture if one.scope == scope and one.project == project]
        # Each link once: of two elements of the scope it stands with both.
        links = {link: None for one in living for link in one.links if _counts(link, picture)}
        ground = Ground.of(living, links, picture.decisions, cost)
        self._held[scope, project] = (picture.elements, ground)
        return ground


def _counts(link: Link, picture: Projection) -> bool:
    return link.source != link.target and picture.is_shown(link.source) and picture.is_shown(link.target)


def _written(element: Element) -> int:
    return 0 if element.at is None else (element.at - _EPOCH) // _MILLISECOND


def _made(element: Element, decisions: Mapping[str, Decision]) -> int:
    made = min((decisions[id_].at for id_ in element.decisions if id_ in decisions), default=element.at)
    return NEVER if made is None else microseconds(made)


def microseconds(at: datetime) -> int:
    """Return an instant as a whole number."""
    return (at - _EPOCH) // _MICROSECOND


def _numbers(values: list[int]) -> Numbers:
    return np.array(values, dtype=np.int64)
