"""What was found for one ask, and the join of several: a compound question has one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.router.explain import Asked
from memoryd.router.fuse import Fusion, fuse, in_order
from memoryd.router.outdated import contradicted
from memoryd.router.plan import Plan
from memoryd.text.hit import Hit


@dataclass(frozen=True, slots=True)
class Searched:
    """A plan as it was carried out, the stores that were asked, and the one list made of what they found."""

    planned: Plan
    asked: tuple[Asked, ...]
    failures: tuple[str, ...]
    weights: Mapping[str, float]
    fusion: Fusion
    outdated: tuple[str, ...] = ()


def _apart(lists: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
    """Leave each hit where it stands best: what answers two asks a little is no better than what answers one."""
    best: dict[str, tuple[int, int]] = {}
    for number, hits in enumerate(lists):
        for rank, hit in enumerate(hits):
            best[hit.id] = min(best.get(hit.id, (rank, number)), (rank, number))
    return [[hit for hit in hits if best[hit.id][1] == number] for number, hits in enumerate(lists)]


def joined(parts: Sequence[Searched]) -> Searched:
    """Join the answers to several asks by rank, each ask counting as much as another; spans alone stay in order.

    ``planned`` is that of the first.
    """
    outdated = [id_ for part in parts for id_ in part.outdated]
    if all(part.planned.is_timeline for part in parts):
        fusion = in_order(part.fusion.hits for part in parts)
    else:
        found: Mapping[str, Sequence[Hit]] = {
            f"ask {number}": hits for number, hits in enumerate(_apart([part.fusion.hits for part in parts]), start=1)
        }
        if any(part.planned.route.store != "episodic" for part in parts):
            found, marked = contradicted(found)
            outdated += marked
        fusion = fuse(found)
    merges = [merge for part in parts for merge in part.fusion.merges]
    moved = [id_ for part in parts for id_ in part.fusion.moved]
    return Searched(
        parts[0].planned,
        tuple(one for part in parts for one in part.asked),
        tuple(dict.fromkeys(failure for part in parts for failure in part.failures)),
        {},
        Fusion(fusion.hits, (*merges, *fusion.merges), tuple(dict.fromkeys([*moved, *fusion.moved]))),
        tuple(dict.fromkeys(outdated)),
    )
