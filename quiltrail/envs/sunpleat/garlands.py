"""What a garland is and does: the flip, the target, the award. Kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled
from quiltrail.envs.sunpleat.rules import AWARD_BASE, AWARD_PER_MOVE_LEFT, AWARD_PER_PENNANT


@compiled
def award(n: int, moves_left: int) -> int:
    """Return the points of a clear."""
    return AWARD_BASE + AWARD_PER_PENNANT * n + AWARD_PER_MOVE_LEFT * moves_left


@compiled
def flip(garland: NDArray[np.int8], count: int) -> None:
    """Reverse the first ``count`` entries in place and negate each of them."""
    left, right = 0, count - 1
    while left < right:
        garland[left], garland[right] = -garland[right], -garland[left]
        left += 1
        right -= 1
    if left == right:
        garland[left] = -garland[left]


@compiled
def is_target(garland: NDArray[np.int8], n: int) -> bool:
    """Return whether the first n pennants are 1 to n in order, all suns."""
    for place in range(n):  # noqa: SIM110  (a kernel: numba compiles no generators)
        if garland[place] != place + 1:
            return False
    return True
