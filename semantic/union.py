"""Which ids are one thing: merges, which can be undone, and chains of moves."""

from __future__ import annotations

from collections.abc import Iterable


class Unions:
    """Groups of ids, each known by its smallest. Merges are remembered one by one, so that a split can undo them."""

    def __init__(self) -> None:
        self._merges: list[tuple[str, ...]] = []
        self._smallest: dict[str, str] = {}
        self._members: dict[str, set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._smallest)

    def of(self, id_: str) -> str:
        """Return the id that a group is known by: the smallest of it."""
        return self._smallest.get(id_, id_)

    def members(self, id_: str) -> list[str]:
        """Return the whole group of an id, smallest first."""
        small = self._smallest.get(id_)
        return [id_] if small is None else sorted(self._members[small])

    def merge(self, ids: Iterable[str]) -> list[str]:
        """Make one group of all groups of these ids; return its members."""
        merge = tuple(dict.fromkeys(ids))
        self._merges.append(merge)
        return self._join(merge)

    def split(self, id_: str) -> list[str]:
        """Undo every merge that named the id; return the ids whose group may have changed."""
        touched = self.members(id_)
        self._merges = [merge for merge in self._merges if id_ not in merge]
        self._smallest.clear()
        self._members.clear()
        for merge in self._merges:
            self._join(merge)
        return touched

    def shown(self) -> dict[str, str]:
        """Return, for each id that is known by another, that other."""
        return {id_: small for id_, small in self._smallest.items() if id_ != small}

    def _join(self, ids: Iterable[str]) -> list[str]:
        group: set[str] = set()
        for id_ in ids:
            small = self.of(id_)
            group |= self._members.pop(small, {small})
        smallest = min(group)
        self._members[smallest] = group
        for id_ in group:
            self._smallest[id_] = smallest
        return sorted(group)


class Moves:
    """Ids that were replaced by another, in steps: a moved note, a merged project. The last step stands."""

    def __init__(self) -> None:
        self._to: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._to)

    def of(self, id_: str) -> str:
        """Return the id at the end of the chain."""
        seen = {id_}
        while (to := self._to.get(id_)) is not None and to not in seen:
            seen.add(to)
            id_ = to
        return id_

    def move(self, old: str, new: str) -> None:
        """Let the old id mean the new one; the new one stands for itself again."""
        if old != new:
            self._to.pop(new, None)
            self._to[old] = new

    def shown(self) -> dict[str, str]:
        """Return, for each id that was replaced, what stands for it now."""
        return {id_: end for id_ in self._to if (end := self.of(id_)) != id_}
