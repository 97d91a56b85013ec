"""Which elements touch a file: found by its path and the folders above it, not by asking each of thousands.

What an element touches is a path, a folder or a glob. Paths and folders are looked up; only globs are tried one by one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memoryd.api.briefing import Place
from semantic.model import Element
from semantic.projection.picture import Projection
from semantic.search.listing import holds_path

_KEPT = 8
_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Elements by what they touch."""

    by_path: Mapping[str, tuple[str, ...]]
    globs: tuple[tuple[str, str], ...]


class Touched:
    """The elements of a place by the files they touch, as of the newest picture. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Place, tuple[Projection, _Patterns]] = OrderedDict()

    def of(self, picture: Projection, place: Place, names: Iterable[str]) -> list[Element]:
        """Return the elements that touch a file which goes by these names, those with the most links first."""
        patterns = self._patterns(picture, place)
        ids: set[str] = set()
        for name in names:
            ids.update(id_ for one in _at_and_above(name) for id_ in patterns.by_path.get(one, ()))
            ids.update(id_ for pattern, id_ in patterns.globs if holds_path(pattern, name))
        found = [picture.elements[id_] for id_ in ids]
        return sorted(found, key=lambda one: (-len(one.links), one.id))

    def _patterns(self, picture: Projection, place: Place) -> _Patterns:
        with self._lock:
            kept = self._kept.get(place)
            if kept is not None and kept[0] is picture:
                return kept[1]
        made = _read(picture, place)
        with self._lock:
            self._kept[place] = (picture, made)
            self._kept.move_to_end(place)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def _read(picture: Projection, place: Place) -> _Patterns:
    by_path: defaultdict[str, list[str]] = defaultdict(list)
    globs: list[tuple[str, str]] = []
    project = place.project
    prefixes = () if project is None else (f"path:{project.id}:", f"path:{project.name}:")
    for one in picture:
        if not one.touches or not place.holds(one):
            continue
        for touched in one.touches:
            pattern = next((touched.removeprefix(head) for head in prefixes if touched.startswith(head)), touched)
            by_path[pattern.rstrip("/")].append(one.id)
            if not _GLOB.isdisjoint(pattern):
                globs.append((pattern, one.id))
    return _Patterns({path: tuple(ids) for path, ids in by_path.items()}, tuple(globs))


def _at_and_above(path: str) -> Iterable[str]:
    """Yield a path and all that it may lie below, as :func:`semantic.search.listing.holds_path` reads it."""
    yield path
    end = path.rfind("/")
    while end >= 0:
        yield path[:end]
        end = path.rfind("/", 0, end)
