"""What others wrote: decisions that a session has not heard of, by a cursor into the log's shards.

A cursor names for each install and project the Lamport number of the last decision that was looked at: an install
writes them in that order. So it holds over restarts, and what a second machine recorded earlier and a sync brought
later is news all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from semantic.model import Decision
from semantic.projection.picture import Projection

MOST_CHANGES = 50


@dataclass(frozen=True, slots=True)
class News:
    """Decisions of others in replay order, how many more there are, and the cursor behind those that are here."""

    decisions: tuple[Decision, ...]
    more: int
    cursor: Mapping[str, int]


def present_cursor(picture: Projection) -> dict[str, int]:
    """Return the cursor behind everything that is held now."""
    cursor: dict[str, int] = {}
    for one in picture.decisions.values():
        key = _shard(one)
        cursor[key] = max(cursor.get(key, 0), one.order[0])
    return cursor


def news_since(
    picture: Projection,
    cursor: Mapping[str, int],
    *,
    session: str,
    concerns: Callable[[Decision], bool] = lambda _: True,
    limit: int = MOST_CHANGES,
) -> News:
    """Return what others recorded behind a cursor, as far as it concerns the session."""
    behind = dict(cursor)
    found: list[Decision] = []
    more = 0
    for one in picture.decisions.values():
        key = _shard(one)
        if one.order[0] <= cursor.get(key, 0):
            continue
        is_news = one.session != session and concerns(one)
        if is_news and len(found) == limit:
            more += 1
        if more:
            continue
        behind[key] = max(behind.get(key, 0), one.order[0])
        if is_news:
            found.append(one)
    return News(tuple(found), more, behind)


def _shard(decision: Decision) -> str:
    """Return what a cursor counts by: an install numbers all that it writes, but a sync may bring one file first."""
    return f"{decision.order[1]}/{decision.project or ''}"
