"""A mapping of which many pictures are taken while it changes, each at the cost of what has changed and no more.

A picture is a large dictionary that nobody writes to any more and, over it, a small one of what came later. A picture
shares the large one with those before it and copies only the small one; once that has grown, both become a new large
one.
"""

from __future__ import annotations

from collections.abc import Hashable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any, Final, Generic, TypeVar, cast, overload

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
_Other = TypeVar("_Other")

FOLDED_AT = 1_024
"""So many changes are carried from picture to picture before they go into the large dictionary."""


class _Gone:
    """Stands for what was taken out."""


_GONE: Final[Any] = _Gone()
_MISSING: Final[Any] = _Gone()


class Layered(Mapping[_Key, _Value], Generic[_Key, _Value]):
    """An immutable mapping. What was changed keeps its place in the order; what is new stands at the end.

    Attributes:
        base: The large dictionary, which several pictures share.
        over: What differs from it.
    """

    __slots__ = ("_count", "base", "over")

    def __init__(self, base: dict[_Key, _Value], over: dict[_Key, _Value], count: int) -> None:
        self.base = base
        self.over = over
        self._count = count

    def __getitem__(self, key: _Key) -> _Value:
        found: _Value = self.over.get(key, _MISSING)
        if found is _MISSING:
            return self.base[key]
        if found is _GONE:
            raise KeyError(key)
        return found

    @overload
    def get(self, key: _Key, /) -> _Value | None: ...
    @overload
    def get(self, key: _Key, /, default: _Value | _Other) -> _Value | _Other: ...
    def get(self, key: _Key, /, default: Any = None) -> Any:
        """Return what stands under a key, or the default."""
        found = self.over.get(key, _MISSING)
        if found is _MISSING:
            return self.base.get(key, default)
        return default if found is _GONE else found

    def __contains__(self, key: object) -> bool:
        found = self.over.get(cast("_Key", key), _MISSING)
        return key in self.base if found is _MISSING else found is not _GONE

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[_Key]:
        return (key for key, _ in self.pairs())

    def items(self) -> ItemsView[_Key, _Value]:
        """Return the pairs."""
        return _Items(self)

    def values(self) -> ValuesView[_Value]:
        """Return the values."""
        return _Values(self)

    def pairs(self) -> Iterator[tuple[_Key, _Value]]:
        """Yield each key with its value."""
        base, over = self.base, self.over
        if not over:
            yield from base.items()
            return
        for key, value in base.items():
            now = over.get(key, _MISSING)
            if now is _MISSING:
                yield key, value
            elif now is not _GONE:
                yield key, now
        for key, value in over.items():
            if value is not _GONE and key not in base:
                yield key, value


class _Items(ItemsView[_Key, _Value]):
    _mapping: Layered[_Key, _Value]

    def __iter__(self) -> Iterator[tuple[_Key, _Value]]:
        return self._mapping.pairs()


class _Values(ValuesView[_Value]):
    _mapping: Layered[Any, _Value]

    def __iter__(self) -> Iterator[_Value]:
        return (value for _, value in self._mapping.pairs())


class Growing(Layered[_Key, _Value]):
    """The one that changes, and of which pictures are taken. It has one writer."""

    __slots__ = ("_is_shared",)

    def __init__(self) -> None:
        super().__init__({}, {}, 0)
        self._is_shared = False

    def __setitem__(self, key: _Key, value: _Value) -> None:
        if self._is_shared:
            self._count += key not in self
            self.over[key] = value
        else:  # the first fill, of everything there is
            self.base[key] = value
            self._count = len(self.base)

    def drop(self, key: _Key) -> None:
        """Take a key out, if it is there."""
        if not self._is_shared:
            self.base.pop(key, None)
            self._count = len(self.base)
            return
        if key not in self:
            return
        self._count -= 1
        if key in self.base:
            self.over[key] = _GONE
        else:
            del self.over[key]

    def picture(self) -> Layered[_Key, _Value]:
        """Return what is held now, for good."""
        if len(self.over) > FOLDED_AT:
            self.base, self.over = dict(self.pairs()), {}
        self._is_shared = True
        return Layered(self.base, self.over.copy(), self._count)


def changed_keys(one: Mapping[_Key, _Value], other: Mapping[_Key, _Value]) -> set[_Key]:
    """Return the keys under which two mappings do not hold the very same thing."""
    if isinstance(one, Layered) and isinstance(other, Layered) and one.base is other.base:
        keys = one.over.keys() | other.over.keys()
    else:
        keys = one.keys() | other.keys()
    return {key for key in keys if one.get(key) is not other.get(key)}
