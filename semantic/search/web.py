"""Who links to whom, both ways, kept right as documents come and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator


class Web:
    """Links of documents by id. Not safe for several threads."""

    def __init__(self) -> None:
        self._to: dict[str, tuple[str, ...]] = {}
        self._from: defaultdict[str, set[str]] = defaultdict(set)

    def put(self, id: str, targets: Iterable[str]) -> None:  # noqa: A002 - an id is called id everywhere
        """Enter the links of a document in place of its former ones; a link to itself leads nowhere."""
        self.drop(id)
        found = tuple(dict.fromkeys(target for target in targets if target != id))
        if found:
            self._to[id] = found
        for target in found:
            self._from[target].add(id)

    def drop(self, id: str) -> None:  # noqa: A002 - as above
        """Take a document's links out; those that lead to it stay."""
        for target in self._to.pop(id, ()):
            held = self._from[target]
            held.discard(id)
            if not held:
                del self._from[target]

    def degree(self, id: str) -> int:  # noqa: A002 - as above
        """Return how many links a document has, those that lead to it included."""
        return len(self._to.get(id, ())) + len(self._from.get(id, ()))

    def sources(self, id: str) -> list[str]:  # noqa: A002 - as above
        """Return what links to a document, in the order of ids."""
        return sorted(self._from.get(id, ()))

    def count_sources(self, id: str) -> int:  # noqa: A002 - as above
        """Return how many link to a document."""
        return len(self._from.get(id, ()))

    def neighbors(self, id: str) -> Iterator[str]:  # noqa: A002 - as above
        """Yield what a document links to and what links to it; what is linked both ways comes twice."""
        yield from self._to.get(id, ())
        yield from self.sources(id)
