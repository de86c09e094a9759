"""Summaries of scores with bootstrap intervals.

Source: Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice",
NeurIPS 2021, for the interquartile mean and stratified bootstrap intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

_RESAMPLES = 2000
_LEVEL = 0.95


@dataclass(frozen=True)
class Summary:
    """One statistic with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:,.1f} [{self.low:,.1f}, {self.high:,.1f}]"


def interquartile_mean(scores: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Return the mean of the middle half of the scores."""
    return np.asarray(stats.trim_mean(scores, 0.25, axis=axis))


STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "median": np.median,
    "iqm": interquartile_mean,
}


def summarise(scores: NDArray[np.float64], seed: int = 0) -> dict[str, Summary]:
    """Return mean, median and interquartile mean of scores (N,), each with its interval.

    Percentile bootstrap over episodes; the interval is the value itself where all are equal.
    """
    scores = np.asarray(scores, np.float64)
    return {name: _with_interval(scores, name, seed) for name in STATISTICS}


def _with_interval(scores: NDArray[np.float64], name: str, seed: int) -> Summary:
    statistic = STATISTICS[name]
    value = float(statistic(scores))
    if np.ptp(scores) == 0:
        return Summary(value, value, value)
    result = stats.bootstrap(
        (scores,),
        statistic,
        n_resamples=_RESAMPLES,
        confidence_level=_LEVEL,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return Summary(
        value, float(result.confidence_interval.low), float(result.confidence_interval.high)
    )
