"""What is named together more often than chance would have it.

The measure is Dunning's log-likelihood ratio (Computational Linguistics 19(1), 1993, p. 61-74), with the normalised
pointwise mutual information (Bouma, GSCL 2009) beside it: the first asks whether the tie is real, the second whether
it is close. Two things must pass both, in two sections at least, of two notes at least.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LEAST_SUPPORT = 2
LEAST_LIKELIHOOD = 10.83
"""The 0.001 point of chi-square with one degree of freedom."""
LEAST_NPMI = 0.3
MOST_TOGETHER = 24
"""A section that names more than this many things is a list, and says nothing of any two of them."""
MOST_EACH = 5
"""So many ties a thing may have at most."""

Place = tuple[str, tuple[int, int]]
"""A note's ``<vault>:<path>``, and the lines of one of its sections."""


@dataclass(frozen=True, slots=True)
class Tie:
    """Two things, in code-point order, the sections that name both, and the measures."""

    one: str
    other: str
    places: tuple[Place, ...]
    likelihood: float
    npmi: float


def associated(sections: Iterable[tuple[Place, Sequence[str]]]) -> list[Tie]:
    """Return the ties among the things that sections name, in the order of their ends."""
    count = 0
    single: Counter[str] = Counter()
    together: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    for place, named in sections:
        things = sorted(set(named))
        if not things:
            continue
        count += 1
        single.update(things)
        if len(things) > MOST_TOGETHER:
            continue
        for at, one in enumerate(things):
            for other in things[at + 1 :]:
                together[one, other].append(place)
    ties = []
    for (one, other), places in together.items():
        if len(places) < LEAST_SUPPORT or len({path for path, _ in places}) < LEAST_SUPPORT:
            continue
        likelihood = log_likelihood(len(places), single[one], single[other], count)
        npmi = normalised_pmi(len(places), single[one], single[other], count)
        if likelihood >= LEAST_LIKELIHOOD and npmi >= LEAST_NPMI:
            ties.append(Tie(one, other, tuple(sorted(places)), likelihood, npmi))
    ties.sort(key=lambda tie: (-tie.npmi * math.log2(1 + len(tie.places)), tie.one, tie.other))
    held: Counter[str] = Counter()
    chosen = []
    for tie in ties:
        if max(held[tie.one], held[tie.other]) < MOST_EACH:
            held.update((tie.one, tie.other))
            chosen.append(tie)
    return sorted(chosen, key=lambda tie: (tie.one, tie.other))


def log_likelihood(both: int, one: int, other: int, all_: int) -> float:
    """Return the log-likelihood ratio G2 of two things; 0 where they meet less often than chance has it."""
    table = (both, one - both, other - both, all_ - one - other + both)
    if both * all_ <= one * other:
        return 0.0
    rows, columns = (one, all_ - one), (other, all_ - other)
    expected = [rows[r] * columns[c] / all_ for r, c in ((0, 0), (0, 1), (1, 0), (1, 1))]
    return 2 * sum(seen * math.log(seen / chance) for seen, chance in zip(table, expected, strict=True) if seen > 0)


def normalised_pmi(both: int, one: int, other: int, all_: int) -> float:
    """Return the normalised pointwise mutual information, -1 to 1."""
    if both == all_:
        return 0.0
    return math.log(both * all_ / (one * other)) / -math.log(both / all_)
