"""The living links of a replay, kept as they were written, found by whatever their ends are called now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from semantic.model import Link
from semantic.projection.layered import Growing
from semantic.union import Moves, Unions

Triple = tuple[str, str, str]
"""(from, relation, to), the ends as ids of the log."""


@dataclass(slots=True)
class LinkState:
    """Links by triple, with the decision that last asserted each, and the triples at each end."""

    unions: Unions
    note_moves: Moves
    held: Growing[Triple, str] = field(default_factory=Growing)
    _steps: dict[Triple, int] = field(default_factory=dict)
    _ends: dict[str, dict[Triple, None]] = field(default_factory=dict)

    def shown(self, end: str) -> str:
        """Return what stands for an end now."""
        return self.note_moves.of(end) if end.startswith("no_") else self.unions.of(end)

    def alike(self, end: str) -> list[str]:
        """Return all ids under which links may have been written to what this end is now."""
        if not end.startswith("no_"):
            return self.unions.members(end)
        now = self.note_moves.of(end)
        return [other for other in self._ends if other.startswith("no_") and self.note_moves.of(other) == now]

    def around(self, end: str) -> set[str]:
        """Return an end, what is one with it, and all that links tie to these."""
        ids = {end, *self.alike(end)}
        return ids.union(*(triple[::2] for id_ in ids for triple in self._ends.get(id_, ())))

    def add(self, triple: Triple, decision: str, step: int) -> None:
        """Let a link live, asserted by a decision."""
        self.held[triple] = decision
        self._steps[triple] = step
        for end in (triple[0], triple[2]):
            self._ends.setdefault(end, {})[triple] = None

    def retire(self, triple: Triple) -> set[str]:
        """End a link, whichever ids it was written with; return the ends concerned."""
        now = (self.shown(triple[0]), triple[1], self.shown(triple[2]))
        concerned: set[str] = set()
        for end in self.alike(triple[0]):
            for held in list(self._ends.get(end, ())):
                if (self.shown(held[0]), held[1], self.shown(held[2])) == now:
                    self._end(held)
                    concerned.update(held[::2])
        return concerned

    def end_from(self, end: str, decisions: Collection[str]) -> None:
        """End the links from an end that some decisions asserted."""
        for triple in list(self._ends.get(end, ())):
            if triple[0] == end and self.held[triple] in decisions:
                self._end(triple)

    def of(self, members: Sequence[str]) -> tuple[Link, ...]:
        """Return the links of what is one element: outgoing first, each in code-point order, each link once."""
        if not self.unions and not self.note_moves:
            (only,) = members
            outward = sorted(self._ends.get(only, ()), key=lambda triple: (triple[0] != only, triple))
            return tuple(Link(*triple, self.held[triple]) for triple in outward)
        inside = set(members)
        found: dict[Triple, tuple[int, str]] = {}
        for member in inside:
            for triple in self._ends.get(member, ()):
                now = (self.shown(triple[0]), triple[1], self.shown(triple[2]))
                if now[0] == now[2] and triple[0] != triple[2]:
                    continue  # between two ids that are one thing now
                asserted = (self._steps[triple], self.held[triple])
                if now not in found or found[now] < asserted:
                    found[now] = asserted
        inward = sorted(found, key=lambda now: (now[0] not in inside, now))
        return tuple(Link(*now, found[now][1]) for now in inward)

    def _end(self, triple: Triple) -> None:
        self.held.drop(triple)
        del self._steps[triple]
        for end in {triple[0], triple[2]}:
            del self._ends[end][triple]
            if not self._ends[end]:
                del self._ends[end]
