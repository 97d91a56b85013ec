"""The order of what was found: soft preferences, and what was superseded below what superseded it.

They change the order only. The score that is shown stays the fusion's own; but what is shown for the sake of what it
superseded has no score of its own words, and stands with that of the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from memoryd.text.rrf import Fused
from semantic.model import Decision
from semantic.search.answer import Group
from semantic.search.asked import asks_for_books
from semantic.search.query import SemanticQuery, is_of_project

PROJECT_PRIOR = 1.1
SUPERSEDED_PRIOR = 0.6

HUB_PRIOR = 1.1
"""How far a hub may lie behind in the fusion, by rank, and still lead; with k = 10 about a place near the top."""

HUB_NEAR = 0.95
"""The share of the other's own score that a hub must have, in every list that names the other, to lead it."""

_JUST_BELOW = 0.999
_DIRECTLY_BELOW = 1 - 1e-9
_JUST_ABOVE = 1 + 1e-6

BOOKKEEPING_PRIOR = 1e-6
"""What only says where notes went stands below all else, unless it is asked for by its words."""

GIVEN_PRIOR = 0.25
"""What a question names where it quotes a passage that links to it: that is in the passage, and what may be missing
there comes first."""

Chains = Mapping[str, tuple[tuple[str, ...], bool]]
"""What ``semantic.search.asked.replaced`` returns."""
NO_CHAINS: Chains = MappingProxyType({})

Arms = Mapping[str, Mapping[str, float]]
"""Each arm's raw scores by hit id."""


def ordered(
    fused: Sequence[Fused],
    arms: Arms,
    groups: Mapping[str, Group],
    query: SemanticQuery,
    decisions: Mapping[str, Decision],
    chains: Chains = NO_CHAINS,
    given: Collection[str] = (),
) -> list[Fused]:
    """Return a fused ranking in the order in which it is shown.

    ``chains`` are the superseded decisions that the question asks for by their words: they stay, right below what
    superseded them. ``given`` is what the question names in a passage that it quotes.
    """
    present = {one.id for one in fused}
    # What was taken in for a chain has no place of its own.
    joining = dict.fromkeys(id_ for chain, _ in chains.values() for id_ in chain if id_ in groups)
    fused = [*fused, *(Fused(id_, 0.0, {}) for id_ in joining if id_ not in present)]
    prior = {
        one.id: _prior(groups[one.id], query, is_asked_for=one.id in chains) if query.priors else 1.0 for one in fused
    }
    for id_ in prior:
        decision = decisions.get(id_)
        if decision is not None and decision.is_bookkeeping and not asks_for_books(query.text, decision):
            prior[id_] *= BOOKKEEPING_PRIOR
        if id_ in given:
            prior[id_] *= GIVEN_PRIOR
    weights = _below_successors({one.id: one.score * prior[one.id] for one in fused if one.id in present}, decisions)
    scores = {one.id: one.score for one in fused}
    _with_successors(weights, scores, chains)
    fused = [replace(one, score=scores[one.id]) for one in fused if one.id in weights]
    order = sorted(fused, key=lambda one: (-weights[one.id], one.id))
    return _hubs_first(order, weights, arms, groups, prior) if query.priors else order


def _prior(group: Group, query: SemanticQuery, *, is_asked_for: bool) -> float:
    prior = 1.0
    documents = group.documents.values()
    near = () if query.near_project is None else (query.near_project, *query.near_also)
    if near and any(is_of_project(one, *near) for one in documents):
        prior *= PROJECT_PRIOR
    if not is_asked_for and any(document.superseded_by is not None for document in documents):
        prior *= SUPERSEDED_PRIOR
    return prior


def _with_successors(weights: dict[str, float], scores: dict[str, float], chains: Chains) -> None:
    """Put each chain together in one place, the best that any of it has, what stands first."""
    top = max(weights.values(), default=0.0)
    for old, (chain, is_title) in chains.items():
        if old not in weights:
            continue
        shown = [id_ for id_ in chain if id_ in scores]
        weight = max(weights.get(id_, 0.0) for id_ in shown)
        # The words of its title alone ask for nothing else.
        weight = max(weight, scores[old], top * _JUST_ABOVE if is_title else 0.0)
        score = scores[old]
        for id_ in reversed(shown):
            weights[id_] = weight
            scores[id_] = max(scores[id_], score)
            weight *= _DIRECTLY_BELOW


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
