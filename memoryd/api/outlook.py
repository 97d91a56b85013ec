"""What of a picture of the log concerns a place: kept in order, and brought up to the next picture by what changed.

A decision changes a few of many thousands of things; looking at all of them again would take longer than all the rest
of an answer.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar, overload

from semantic.model import Decision, Element
from semantic.projection.layered import changed_keys
from semantic.projection.picture import Projection

_KEPT = 16
"""So many places are kept."""

_Item = TypeVar("_Item")
_Key = tuple[Any, ...]


class Concerned(Protocol):
    """A place, which is a value."""

    def holds(self, one: Element | Decision) -> bool:
        """Tell whether a thing concerns whoever works there."""
        ...

    def __hash__(self) -> int: ...


class _Sorted(Generic[_Item]):
    """Things by id, in the order of a key that is its own for each."""

    def __init__(self) -> None:
        self._keys: dict[str, _Key] = {}
        self._order: list[tuple[_Key, str, _Item]] = []

    def fill(self, items: Iterable[tuple[str, _Key, _Item]]) -> None:
        """Put in many at once."""
        self._order = sorted(((key, id_, item) for id_, key, item in items), key=_place_of)
        self._keys = {id_: key for key, id_, _ in self._order}

    def put(self, id_: str, key: _Key, item: _Item) -> None:
        """Put in one, in place of what stood under its id."""
        self.drop(id_)
        self._keys[id_] = key
        insort(self._order, (key, id_, item), key=_place_of)

    def drop(self, id_: str) -> None:
        """Take one out, if it is there."""
        key = self._keys.pop(id_, None)
        if key is not None:
            del self._order[bisect_left(self._order, (key, id_), key=_place_of)]

    def first(self, count: int) -> list[_Item]:
        """Return the first few."""
        return [item for _, _, item in self._order[:count]]

    def backwards(self) -> Sequence[_Item]:
        """Return all as they are now, the last first."""
        return _Backwards(self._order.copy())


class _Backwards(Sequence[_Item]):
    """What was in order, from its end: most readers look at the first few of very many."""

    def __init__(self, order: list[tuple[_Key, str, _Item]]) -> None:
        self._order = order

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if isinstance(index, slice):
            return [item for _, _, item in self._order[::-1][index]]
        return self._order[range(len(self._order))[-1 - index]][2]

    def __len__(self) -> int:
        return len(self._order)


class Outlook:
    """The things of one place in one picture. Whoever has it sees one picture, whatever comes later."""

    def __init__(
        self,
        heads: Sequence[Decision],
        conflicts: Sequence[tuple[Element, Sequence[Decision]]],
        linked: Sequence[Element],
        scopes: frozenset[tuple[str, str | None]],
    ) -> None:
        self.heads = heads
        """The decisions in force, the project's own before what holds everywhere, each newest first."""
        self.conflicts = conflicts
        """The elements on which several decisions stand, with these."""
        self.linked = linked
        """The elements with the most links, of those that have two or more."""
        self.scopes = scopes
        """The scopes and projects that have elements."""


class _Watch:
    """What is held of a place from one picture to the next."""

    def __init__(self, place: Concerned) -> None:
        self._place = place
        self._heads: _Sorted[Decision] = _Sorted()
        self._linked: _Sorted[Element] = _Sorted()
        self._split: dict[str, Element] = {}
        self._scope_of: dict[str, tuple[str, str | None]] = {}
        self._scopes: Counter[tuple[str, str | None]] = Counter()
        self._picture: Projection | None = None

    def look(self, picture: Projection) -> Outlook:
        """Return the outlook on a picture."""
        if self._picture is None:
            self._begin(picture)
        else:
            self._follow(self._picture, picture)
        self._picture = picture
        pairs = [(one, [picture.decisions[head] for head in one.heads]) for _, one in sorted(self._split.items())]
        return Outlook(self._heads.backwards(), pairs, self._linked.first(_KEPT), frozenset(+self._scopes))

    def _begin(self, picture: Projection) -> None:
        self._heads.fill((one.id, _rank(one), one) for one in picture.decisions.values() if self._stands(one))
        self._linked.fill((one.id, _weight(one), one) for one in picture if self._is_tied(one))
        for one in picture:
            self._note(one.id, one)

    def _follow(self, before: Projection, picture: Projection) -> None:
        for id_ in changed_keys(before.decisions, picture.decisions):
            decision = picture.decisions.get(id_)
            if decision is not None and self._stands(decision):
                self._heads.put(id_, _rank(decision), decision)
            else:
                self._heads.drop(id_)
        for id_ in changed_keys(before.elements, picture.elements):
            element = picture.elements.get(id_)
            if element is not None and self._is_tied(element):
                self._linked.put(id_, _weight(element), element)
            else:
                self._linked.drop(id_)
            self._note(id_, element)

    def _note(self, id_: str, element: Element | None) -> None:
        self._split.pop(id_, None)
        if (former := self._scope_of.pop(id_, None)) is not None:
            self._scopes[former] -= 1
        if element is not None:
            scope = self._scope_of[id_] = (element.scope, element.project)
            self._scopes[scope] += 1
            if len(element.heads) > 1 and self._place.holds(element):
                self._split[id_] = element

    def _stands(self, one: Decision) -> bool:
        return one.superseded_by is None and not one.is_bookkeeping and self._place.holds(one)

    def _is_tied(self, one: Element) -> bool:
        return len(one.links) > 1 and self._place.holds(one)


class Outlooks:
    """The outlooks of places on the newest picture. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watches: dict[Concerned, _Watch] = {}
        self._seen: dict[Concerned, tuple[Projection, Outlook]] = {}

    def of(self, picture: Projection, place: Concerned, *, is_now: bool = True) -> Outlook:
        """Return what of a picture concerns a place; one of the past is looked at afresh and not kept."""
        if not is_now:
            return _Watch(place).look(picture)
        with self._lock:
            seen = self._seen.get(place)
            if seen is not None and seen[0] is picture:
                return seen[1]
            # Taken out meanwhile: a failure in between leaves none that is half of each.
            watch = self._watches.pop(place, None) or _Watch(place)
            outlook = watch.look(picture)
            if len(self._watches) >= _KEPT:
                oldest = next(iter(self._watches))
                del self._watches[oldest], self._seen[oldest]
            self._watches[place], self._seen[place] = watch, (picture, outlook)
            return outlook


def _place_of(one: tuple[_Key, str, Any] | tuple[_Key, str]) -> _Key:
    return one[:2]


def _rank(one: Decision) -> _Key:
    # Read backwards: the project's own first, then by replay order from its end.
    return (one.scope != "user", *one.order)


def _weight(one: Element) -> _Key:
    return (-len(one.links),)
