"""Fusing ranked lists into one, with a score that has a meaning.

Reciprocal rank fusion (Cormack, Clarke, Buettcher: "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009)
divided by the highest value it can take, so that 1 means first in every list.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

DEFAULT_K = 10
NOT_BLIND: Mapping[str, Collection[str]] = MappingProxyType({})
WHOLE: Mapping[str, Mapping[str, float]] = MappingProxyType({})
NO_TAILS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fused:
    """An id, its score from 0 to 1 and its rank (from 1) in each list that holds it."""

    id: str
    score: float
    ranks: dict[str, int]


def fuse(
    rankings: Mapping[str, Sequence[str]],
    *,
    k: int = DEFAULT_K,
    weights: Mapping[str, float] | None = None,
    blind: Mapping[str, Collection[str]] = NOT_BLIND,
    shares: Mapping[str, Mapping[str, float]] = WHOLE,
    tails: Mapping[str, float] = NO_TAILS,
) -> list[Fused]:
    """Fuse lists of ids (best first) by reciprocal rank: the sum of ``w / (k + rank)`` over its highest possible value.

    A list that found nothing still counts in the highest value: it was asked. An id that a list names twice counts
    once, at its first place. Ties go to the better single rank, then to the id.

    ``blind`` names, for a list, ids that it could not have ranked whatever they say: an entry whose vector is not made
    yet. For these the list does not count in the highest value, so that what was just written is not ranked below all
    that is old.

    ``shares`` gives, for a list, the part of its rank's worth that an id gets, 0 to 1 (1 where it names none): a list
    whose fifth is half as good as its first may say so. ``tails`` gives, for a list, the part of the next rank's worth
    that ids get which the list lacks, 0 to 1: all of them tie behind its last and share its fate, so that standing at
    its end is worth little more than not standing in it. Neither can lift a score above the highest.

    Raises:
        ValueError: ``k`` is negative, or a weight is negative or not finite.
    """
    if k < 0:
        raise ValueError("k of a reciprocal rank fusion cannot be negative")
    weight_of = _weights(rankings, weights)
    ranks = _ranks(rankings, weight_of)
    # Of every question hundreds of ids go through here.
    lists = [
        (
            arm,
            w,
            shares.get(arm, {}),
            blind.get(arm, ()),
            tails.get(arm, 0.0) * _last_share(rankings[arm], shares.get(arm, {})) * w / (k + len(rankings[arm]) + 1),
        )
        for arm, w in weight_of.items()
    ]
    highest = sum(w / (k + 1) for w in weight_of.values())
    scores: dict[str, float] = {}
    for id_, placed in ranks.items():
        worth: list[float] = []
        is_hidden = False
        for arm, w, share, hidden, tail in lists:
            rank = placed.get(arm)
            if rank is not None:
                worth.append(share.get(id_, 1.0) * w / (k + rank))
            elif id_ in hidden:
                is_hidden = True
            else:
                worth.append(tail)
        most = highest
        if is_hidden:
            most = sum(w / (k + 1) for arm, w, _, hidden, _ in lists if arm in placed or id_ not in hidden)
        scores[id_] = math.fsum(worth) / most
    return _ordered(scores, ranks)


def min_max(
    scored: Mapping[str, Sequence[tuple[str, float]]], *, weights: Mapping[str, float] | None = None
) -> list[Fused]:
    """Fuse lists of ``(id, raw score)`` by the weighted mean of scores stretched to 0..1 inside each list.

    A list whose scores are all equal gives 1 to each of its ids; an id that a list lacks gets 0 from it.

    Raises:
        ValueError: A weight is negative or not finite.
    """
    weight_of = _weights(scored, weights)
    highest = sum(weight_of.values())
    ranks = _ranks({arm: [id_ for id_, _ in rows] for arm, rows in scored.items()}, weight_of)
    scores = dict.fromkeys(ranks, 0.0)
    for arm, weight in weight_of.items():
        rows = scored[arm]
        if not rows:
            continue
        low, high = min(score for _, score in rows), max(score for _, score in rows)
        first = dict(reversed(rows))
        for id_, score in first.items():
            stretched = (score - low) / (high - low) if high > low else 1.0
            scores[id_] += weight * stretched / highest
    return _ordered(scores, ranks)


def _last_share(ranking: Sequence[str], shares: Mapping[str, float]) -> float:
    """Return the part of its rank's worth that the last of a list gets: what the list lacks is no better."""
    return shares.get(ranking[-1], 1.0) if ranking else 1.0


def _weights(arms: Mapping[str, object], weights: Mapping[str, float] | None) -> dict[str, float]:
    found = {arm: 1.0 if weights is None else weights.get(arm, 1.0) for arm in sorted(arms)}
    if any(weight < 0 or not math.isfinite(weight) for weight in found.values()):
        raise ValueError("weights of a fusion are finite and not negative")
    return {arm: weight for arm, weight in found.items() if weight > 0}


def _ranks(rankings: Mapping[str, Sequence[str]], arms: Mapping[str, float]) -> dict[str, dict[str, int]]:
    ranks: dict[str, dict[str, int]] = {}
    for arm in arms:
        for rank, id_ in enumerate(rankings[arm], start=1):
            ranks.setdefault(id_, {}).setdefault(arm, rank)
    return ranks


def _ordered(scores: Mapping[str, float], ranks: Mapping[str, dict[str, int]]) -> list[Fused]:
    order = sorted(scores, key=lambda id_: (-scores[id_], min(ranks[id_].values()), id_))
    return [Fused(id_, min(scores[id_], 1.0), ranks[id_]) for id_ in order]
