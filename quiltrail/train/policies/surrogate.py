"""PPO's choices, its loss, and the gradient with respect to scores and values in closed form.

Autograd takes some forty small operations, and as many backward, for what three lines of algebra
say. With ``p`` the masked probabilities of a row, ``a`` its action and ``n`` rows a minibatch:

    d loss / d score_j  = -w (1[j = a] - p_j) + c p_j (log p_j + H) / n
    w                   = advantage * ratio / n where the surrogate is not clipped, else 0
    d loss / d value    = 2 v (value - return) / n

with ``c`` the weight of the entropy ``H`` and ``v`` that of the value's error. Compiled, and over
legal actions only: what is masked costs a zero.

Source: Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347, equations 7
and 9; the loss is that of sb3-contrib's MaskablePPO, term by term.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from quiltrail.core.jit import compiled

#: What a log shows of a minibatch.
FIGURES = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")

_SMALLEST_DEVIATION = 1e-8  # as in sb3-contrib

Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """What weighs the parts of the loss.

    Attributes:
        clip: the ratio of probabilities counts between 1 - clip and 1 + clip.
        clip_values: values count up to this far from the old ones; infinite for any distance.
        entropy: weight of the entropy bonus.
        value: weight of the value's squared error.
        normalise: whether advantages of a minibatch get mean 0 and deviation 1.
    """

    clip: float
    clip_values: float
    entropy: float
    value: float
    normalise: bool


class Rollout(NamedTuple):
    """A minibatch as arrays: what was done, and what came of it.

    Attributes:
        masks: (n, A) bool, legal actions.
        actions: (n,) the actions played; any number type.
        log_probs: (n,) float32, their log-probabilities then.
        advantages: (n,) float32.
        returns: (n,) float32.
        values: (n,) float32, of the positions as judged then.
    """

    masks: NDArray[np.bool_]
    actions: NDArray[Any]
    log_probs: Floats
    advantages: Floats
    returns: Floats
    values: Floats


class Surrogate(NamedTuple):
    """The loss of a minibatch and its gradient.

    Attributes:
        by_score: (n, A) float32, d loss / d scores.
        by_value: (n,) float32, d loss / d values.
        figures: (5,) float64, means in the order of `FIGURES`.
    """

    by_score: Tensor
    by_value: Tensor
    figures: NDArray[np.float64]


@compiled
def _mean_and_deviation(numbers: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation, with n - 1, of at least two numbers."""
    mean = 0.0
    for number in numbers:
        mean += float(number)
    mean /= len(numbers)
    squares = 0.0
    for number in numbers:
        squares += (float(number) - mean) ** 2
    return mean, sqrt(squares / max(len(numbers) - 1, 1))


@compiled
def _weigh(scores: Floats, mask: NDArray[np.bool_], shares: Floats) -> tuple[float, float]:
    """Write exp(score - highest) of a row, 0 where masked; return log of the sum, and entropy.

    The first is what to subtract from a score for its log-probability. A row with nothing legal
    counts as one with everything legal, as in sb3-contrib.
    """
    everything = not mask.any()
    highest = -inf
    for action in range(len(scores)):
        if mask[action] or everything:
            highest = max(highest, float(scores[action]))
    total, weighted = 0.0, 0.0
    for action in range(len(scores)):
        shares[action] = 0.0
        if mask[action] or everything:
            below = float(scores[action]) - highest
            share = exp(below)
            shares[action] = share
            total += share
            weighted += share * below
    return highest + log(total), log(total) - weighted / total


@compiled
def _write_gradient(
    scores: Floats,
    values: Floats,
    batch: Rollout,
    weights: Weights,
    by_score: Floats,
    by_value: Floats,
    figures: NDArray[np.float64],
) -> None:
    """Write the gradient, and add the means of `FIGURES`."""
    count = len(values)
    mean, deviation = 0.0, 1.0
    if weights.normalise:
        mean, deviation = _mean_and_deviation(batch.advantages)
        deviation += _SMALLEST_DEVIATION
    for row in range(count):
        shift, entropy = _weigh(scores[row], batch.masks[row], by_score[row])
        action = int(batch.actions[row])
        log_ratio = float(scores[row, action]) - shift - float(batch.log_probs[row])
        ratio = exp(log_ratio)
        advantage = (float(batch.advantages[row]) - mean) / deviation
        free = advantage * ratio
        clipped = advantage * min(max(ratio, 1 - weights.clip), 1 + weights.clip)
        push = free / count if free <= clipped else 0.0
        for other in range(scores.shape[1]):
            if by_score[row, other] > 0.0:
                log_prob = float(scores[row, other]) - shift
                spread = (log_prob + entropy) * weights.entropy / count
                by_score[row, other] = exp(log_prob) * (push + spread)
        by_score[row, action] -= push
        old = float(batch.values[row])
        moved = float(values[row]) - old
        near = min(max(moved, -weights.clip_values), weights.clip_values)
        off = old + near - float(batch.returns[row])
        by_value[row] = 2 * weights.value * off / count if near == moved else 0.0
        figures[0] -= min(free, clipped) / count
        figures[1] += off * off / count
        figures[2] -= entropy / count
        figures[3] += (ratio - 1 - log_ratio) / count
        if abs(ratio - 1) > weights.clip:
            figures[4] += 1 / count


@compiled
def _write_choices(
    scores: Floats,
    masks: NDArray[np.bool_],
    draws: Floats,
    actions: NDArray[np.int64],
    log_probs: Floats,
) -> None:
    """Write an action a row by the inverse of the cumulative distribution, and its log-probability.

    It is the first action whose cumulative share exceeds the draw's part of the total; should
    rounding let none exceed it, the last that has a share. So it is legal.
    """
    shares = np.empty_like(scores[0])
    for row in range(len(scores)):
        shift, _ = _weigh(scores[row], masks[row], shares)
        total = 0.0
        for share in shares:
            total += float(share)
        target, passed = float(draws[row]) * total, 0.0
        for action in range(len(shares)):
            if shares[action] > 0.0 and passed <= target:
                actions[row] = action
                passed += float(shares[action])
        log_probs[row] = float(scores[row, actions[row]]) - shift


def choose(scores: Tensor, masks: Any) -> tuple[Tensor, Tensor]:
    """Draw legal actions (B,) int64 with one uniform number a row; return their log-probabilities.

    Args:
        scores: (B, A) float32.
        masks: (B, A), array or tensor, ones for what is legal.
    """
    given = _array(scores)
    legal = np.asarray(masks).reshape(given.shape) != 0
    actions, log_probs = np.zeros(len(given), np.int64), np.empty(len(given), np.float32)
    _write_choices(given, legal, torch.rand(len(given)).numpy(), actions, log_probs)
    device = scores.device
    return torch.as_tensor(actions, device=device), torch.as_tensor(log_probs, device=device)


def surrogate(scores: Tensor, values: Tensor, batch: Any, weights: Weights) -> Surrogate:
    """Return PPO's loss and gradient on a minibatch.

    Args:
        scores: (n, A) float32, of all actions.
        values: (n,) float32.
        batch: a minibatch of sb3-contrib's rollout buffers.
        weights: of the parts.
    """
    rollout = Rollout(
        _array(batch.action_masks != 0),
        _array(batch.actions).ravel(),
        _array(batch.old_log_prob),
        _array(batch.advantages),
        _array(batch.returns),
        _array(batch.old_values),
    )
    given = _array(scores), _array(values)
    by_score, by_value = np.empty_like(given[0]), np.empty_like(given[1])
    figures = np.zeros(len(FIGURES))
    _write_gradient(*given, rollout, weights, by_score, by_value, figures)
    device = scores.device
    return Surrogate(
        torch.as_tensor(by_score, device=device), torch.as_tensor(by_value, device=device), figures
    )


def _array(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array
