"""Which nodes a question in words names: the longest names that stand in it, slips of the pen forgiven."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from semantic.graph.model import Graph
from semantic.search.mention import MAX_WINDOW, TYPO_LETTERS, TYPO_WEIGHT, NameFinder, name_tokens

MOST_NAMED = 4
"""So many things that a question names are looked for."""
MOST_TOKENS = 64
"""A longer question is read so far."""
MOST_WITH_SLIPS = 6
"""In a name of more words no slip is forgiven."""
UNNAMED = frozenset({"heading", "url"})
"""Kinds that no question names."""


class Mentioned:
    """Finds the nodes that a question names. It never changes."""

    def __init__(self, graph: Graph) -> None:
        self._nodes = graph.nodes
        self._finder = NameFinder()
        self._called: defaultdict[str, list[str]] = defaultdict(list)
        self._holders: Counter[str] = Counter()
        for node in graph.nodes.values():
            if node.kind not in UNNAMED:
                names = [name_tokens(name) for name in (node.name, *node.names)]
                self._finder.put(node.id, (node.name, *node.names))
                self._holders.update({token for tokens in names for token in tokens})
                for key in dict.fromkeys("".join(tokens) for tokens in names):
                    self._called[key].append(node.id)

    def find(self, text: str) -> list[list[str]]:
        """Return the things that are named, each as the ids of all that have the name, the rarest name first.

        The longest name that stands somewhere is the one that is meant there. Of two that sound alike, the one written
        as in the text goes before the other.
        """
        tokens = name_tokens(text)[:MOST_TOKENS]
        is_taken = [False] * len(tokens)
        things: list[tuple[float, int, list[str]]] = []
        for length in range(min(MAX_WINDOW, len(tokens)), 0, -1):
            for at in range(len(tokens) - length + 1):
                if any(is_taken[at : at + length]):
                    continue
                window = tokens[at : at + length]
                found = self._named(window)
                if found and (length == len(tokens) or not _says_little(window)):
                    is_taken[at : at + length] = [True] * length
                    things.append((-sum(map(self._rarity, window)), at, self._ordered(found, text)))
        return [ids for _, _, ids in sorted(things)[:MOST_NAMED]]

    def _named(self, window: Sequence[str]) -> list[str]:
        """Return what is called this; where no name has one of the words, also what is one slip away."""
        exact = self._called.get("".join(window))
        if exact is not None:
            return exact
        if len(window) > MOST_WITH_SLIPS or not any(
            token not in self._holders and len(token) >= TYPO_LETTERS for token in window
        ):
            return []
        near = self._finder.find(" ".join(window), lambda _: 1.0)
        return [id_ for id_, score in near if score >= TYPO_WEIGHT * (1 - 1e-9)]

    def _ordered(self, found: Sequence[str], text: str) -> list[str]:
        def place(id_: str) -> tuple[bool, bool, str]:
            node = self._nodes[id_]
            return node.name not in text, not any(name in text for name in node.names), id_

        return sorted(found, key=place)

    def _rarity(self, token: str) -> float:
        held = self._holders.get(token, 1)  # one with a slip in it is a rare one
        return math.log1p(len(self._nodes) / held)


def _says_little(window: Sequence[str]) -> bool:
    key = "".join(window)
    return key.isdecimal() or len(key) < (3 if key.isascii() else 2)
