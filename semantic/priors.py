"""The order of what was found: soft preferences, and what was superseded below what superseded it.

They change the order only. The score that is shown stays the fusion's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memoryd.text.rrf import Fused
from semantic.answer import Group
from semantic.model import Decision
from semantic.query import SemanticQuery, is_of_project

PROJECT_PRIOR = 1.1
SUPERSEDED_PRIOR = 0.6

HUB_PRIOR = 1.1
"""How far a hub may lie behind in the fusion, by rank, and still lead; with k = 10 about a place near the top."""

HUB_NEAR = 0.95
"""The share of the other's own score that a hub must have, in every list that names the other, to lead it."""

_JUST_BELOW = 0.999

Arms = Mapping[str, Mapping[str, float]]
"""Each arm's raw scores by hit id."""


def ordered(
    fused: Sequence[Fused],
    arms: Arms,
    groups: Mapping[str, Group],
    query: SemanticQuery,
    decisions: Mapping[str, Decision],
) -> list[Fused]:
    """Return a fused ranking in the order in which it is shown."""
    prior = {one.id: _prior(groups[one.id], query) if query.priors else 1.0 for one in fused}
    weights = _below_successors({one.id: one.score * prior[one.id] for one in fused}, decisions)
    order = sorted(fused, key=lambda one: (-weights[one.id], one.id))
    return _hubs_first(order, weights, arms, groups, prior) if query.priors else order


def _prior(group: Group, query: SemanticQuery) -> float:
    prior = 1.0
    documents = group.documents.values()
    if query.near_project is not None and any(is_of_project(one, query.near_project) for one in documents):
        prior *= PROJECT_PRIOR
    if any(document.superseded_by is not None for document in documents):
        prior *= SUPERSEDED_PRIOR
    return prior


def _below_successors(weights: Mapping[str, float], decisions: Mapping[str, Decision]) -> dict[str, float]:
    """Return the weights with each superseded decision below everything found that superseded it."""
    lowered: dict[str, float] = {}
    for one in weights:
        chain, seen = [one], {one}
        while True:
            decision = decisions.get(chain[-1])
            successor = None if decision is None else decision.superseded_by
            if successor is None or successor in seen:
                break
            chain.append(successor)
            seen.add(successor)
        ceiling = math.inf
        for link in reversed(chain):
            if link in weights:
                ceiling = min(weights[link], ceiling * (_JUST_BELOW if link != chain[-1] else 1.0))
        lowered[one] = ceiling
    return lowered


def _hubs_first(
    order: Sequence[Fused],
    weights: Mapping[str, float],
    arms: Arms,
    groups: Mapping[str, Group],
    prior: Mapping[str, float],
) -> list[Fused]:
    """Move each hub, a note that leads to others, above those just before it that answer no better."""

    def leads(hub: Fused, other: Fused) -> bool:
        # A rank hides how near two are: a hub at the second place may be as good as the first, or not good at all.
        return (
            not _is_hub(groups[other.id])
            and prior[hub.id] >= prior[other.id]
            and weights[hub.id] * HUB_PRIOR >= weights[other.id]
            and all(arms[arm].get(hub.id, 0.0) >= HUB_NEAR * arms[arm][other.id] for arm in other.ranks)
        )

    shown: list[Fused] = []
    for one in order:
        place = len(shown)
        if _is_hub(groups[one.id]):
            while place and leads(one, shown[place - 1]):
                place -= 1
        shown.insert(place, one)
    return shown


def _is_hub(group: Group) -> bool:
    return any(document.is_hub for document in group.documents.values())
