"""Lines that are made when they are looked at: of thousands of decisions in force a budget shows a few dozen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar, overload


class Named(Protocol):
    """A thing with an id."""

    @property
    def id(self) -> str:
        """The id, which stands at the end of its line."""
        ...


_Item = TypeVar("_Item", bound=Named)


class Lines(Sequence[str]):
    """A line for each of many things, in their order."""

    def __init__(self, items: Sequence[_Item], line_of: Callable[[_Item], str]) -> None:
        self._items: Sequence[_Item] = items
        self._line_of: Callable[[_Item], str] = line_of
        self._made: dict[int, str] = {}

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return tuple(self[one] for one in range(*index.indices(len(self))))
        place = range(len(self._items))[index]
        if place not in self._made:
            self._made[place] = self._line_of(self._items[place])
        return self._made[place]

    def __len__(self) -> int:
        return len(self._items)

    def without(self, ids: Collection[str]) -> Lines:
        """Return the lines of those that have none of these ids."""
        return Lines([one for one in self._items if one.id not in ids], self._line_of)
