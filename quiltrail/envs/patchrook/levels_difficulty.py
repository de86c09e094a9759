"""How hard a quilt is: all its covers, and the chance that placing at random finishes it.

A player that places at random takes each placement that is legal with equal chance, until the quilt
is covered or nothing fits. It finishes along some order of the placements of one cover, so its
chance is a sum over covers and over the subsets of each. Difficulty is -log2 of that chance.

Chances are integers, in units of 2**-62, so that they are the same on every machine; what division
drops is below 2**-50 in all. Congruent patches may change places in a cover: one cover of each such
group is walked, and counts for all.
"""

from __future__ import annotations

from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.bitboard import popcount
from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook.levels_partitions import (
    FIT_COUNTS,
    FIT_SHAPES,
    FIT_WORDS,
    lowest_square,
)
from quiltrail.envs.patchrook.position import free_anchors
from quiltrail.envs.patchrook.rules import MAX_PATCHES
from quiltrail.envs.patchrook.shapes import ORIENTATION_COUNTS

_CHANCE_BITS = 62
CERTAIN = 1 << _CHANCE_BITS
_NUM_SHAPES = len(ORIENTATION_COUNTS)


@compiled
def _count_placements(empty: int, shape: int) -> int:
    """Return how many placements of a patch fit into the empty squares."""
    count = 0
    for orientation in range(ORIENTATION_COUNTS[shape]):
        count += popcount(free_anchors(shape, orientation, np.uint64(empty)))
    return count


@compiled
def _chance_of_cover(
    board: int, words: NDArray[np.int64], shapes: NDArray[np.int64], patches: int
) -> int:
    """Return the chance of ending with just this cover, whatever the order."""
    chances = np.zeros(1 << patches, np.int64)
    chances[0] = CERTAIN
    for placed in range((1 << patches) - 1):
        empty = board
        for patch in range(patches):
            if placed >> patch & 1:
                empty ^= words[patch]
        legal = 0
        for patch in range(patches):
            if not placed >> patch & 1:
                legal += _count_placements(empty, shapes[patch])
        share = chances[placed] // legal
        for patch in range(patches):
            if not placed >> patch & 1:
                chances[placed | 1 << patch] += share
    return int(chances[-1])


@compiled
def _same_covers(shapes: NDArray[np.int8], patches: int) -> int:
    """Return how many covers one cover stands for: congruent patches change places."""
    covers = 1
    for patch in range(patches):
        alike = 1
        for earlier in range(patch):
            alike += int(shapes[earlier] == shapes[patch])
        covers *= alike
    return covers


@compiled
def count_covers(board: int, shapes: NDArray[np.int8], patches: int) -> tuple[int, int]:
    """Return how many covers a quilt has, and the chance of finishing it at random.

    Args:
        board: the usable squares.
        shapes: (6,) the shape ids of the patches; the first ``patches`` count.
        patches: how many there are.

    Returns:
        The covers, patches of one shape told apart; the chance in units of 2**-62.
    """
    left = np.zeros(_NUM_SHAPES, np.int64)
    for patch in range(patches):
        left[shapes[patch]] += 1
    words = np.zeros(MAX_PATCHES, np.int64)
    laid = np.zeros(MAX_PATCHES, np.int64)
    nexts = np.zeros(MAX_PATCHES + 1, np.int64)
    covers, chance = 0, 0
    depth, empty = 0, board
    while True:
        square = lowest_square(empty)
        at = nexts[depth]
        if at == FIT_COUNTS[square]:
            if depth == 0:
                same = _same_covers(shapes, patches)
                return covers * same, chance * same
            depth -= 1
            empty ^= words[depth]
            left[laid[depth]] += 1
            continue
        nexts[depth] = at + 1
        covered, shape = FIT_WORDS[square, at], FIT_SHAPES[square, at]
        if left[shape] == 0 or covered & ~empty != 0:
            continue
        words[depth], laid[depth] = covered, shape
        if covered == empty:  # the squares fit the patches, so this was the last one
            covers += 1
            chance += _chance_of_cover(board, words, laid, patches)
            continue
        left[shape] -= 1
        empty ^= covered
        depth += 1
        nexts[depth] = 0


def difficulty_of(chance: int) -> float:
    """Return -log2 of a chance in units of 2**-62; infinite for none."""
    return _CHANCE_BITS - log2(chance) if chance > 0 else inf


def chance_of(difficulty: float) -> int:
    """Return the chance of a difficulty from 0 on, in units of 2**-62."""
    return int(2.0 ** (_CHANCE_BITS - difficulty)) if difficulty < _CHANCE_BITS else 0
