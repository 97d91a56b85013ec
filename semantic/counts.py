"""How much is known, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is known: living elements and links, decisions, notes, units to embed and those with a vector."""

    elements: int
    links: int
    decisions: int
    notes: int
    units: int
    vectors: int
