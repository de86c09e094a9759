"""Counting and drawing the partitions of a silhouette into patches.

A partition cuts the squares of a board into connected patches of 3 to 5 squares. The patch that
covers the lowest square has it for a button, so that taking off one such patch after another meets
each partition exactly once. How many there are follows from the counts for what is left; these are
remembered, and any partition can be found by its number. So partitions are drawn uniformly, without
the bias of growing patches at random.

Boards are words, bit 5 * y + x; all 25 bits fit an int64, and kernels use no other type here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook.rules import BOARD_SIZE, MAX_PATCHES, NUM_SQUARES
from quiltrail.envs.patchrook.shapes import (
    COVERED,
    NO_SHAPE,
    ORIENTATION_COUNTS,
    ORIENTATIONS,
)

SMALLEST_PATCH, LARGEST_PATCH = 3, 5

_HALF_BITS = 13
_LOW_HALF = (1 << _HALF_BITS) - 1
_UNKNOWN = -1
_MEMO_BITS = 19  # entries; 8 MB
_HASH_FACTOR = 0x9E3779B1  # an odd number near 2**32 divided by the golden ratio
_HASH_MASK = (1 << 32) - 1
_HASH_SHIFT = 32 - _MEMO_BITS


def _bit_counts() -> NDArray[np.int64]:
    return np.array([word.bit_count() for word in range(1 << _HALF_BITS)], np.int64)


def _column(x: int) -> int:
    return sum(1 << (BOARD_SIZE * y + x) for y in range(BOARD_SIZE))


def _fits() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return what can lie with its button on each square: how many, their words, their shapes."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(NUM_SQUARES)]
    for shape in range(NO_SHAPE + 1, len(ORIENTATIONS)):
        for orientation in range(int(ORIENTATION_COUNTS[shape])):
            for square in range(NUM_SQUARES):
                word = int(COVERED[shape, NUM_SQUARES * orientation + square])
                if word:
                    found[square].append((word, shape))
    counts = np.array([len(fits) for fits in found], np.int64)
    words = np.zeros((NUM_SQUARES, int(counts.max())), np.int64)
    shapes = np.zeros_like(words)
    for square, fits in enumerate(found):
        for at, (word, shape) in enumerate(fits):
            words[square, at], shapes[square, at] = word, shape
    return counts, words, shapes


_BIT_COUNTS = _bit_counts()
_NOT_LEFT = ~_column(0)
_NOT_RIGHT = ~_column(BOARD_SIZE - 1)
#: (25,) how many patches can have their button on a square of the empty grid; (25, K) the words
#: they cover; (25, K) their shape ids.
FIT_COUNTS, FIT_WORDS, FIT_SHAPES = _fits()


@compiled
def _count_squares(word: int) -> int:
    """Return how many squares a board word has."""
    return int(_BIT_COUNTS[word & _LOW_HALF] + _BIT_COUNTS[word >> _HALF_BITS])


@compiled
def lowest_square(word: int) -> int:
    """Return the lowest square of a board word that is not empty."""
    return _count_squares((word & -word) - 1)


@compiled
def is_connected(word: int) -> bool:
    """Return whether the squares of a board word that is not empty hang together."""
    seen = word & -word
    while True:
        sideways = ((seen & _NOT_RIGHT) << 1) | ((seen & _NOT_LEFT) >> 1)
        grown = (seen | (seen << BOARD_SIZE) | (seen >> BOARD_SIZE) | sideways) & word
        if grown == seen:
            return seen == word
        seen = grown


@cache
def partition_memo() -> NDArray[np.int64]:
    """Return the memory for counts, (entries + 1, 2): how many are in use, then key and count.

    It is one for the whole process, since what a count is depends on nothing else.
    """
    return np.zeros(((1 << _MEMO_BITS) + 1, 2), np.int64)


@compiled
def _place_of(memo: NDArray[np.int64], key: int) -> int:
    """Return where a key is, or where it would go; row 0 is not a place."""
    places = memo.shape[0] - 1
    place = (((key * _HASH_FACTOR) & _HASH_MASK) >> _HASH_SHIFT) + 1
    while memo[place, 0] != 0 and memo[place, 0] != key:
        place = place % places + 1
    return place


@compiled
def _remember(memo: NDArray[np.int64], key: int, count: int) -> None:
    if 2 * memo[0, 0] >= memo.shape[0]:
        memo[:] = 0
    place = _place_of(memo, key)
    if memo[place, 0] == 0:
        memo[0, 0] += 1
    memo[place, 0] = key
    memo[place, 1] = count


@compiled
def _count_if_known(memo: NDArray[np.int64], word: int, patches: int) -> int:
    """Return the number of partitions if it is obvious or remembered, else `_UNKNOWN`."""
    squares = _count_squares(word)
    if squares < SMALLEST_PATCH * patches or squares > LARGEST_PATCH * patches:
        return 0
    if patches == 0:
        return 1
    if patches == 1:
        return int(is_connected(word))
    place = _place_of(memo, (patches << NUM_SQUARES) | word)
    return int(memo[place, 1]) if memo[place, 0] != 0 else _UNKNOWN


@compiled
def count_partitions(memo: NDArray[np.int64], word: int, patches: int) -> int:
    """Return how many partitions of a board word into so many patches there are.

    The walk is a loop over what is left after each patch taken off, deepest first.
    """
    known = _count_if_known(memo, word, patches)
    if known != _UNKNOWN:
        return known
    words = np.zeros(MAX_PATCHES + 1, np.int64)
    nexts = np.zeros(MAX_PATCHES + 1, np.int64)
    totals = np.zeros(MAX_PATCHES + 1, np.int64)
    words[0] = word
    depth = 0
    while True:
        here = words[depth]
        square = lowest_square(here)
        at = nexts[depth]
        if at == FIT_COUNTS[square]:
            _remember(memo, ((patches - depth) << NUM_SQUARES) | here, totals[depth])
            if depth == 0:
                return int(totals[0])
            depth -= 1
            totals[depth] += totals[depth + 1]
            continue
        nexts[depth] = at + 1
        covered = FIT_WORDS[square, at]
        if covered & ~here != 0:
            continue
        left = here ^ covered
        known = _count_if_known(memo, left, patches - depth - 1)
        if known != _UNKNOWN:
            totals[depth] += known
        else:
            depth += 1
            words[depth] = left
            nexts[depth] = 0
            totals[depth] = 0


@compiled
def find_partition(
    memo: NDArray[np.int64], word: int, patches: int, number: int, shapes: NDArray[np.int8]
) -> None:
    """Write the shape ids of partition ``number``, counted from 0, of a board word."""
    for patch in range(patches):
        square = lowest_square(word)
        for at in range(FIT_COUNTS[square]):
            covered = FIT_WORDS[square, at]
            if covered & ~word != 0:
                continue
            count = count_partitions(memo, word ^ covered, patches - patch - 1)
            if number < count:
                shapes[patch] = FIT_SHAPES[square, at]
                word ^= covered
                break
            number -= count
