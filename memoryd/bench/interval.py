"""Uncertainty of a mean over questions: the percentile bootstrap (Efron 1979)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def bootstrap_mean(values: Sequence[float], *, seed: int, resamples: int = 2000) -> tuple[float, float]:
    """Return the 95 % interval of the mean, by resampling the values with replacement."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        return (0.0, 0.0)
    picks = np.random.default_rng(seed).integers(0, sample.size, size=(resamples, sample.size))
    low, high = np.percentile(sample[picks].mean(axis=1), [2.5, 97.5])
    return (float(low), float(high))
