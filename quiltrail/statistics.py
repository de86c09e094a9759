"""Summaries of scores, with stratified bootstrap intervals, and comparisons of experiments.

Source: Agarwal, Schwarzer, Castro, Courville, Bellemare, "Deep reinforcement learning at the edge
of the statistical precipice", NeurIPS 2021: interquartile mean, stratified bootstrap, performance
profiles, probability of improvement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Scores = NDArray[np.float64]
#: Takes samples (.., N) and an axis, returns one number for each.
Statistic = Callable[..., Any]

_RESAMPLES = 2000
_BLOCK = 250  # resamples at a time, which bounds the memory
_TAILS = (2.5, 97.5)  # percentiles of a 95 % interval


@dataclass(frozen=True)
class Summary:
    """One statistic with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.text(",.1f")

    def text(self, form: str) -> str:
        """Return "value [low, high]" with numbers in a format such as ".3f"."""
        return f"{self.value:{form}} [{self.low:{form}}, {self.high:{form}}]"

    def mapped(self, zero: float, one: float) -> Summary:
        """Return the summary on the scale on which ``zero`` is 0 and ``one`` is 1."""
        parts = (self.value, self.low, self.high)
        return Summary(*((part - zero) / (one - zero) for part in parts))

    def to_json(self) -> dict[str, float]:
        """Return value, low and high."""
        return {"value": self.value, "low": self.low, "high": self.high}


def interquartile_mean(scores: Scores, axis: int = -1) -> Scores:
    """Return the mean of the middle half of the scores."""
    return np.asarray(stats.trim_mean(scores, 0.25, axis=axis))


STATISTICS: dict[str, Statistic] = {
    "mean": np.mean,
    "median": np.median,
    "iqm": interquartile_mean,
}


def summarise(*strata: ArrayLike, seed: int = 0) -> dict[str, Summary]:
    """Return mean, median and interquartile mean of scores, each with its interval.

    Args:
        strata: scores (N,), one array for each stratum, such as a game; a resample draws from each
            stratum as many as it has.
        seed: of the resampling.
    """
    return {name: bootstrap(strata, statistic, seed) for name, statistic in STATISTICS.items()}


def bootstrap(strata: Sequence[ArrayLike], statistic: Statistic, seed: int = 0) -> Summary:
    """Return a statistic of all scores with its stratified percentile bootstrap interval."""
    parts = [np.asarray(part, np.float64) for part in strata]
    value = float(statistic(np.concatenate(parts), axis=-1))
    if all(np.ptp(part) == 0 for part in parts):
        return Summary(value, value, value)
    drawn = [statistic(block, axis=-1) for block in _resampled(parts, seed)]
    low, high = np.percentile(np.concatenate(drawn), _TAILS)
    return Summary(value, float(low), float(high))


def _resampled(strata: Sequence[Scores], seed: int) -> Iterator[Scores]:
    """Yield blocks (R, N) of stratified resamples."""
    rng = np.random.default_rng(seed)
    for _ in range(_RESAMPLES // _BLOCK):
        yield np.concatenate([_resample(stratum, rng) for stratum in strata], axis=1)


def _resample(stratum: Scores, rng: np.random.Generator) -> Scores:
    drawn: Scores = stratum[rng.integers(len(stratum), size=(_BLOCK, len(stratum)))]
    return drawn


def share(count: int, of: int) -> Summary:
    """Return a share of independent trials with its 95 % interval.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 1927.
    """
    interval = stats.binomtest(count, of).proportion_ci(method="wilson")
    return Summary(count / of, float(interval.low), float(interval.high))


def profile(strata: Sequence[ArrayLike], taus: Scores, seed: int = 0) -> Scores:
    """Return the share of scores above each tau with its interval, (3, T): value, low, high."""
    parts = [np.asarray(part, np.float64) for part in strata]
    value = _shares_above(np.concatenate(parts)[None], taus)[0]
    shares = np.concatenate([_shares_above(block, taus) for block in _resampled(parts, seed)])
    return np.stack([value, *np.percentile(shares, _TAILS, axis=0)])


def _shares_above(scores: Scores, taus: Scores) -> Scores:
    """Return the share of scores (R, N) above each tau, (R, T)."""
    return np.stack([(scores > tau).mean(axis=1) for tau in taus], axis=1)


def probability_of_improvement(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], seed: int = 0
) -> Summary:
    """Return how probably a run of X scores more than one of Y, averaged over games.

    Args:
        pairs: the scores of X and of Y, one pair for each game; ties count one half.
        seed: of the resampling.
    """
    games = [(np.asarray(x, np.float64), np.asarray(y, np.float64)) for x, y in pairs]
    value = float(np.mean([_win_share(x[None], y[None])[0] for x, y in games]))
    rng = np.random.default_rng(seed)
    drawn = [
        np.mean([_win_share(_resample(x, rng), _resample(y, rng)) for x, y in games], axis=0)
        for _ in range(_RESAMPLES // _BLOCK)
    ]
    low, high = np.percentile(np.concatenate(drawn), _TAILS)
    return Summary(value, float(low), float(high))


def _win_share(x: Scores, y: Scores) -> Scores:
    """Return the share of pairs that x (R, N) wins against y (R, M), (R,)."""
    difference = x[:, :, None] - y[:, None, :]
    won = (difference > 0) + 0.5 * (difference == 0)
    share: Scores = won.mean(axis=(1, 2))
    return share
