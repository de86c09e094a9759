"""Fitting the learner's network to samples: cross-entropy, Adam, compiled.

Source: Kingma, Ba, "Adam: a method for stochastic optimization", ICLR 2015.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_network import Network, chance_of, empty_network, logit_of
from quiltrail.core.jit import compiled
from quiltrail.train.league.learning import LEARNER, Samples

_MEAN_DECAY, _SQUARE_DECAY = 0.9, 0.999
_SMALL = np.float32(1e-8)


class Moments(NamedTuple):
    """What Adam remembers, and room for a gradient; each one network.

    Attributes:
        gradient: of the last batch.
        means: running means of gradients.
        squares: running means of their squares.
    """

    gradient: Network
    means: Network
    squares: Network


def no_moments(hidden: int) -> Moments:
    """Return moments of zeros."""
    return Moments(*(empty_network(1, hidden) for _ in Moments._fields))


@compiled
def _add_gradient(
    network: Network,
    gradient: Network,
    active: NDArray[np.int16],
    slope: np.float32,
    hidden: NDArray[np.float32],
) -> None:
    """Add one sample's gradient; ``slope`` is that of the logit, ``hidden`` becomes the units'."""
    gradient.offset[0, 0] += slope
    for unit in range(hidden.shape[0]):
        if hidden[unit] > 0.0:
            gradient.head[0, unit] += slope * hidden[unit]
            hidden[unit] = slope * network.head[LEARNER, unit]
            gradient.bias[0, unit] += hidden[unit]
        else:
            hidden[unit] = 0.0
    for n in range(active.shape[0]):
        entry = gradient.entries[0, active[n]]
        for unit in range(hidden.shape[0]):
            entry[unit] += hidden[unit]


@compiled
def _descend(
    weights: NDArray[np.float32],
    gradient: NDArray[np.float32],
    means: NDArray[np.float32],
    squares: NDArray[np.float32],
    step: float,
    batches: int,
) -> None:
    """Correct flat weights by Adam and clear their gradient."""
    rate = np.float32(step / (1.0 - _MEAN_DECAY**batches))
    scale = np.float32(1.0 / np.sqrt(1.0 - _SQUARE_DECAY**batches))
    keep, keep_square = np.float32(_MEAN_DECAY), np.float32(_SQUARE_DECAY)
    new, new_square = np.float32(1.0 - _MEAN_DECAY), np.float32(1.0 - _SQUARE_DECAY)
    for n in range(weights.shape[0]):
        means[n] = keep * means[n] + new * gradient[n]
        squares[n] = keep_square * squares[n] + new_square * gradient[n] * gradient[n]
        weights[n] -= rate * means[n] / (np.sqrt(squares[n]) * scale + _SMALL)
        gradient[n] = 0.0


@compiled
def learn_batch(
    network: Network,
    moments: Moments,
    samples: Samples,
    batch: NDArray[np.int64],
    step: float,
    batches: int,
    hidden: NDArray[np.float32],
) -> float:
    """Correct the learner's network once; return the mean square of the errors it had.

    Args:
        network: its first one is corrected in place.
        moments: Adam's, updated.
        samples: what is learned from.
        batch: (N,) which of them.
        step: the learning rate.
        batches: how many have been learned, this one included.
        hidden: (H,) room to work in.
    """
    total = 0.0
    for sample in batch:
        active = samples.active[sample, : samples.counts[sample]]
        logit = logit_of(network, LEARNER, active, hidden)
        error = chance_of(logit) - samples.targets[sample]
        total += error * error
        slope = np.float32(error / batch.shape[0])
        _add_gradient(network, moments.gradient, active, slope, hidden)
    _descend(
        network.entries[LEARNER].reshape(-1),
        moments.gradient.entries[0].reshape(-1),
        moments.means.entries[0].reshape(-1),
        moments.squares.entries[0].reshape(-1),
        step,
        batches,
    )
    for weights, gradient, means, squares in (
        (network.bias, moments.gradient.bias, moments.means.bias, moments.squares.bias),
        (network.head, moments.gradient.head, moments.means.head, moments.squares.head),
        (network.offset, moments.gradient.offset, moments.means.offset, moments.squares.offset),
    ):
        _descend(weights[LEARNER], gradient[0], means[0], squares[0], step, batches)
    return float(total / batch.shape[0])
