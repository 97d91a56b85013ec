"""What recall is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memoryd.router.decide import Route, Route3
from memoryd.router.explain import Explanation
from memoryd.text.hit import Hit
from memoryd.text.window import Window

Scope = Literal["user", "project", "all"]

EVER = Window()


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question and its bounds.

    Attributes:
        query: May be empty where ``window`` has an end.
        limit: At most so many hits; by default 10, and for a span read in order ``MAX_LIMIT``.
        store: ``auto`` lets the router decide.
        near_project: Ranks hits of this project a little higher; ``project`` admits no other.
        near_session: Ranks entries of this session a little higher; ``session`` admits no other.
        kinds: Kinds of hits to admit; empty for all.
        window: The caller's own bounds in time; they always filter.
        as_of: Both memories as they stood at this instant.
        max_chars: The most UTF-16 units of all titles and texts together.
        lexical: False to search by meaning alone, which is only of use to measure it.
    """

    query: str
    limit: int | None = None
    store: Literal["auto"] | Route3 = "auto"
    near_project: str | None = None
    near_session: str | None = None
    project: str | None = None
    scope: Scope = "all"
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    session: str | None = None
    window: Window = EVER
    as_of: datetime | None = None
    max_chars: int | None = None
    explain: bool = False
    lexical: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits best first (in order for a timeline), what was done without, and on request the whole account."""

    query: str
    route: Route
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...]
    took_ms: int
    explanation: Explanation | None = None
