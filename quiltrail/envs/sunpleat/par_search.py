"""Exact distances of garlands too long for a table: depth-first search with a growing bound.

A gap is a pair of neighbours of which the right one is not the left one plus 1, signs included; the
place behind the last pennant counts as n + 1. A flip changes a single pair, so a garland with g
gaps is at least g flips away, and a garland without gaps is the target.

Source: the gap heuristic is Helmert's ("Landmark heuristics for the pancake problem", SoCS 2010),
here with signs; the search is Korf's IDA*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.jit import compiled

_MOST_FLIPS = 40  # more than any garland of 20 pennants needs


@compiled
def _flip(work: NDArray[np.int64], count: int) -> None:
    left, right = 0, count - 1
    while left <= right:
        work[left], work[right] = -work[right], -work[left]
        left += 1
        right -= 1


@compiled
def _count_gaps(work: NDArray[np.int64]) -> int:
    gaps = 0
    for place in range(len(work) - 1):
        gaps += int(work[place + 1] != work[place] + 1)
    return gaps


@compiled
def _solve_within(work: NDArray[np.int64], gaps_before: int, bound: int) -> int:
    """Return the first flip of a way to the target of at most ``bound`` flips, 0 if there is none.

    The lowest such flip; ``work`` is the garland and n + 1 behind it, and comes back changed only
    if there is a way.
    """
    n = len(work) - 1
    counts = np.zeros(_MOST_FLIPS, np.int64)
    gaps = np.zeros(_MOST_FLIPS, np.int64)
    gaps[0] = gaps_before
    depth = 0
    while True:
        counts[depth] += 1
        count = counts[depth]
        if count > n:
            if depth == 0:
                return 0
            depth -= 1
            _flip(work, counts[depth])
            continue
        if depth > 0 and count == counts[depth - 1]:
            continue
        beside = work[count]
        later = gaps[depth] + int(beside != 1 - work[0]) - int(beside != work[count - 1] + 1)
        if depth + 1 + later > bound:
            continue
        _flip(work, count)
        if later == 0:
            return int(counts[0])
        depth += 1
        gaps[depth] = later
        counts[depth] = 0


@compiled
def search_solution(garland: NDArray[np.int8], n: int) -> tuple[int, int]:
    """Return the fewest flips to the target, and the lowest flip that such a way begins with.

    Both are 0 for the target itself.
    """
    work = np.zeros(n + 1, np.int64)
    for place in range(n):
        work[place] = garland[place]
    work[n] = n + 1
    gaps = _count_gaps(work)
    if gaps == 0:
        return 0, 0
    bound = gaps
    first = _solve_within(work, gaps, bound)
    while first == 0:
        bound += 1
        first = _solve_within(work, gaps, bound)
    return bound, first
