"""One line of an answer, in the shape that both stores give and the router fuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

Kind = Literal["episode", "section", "note", "element", "decision"]
StoreName = Literal["episodic", "semantic"]

NO_ARMS: Mapping[str, ArmScore] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ArmScore:
    """Where one search arm put a hit: its rank from 1, and the arm's own raw score (no common unit)."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A found piece of memory.

    Attributes:
        id: ``ep_…``, a chunk id (kind ``section``), ``no_…``, ``el_…`` or ``de_…``.
        score: 0 to 1: the RRF sum divided by its highest possible value, before priors, which change the order only.
            Comparable inside one answer only.
        path: Relative to ``memory/``, or ``<vault>:<path>``; ``None`` for what lives in the log.
        lines: First and last line, 1-based, of the file as stored.
        at: The instant it is about, aware.
        episode: The episode that the hit belongs to.
        evidence: Episode ids that a decision or element cites.
        elements: Element ids that the hit is about: a decision's, a joined note's.
        names: Of a decision: the names and aliases of the elements that it is about.
        values: Of a decision: the gists that it gave them.
        is_bookkeeping: Whether it only keeps the memory's own books and was not asked for by its words.
        superseded_by: The decision that replaced what this hit says.
        sources: Other places (``path`` or id) that say the same and were merged into this hit.
        arms: What each search arm thought of it, for ``explain``.
    """

    id: str
    store: StoreName
    kind: Kind
    title: str
    text: str
    score: float
    path: str | None = None
    lines: tuple[int, int] | None = None
    at: datetime | None = None
    project: str | None = None
    session: str | None = None
    episode: str | None = None
    summary: str | None = None
    superseded_by: str | None = None
    evidence: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    is_bookkeeping: bool = False
    arms: Mapping[str, ArmScore] = field(default_factory=lambda: NO_ARMS)


@dataclass(frozen=True, slots=True)
class Found:
    """What one store found: hits best first, what it had to do without, and each arm's own list for ``explain``.

    ``notes`` says, in words, what else was weighed.
    ``arms`` maps an arm's name (``lexical``, ``dense``, ``names`` …) to its ``(hit id, raw score)`` pairs, best first.
    """

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    arms: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
