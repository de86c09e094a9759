"""Ratings of players from the points they made against each other.

Source: Bradley, Terry, "Rank analysis of incomplete block designs", Biometrika 1952; A. Elo, "The
rating of chessplayers, past and present" (1978), for the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from quiltrail.statistics import Summary

_ELO = 400 / np.log(10)  # of one unit of a logit
_QUANTILE = 1.959964  # of 97.5 %
_VIRTUAL = 0.5  # points that each of a pair is given beforehand, so that no rating is infinite

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """How strong a player is: Elo points above the anchor, with a 95 % interval."""

    name: str
    elo: Summary


def rate(names: list[str], points: Table, anchor: str) -> list[Rating]:
    """Return the most likely ratings under the Bradley-Terry model, in the order of ``names``.

    The chance that i beats j is 1 / (1 + 10^((R_j - R_i) / 400)). A draw is half a point for each.
    Each pair that met is given one virtual draw. Intervals come from the Fisher information; they
    take draws for half wins, which makes them rather too wide.

    Args:
        names: of P players.
        points: (P, P), what the row's player made against the column's.
        anchor: whose rating is 0.

    Raises:
        ValueError: if the players fall into groups that never met.
    """
    met = points + points.T > 0
    made = points + _VIRTUAL * met
    free = np.array([name != anchor for name in names])

    def rated(logits: NDArray[np.float64]) -> NDArray[np.float64]:
        full = np.zeros(len(names))
        full[free] = logits
        return full

    def loss(logits: NDArray[np.float64]) -> float:
        full = rated(logits)
        return float(-(made * special.log_expit(full[:, None] - full[None, :])).sum())

    def gradient(logits: NDArray[np.float64]) -> NDArray[np.float64]:
        expected = _expected(made, rated(logits))
        return np.asarray((expected - made).sum(axis=1)[free])

    def curvature(logits: NDArray[np.float64]) -> Table:
        return np.asarray(_information(made, rated(logits))[np.ix_(free, free)])

    start = np.zeros(int(free.sum()))
    if np.linalg.matrix_rank(curvature(start)) < len(start):
        raise ValueError("some players never met the others, directly or through third ones")
    found = optimize.minimize(loss, start, method="trust-exact", jac=gradient, hess=curvature)
    spread = np.zeros(len(names))
    spread[free] = np.sqrt(np.diag(np.linalg.inv(curvature(found.x))))
    elo, half = _ELO * rated(found.x), _ELO * _QUANTILE * spread
    return [
        Rating(name, Summary(float(r), float(r - h), float(r + h)))
        for name, r, h in zip(names, elo, half, strict=True)
    ]


def _expected(made: Table, logits: NDArray[np.float64]) -> Table:
    """Return the points that each is expected to make against each, (P, P)."""
    return (made + made.T) * special.expit(logits[:, None] - logits[None, :])


def _information(made: Table, logits: NDArray[np.float64]) -> Table:
    """Return the Fisher information of all logits, (P, P)."""
    chance = special.expit(logits[:, None] - logits[None, :])
    weights = (made + made.T) * chance * (1 - chance)
    np.fill_diagonal(weights, 0.0)
    return np.diag(weights.sum(axis=1)) - weights
