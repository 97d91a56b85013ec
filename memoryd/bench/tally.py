"""What was found of what was wanted, for one question and on the average of all."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Sequence

from memoryd.bench.interval import bootstrap_mean


class Tally:
    """Figures of one level (turns, or sessions), a value a question.

    ``recall`` is the share of what was wanted that stands in the first k; ``any`` is 1 where one of it does, ``all``
    where all of it does. Means are over questions (macro). The reciprocal rank looks at all that was returned.
    """

    def __init__(self, depths: Sequence[int]) -> None:
        self.depths = tuple(depths)
        self.kinds: list[str] = []
        self.reciprocal_ranks: list[float] = []
        self._found: dict[int, list[tuple[int, int]]] = {depth: [] for depth in depths}

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, wanted: Collection[str], found: Sequence[str], *, kind: str = "") -> None:
        """Score one answer, best first; nothing wanted counts nothing."""
        goal = set(wanted)
        if not goal:
            return
        ranked = list(dict.fromkeys(found))
        self.kinds.append(kind)
        for depth, values in self._found.items():
            values.append((len(goal.intersection(ranked[:depth])), len(goal)))
        self.reciprocal_ranks.append(next((1 / rank for rank, id_ in enumerate(ranked, start=1) if id_ in goal), 0.0))

    def recalls(self, depth: int) -> list[float]:
        """Return, for each question, the share that was found."""
        return [found / wanted for found, wanted in self._found[depth]]

    def any_found(self, depth: int) -> list[float]:
        """Return, for each question, whether something was found."""
        return [float(found > 0) for found, _ in self._found[depth]]

    def all_found(self, depth: int) -> list[float]:
        """Return, for each question, whether all was found."""
        return [float(found == wanted) for found, wanted in self._found[depth]]

    @property
    def mean_reciprocal_rank(self) -> float:
        """The mean of the reciprocal ranks."""
        return mean(self.reciprocal_ranks)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return statistics.fmean(values) if values else 0.0


def interval(values: Sequence[float], *, seed: int) -> str:
    """Return the 95 % interval of a mean, in words."""
    low, high = bootstrap_mean(values, seed=seed)
    return f"{low:.3f} to {high:.3f}"


def difference(ours: Sequence[float], theirs: Sequence[float], *, seed: int) -> tuple[float, str]:
    """Return the mean difference of two runs over the same questions, and its 95 % interval, paired by question."""
    pairs = [one - other for one, other in zip(ours, theirs, strict=True)]
    low, high = bootstrap_mean(pairs, seed=seed)
    return mean(pairs), f"{low:+.3f} to {high:+.3f}"
