"""Rollouts: games played on inside compiled code, for search and Monte-Carlo estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.errors import OptionError, unknown_name_text
from quiltrail.core.mulberry32 import STREAM_BOT, as_seed

POLICIES = ("random",)

#: What is left of each row's rollout.
_ROLL = np.dtype([("cursor", np.uint64), ("left", np.int64)])


@dataclass(frozen=True)
class Rollout:
    """What a rollout brought, an entry for each of its rows.

    Attributes:
        reward: (R,) float64, the sum of the rewards.
        score: (R,) int64, the published score at the end.
        terminated: (R,) bool, whether the game has ended.
        steps: (R,) int64, how many actions were played.
    """

    reward: NDArray[np.float64]
    score: NDArray[np.int64]
    terminated: NDArray[np.bool_]
    steps: NDArray[np.int64]


def check_policy(policy: object) -> None:
    """Raise `OptionError` unless there is such a policy."""
    if policy not in POLICIES:
        raise OptionError(unknown_name_text("rollout policy", policy, POLICIES))


def random_streams(num_games: int, seed: int) -> NDArray[np.uint64]:
    """Return the cursor (B,) of each row's own stream: (seed + row) XOR a constant.

    So a row's play does not depend on how many rows there are.

    Raises:
        InvalidSeedError: if the seed is not an int.
    """
    seeds = (np.arange(num_games) + as_seed(seed)).astype(np.uint32)
    return (seeds ^ np.uint32(STREAM_BOT)).astype(np.uint64)


def new_rolls(num_games: int, steps: object, seed: int) -> NDArray[np.void]:
    """Return what is left of fresh rollouts, (B,) records with all steps left.

    Raises:
        OptionError: if steps is not an int from 0 on.
        InvalidSeedError: if the seed is not an int.
    """
    rolls = np.zeros(num_games, _ROLL)
    rolls["left"] = check_int("steps", steps, 0)
    rolls["cursor"] = random_streams(num_games, seed)
    return rolls
