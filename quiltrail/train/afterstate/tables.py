"""The tables of an n-tuple network: looked up, summed, corrected by temporal coherence.

Source: Beal, Smith, "Temporal coherence and prediction decay in TD learning", IJCAI 1999;
Jaskowski, "Mastering 2048 with delayed temporal coherence learning, multistage weight promotion,
redundant encoding and carousel shaping", IEEE Transactions on Games 2018 (preprint 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled
from quiltrail.train.afterstate.features import NUM_ENTRIES

Weights = NDArray[np.float32]


class Tables(NamedTuple):
    """What is learned, and what its step sizes follow from; S stages of N entries.

    Attributes:
        weights: (S, N) float32.
        errors: (S, N) float64, the sum of the errors that each entry met.
        sizes: (S, N) float64, the sum of their sizes.
    """

    weights: Weights
    errors: NDArray[np.float64]
    sizes: NDArray[np.float64]


def empty_tables(stages: int) -> Tables:
    """Return tables of zeros."""
    shape = (stages, NUM_ENTRIES)
    return Tables(np.zeros(shape, np.float32), np.zeros(shape), np.zeros(shape))


@compiled
def stage_of(sewn: int, stages: int, stage_patches: int) -> int:
    """Return the stage of a game after so many patches; the last one has no end."""
    return int(min(sewn // stage_patches, stages - 1))


@compiled
def total(weights: Weights, stage: int, active: NDArray[np.int32], count: int) -> float:
    """Return the sum of the first ``count`` active entries."""
    value = 0.0
    for n in range(count):
        value += float(weights[stage, active[n]])
    return value


@compiled
def correct(
    tables: Tables, stage: int, active: NDArray[np.int32], step: float, error: float
) -> None:
    """Move the active entries by ``step * error`` each, times each entry's own coherence.

    The coherence is the share of an entry's errors that did not cancel out: 1 while all of them
    point one way, near 0 when only noise is left.
    """
    for n in range(active.shape[0]):
        entry = active[n]
        errors, sizes = tables.errors[stage, entry], tables.sizes[stage, entry]
        coherence = abs(errors) / sizes if sizes > 0.0 else 1.0
        tables.weights[stage, entry] += np.float32(step * coherence * error)
        tables.errors[stage, entry] = errors + error
        tables.sizes[stage, entry] = sizes + abs(error)
