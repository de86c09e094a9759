"""The tables of an n-tuple network: looked up, summed, corrected by temporal coherence.

Source: Szubert, Jaskowski, "Temporal difference learning of n-tuple networks for the game 2048",
CIG 2014; Beal, Smith, "Temporal coherence and prediction decay in TD learning", IJCAI 1999;
Jaskowski, "Mastering 2048 with delayed temporal coherence learning, multistage weight promotion,
redundant encoding and carousel shaping", IEEE Transactions on Games 2018 (preprint 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled

Weights = NDArray[np.float32]


class Tables(NamedTuple):
    """What is learned, and what its step sizes follow from; S stages of E entries.

    Attributes:
        weights: (S, E) float32.
        errors: (S, E) float64, the sum of the errors that each entry met.
        sizes: (S, E) float64, the sum of their sizes.
    """

    weights: Weights
    errors: NDArray[np.float64]
    sizes: NDArray[np.float64]


class Seen(NamedTuple):
    """What tables see of N after-states; M entries at most.

    Attributes:
        stages: (N,) int64, which table.
        active: (N, M) int32, its entries.
        counts: (N,) int64, how many of them; 0 where there is no after-state.
    """

    stages: NDArray[np.int64]
    active: NDArray[np.int32]
    counts: NDArray[np.int64]


def empty_tables(stages: int, entries: int) -> Tables:
    """Return tables of zeros."""
    shape = (stages, entries)
    return Tables(np.zeros(shape, np.float32), np.zeros(shape), np.zeros(shape))


def nothing_seen(count: int, most_active: int) -> Seen:
    """Return room for what tables see, empty."""
    return Seen(
        np.zeros(count, np.int64),
        np.zeros((count, most_active), np.int32),
        np.zeros(count, np.int64),
    )


@compiled
def _total(weights: Weights, seen: Seen, n: int) -> float:
    """Return the sum of the active entries of one after-state."""
    stage = seen.stages[n]
    value = 0.0
    for k in range(seen.counts[n]):
        value += float(weights[stage, seen.active[n, k]])
    return value


@compiled
def write_totals(weights: Weights, seen: Seen, values: NDArray[np.float64]) -> None:
    """Write the value of every after-state, (N,)."""
    for n in range(seen.counts.shape[0]):
        values[n] = _total(weights, seen, n)


@compiled
def _correct(tables: Tables, seen: Seen, n: int, step: float, error: float) -> None:
    """Move the active entries by ``step * error`` each, times each entry's own coherence.

    The coherence is the share of an entry's errors that did not cancel out: 1 while all of them
    point one way, near 0 when only noise is left.
    """
    stage = seen.stages[n]
    for k in range(seen.counts[n]):
        entry = seen.active[n, k]
        errors, sizes = tables.errors[stage, entry], tables.sizes[stage, entry]
        coherence = abs(errors) / sizes if sizes > 0.0 else 1.0
        tables.weights[stage, entry] += np.float32(step * coherence * error)
        tables.errors[stage, entry] = errors + error
        tables.sizes[stage, entry] = sizes + abs(error)


@compiled
def correct_rows(
    tables: Tables,
    seen: Seen,
    rows: NDArray[np.int64],
    targets: NDArray[np.float64],
    step: float,
) -> float:
    """Correct the values of some after-states towards targets, one after the other.

    Args:
        tables: corrected in place.
        seen: of (N,) after-states; those with nothing active are passed over.
        rows: (R,) which of them.
        targets: (R,).
        step: the share of an error that one correction takes away, before coherence.

    Returns:
        The sum of the sizes of the errors.
    """
    sum_of_sizes = 0.0
    for r in range(rows.shape[0]):
        n = rows[r]
        if seen.counts[n] > 0:
            error = targets[r] - _total(tables.weights, seen, n)
            _correct(tables, seen, n, step / float(seen.counts[n]), error)
            sum_of_sizes += abs(error)
    return sum_of_sizes
