"""Exact distances of signed permutations under prefix reversal ("burnt pancakes").

A garland of n pennants has a rank in 0 .. 2**n * n! - 1; a breadth-first search from the target
fills a table of distances over ranks. Distance is symmetric (a flip undoes itself), and relabelling
the pennants carries a search for any target to one for 1, 2, .., n.

Source: the graph and its diameters are OEIS A078941.
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.core.jit import compiled
from quiltrail.envs.sunpleat.par_search import search_solution
from quiltrail.envs.sunpleat.rules import FIRST_REPEATED_TEMPLATE, NUM_TEMPLATES, PARS

LARGEST_TABLE = 8  # n = 8 is 10 MB and half a minute; n = 9 would be 186 MB
TABLES_UP_TO = 7  # longer garlands are searched, a millisecond each

_UNSEEN = 127


@compiled
def rank_of(garland: NDArray[np.int8], n: int) -> int:
    """Return the rank of a garland: its permutation's Lehmer code, then its signs."""
    rank = 0
    for place in range(n):
        smaller = 0
        for later in range(place + 1, n):
            if abs(garland[later]) < abs(garland[place]):
                smaller += 1
        rank = rank * (n - place) + smaller
    for place in range(n):
        rank = 2 * rank + (garland[place] < 0)
    return rank


@compiled
def unrank(rank: int, n: int, garland: NDArray[np.int8]) -> None:
    """Write the garland of a rank."""
    signs = rank & ((1 << n) - 1)
    code = rank >> n
    for place in range(n - 1, -1, -1):
        base = n - place
        garland[place] = code % base + 1
        code //= base
        for later in range(place + 1, n):
            if garland[later] >= garland[place]:
                garland[later] += 1
    for place in range(n):
        if (signs >> (n - 1 - place)) & 1:
            garland[place] = -garland[place]


@compiled
def _search(table: NDArray[np.int8], frontier: NDArray[np.int64], n: int) -> None:
    """Fill the table of distances from the target, breadth first."""
    garland = np.zeros(n, np.int8)
    flipped = np.zeros(n, np.int8)
    for place in range(n):
        garland[place] = place + 1
    frontier[0] = rank_of(garland, n)
    table[frontier[0]] = 0
    end = 1
    for begin in range(table.shape[0]):
        unrank(frontier[begin], n, garland)
        for count in range(1, n + 1):
            for place in range(n):
                flipped[place] = garland[place]
            for place in range(count):
                flipped[place] = -garland[count - 1 - place]
            rank = rank_of(flipped, n)
            if table[rank] == _UNSEEN:
                table[rank] = table[frontier[begin]] + 1
                frontier[end] = rank
                end += 1


@cache
def distance_table(n: int) -> NDArray[np.int8]:
    """Return the distance to the target of every garland of n pennants, by rank.

    Shape (2**n * n!,), int8, read-only; built on first use (n = 7 takes about a second).

    Raises:
        OptionError: if n is not 1 to `LARGEST_TABLE`.
    """
    if not 1 <= n <= LARGEST_TABLE:
        raise OptionError(f"distance tables exist for 1 to {LARGEST_TABLE} pennants, got {n}")
    size = 2**n * factorial(n)
    table = np.full(size, _UNSEEN, np.int8)
    _search(table, np.empty(size, np.int64), n)
    table.flags.writeable = False
    return table


def _distance_of(garland: NDArray[np.int8]) -> int:
    """Return the fewest flips that turn a garland (n,) into the target."""
    n = len(garland)
    if n <= TABLES_UP_TO:
        return int(distance_table(n)[rank_of(garland, n)])
    return search_solution(garland, n)[0]


def distance_between(source: NDArray[np.int8], target: NDArray[np.int8]) -> int:
    """Return the fewest flips that turn one garland (n,) into another of the same length."""
    relabelled = np.zeros(len(source), np.int8)
    for place, pennant in enumerate(target.tolist(), start=1):
        at = int(np.flatnonzero(np.abs(source) == abs(pennant))[0])
        same_face = (source[at] > 0) == (pennant > 0)
        relabelled[at] = place if same_face else -place
    return _distance_of(relabelled)


@compiled
def _distances(
    garlands: NDArray[np.int8],
    rows: NDArray[np.int64],
    n: int,
    table: NDArray[np.int8],
    distances: NDArray[np.int64],
) -> None:
    for row in rows:
        distances[row] = table[rank_of(garlands[row], n)]


@compiled
def _search_rows(
    garlands: NDArray[np.int8],
    rows: NDArray[np.int64],
    n: int,
    distances: NDArray[np.int64],
    best: NDArray[np.int64],
) -> None:
    for row in rows:
        distances[row], best[row] = search_solution(garlands[row], n)


def distances(garlands: NDArray[np.int8], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fewest flips to the target for garlands (B, places) of ``lengths`` (B,)."""
    garlands = np.ascontiguousarray(garlands)
    found = np.zeros(len(garlands), np.int64)
    for n in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == n)
        if n <= TABLES_UP_TO:
            _distances(garlands, rows, n, distance_table(n), found)
        else:
            _search_rows(garlands, rows, n, found, np.zeros_like(found))
    return found


@compiled
def _best_flips(
    garlands: NDArray[np.int8],
    rows: NDArray[np.int64],
    n: int,
    table: NDArray[np.int8],
    best: NDArray[np.int64],
) -> None:
    flipped = np.zeros(n, np.int8)
    for row in rows:
        nearest = _UNSEEN
        for count in range(1, n + 1):
            for place in range(n):
                flipped[place] = garlands[row, place]
            for place in range(count):
                flipped[place] = -garlands[row, count - 1 - place]
            distance = table[rank_of(flipped, n)]
            if distance < nearest:
                nearest = distance
                best[row] = count


def best_flips(garlands: NDArray[np.int8], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each garland the lowest flip count that leads nearest to the target, (B,)."""
    garlands = np.ascontiguousarray(garlands)
    best = np.zeros(len(garlands), np.int64)
    for n in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == n)
        if n <= TABLES_UP_TO:
            _best_flips(garlands, rows, n, distance_table(n), best)
        else:
            _search_rows(garlands, rows, n, np.zeros_like(best), best)
    return best


def progress(engine: Engine) -> NDArray[np.float64]:
    """Return how many flips of an optimal run lie behind each Sunpleat game, (B,) float64.

    That is the pars of the boards before this one, plus this board's par less the exact distance
    still to go; a board's award or the next board do not change it. It knows exact solutions, so
    a run that learns from it has to say so.
    """
    state = engine.state
    to_go = distances(state["garland"], state["n"])
    flips: NDArray[np.int64] = _pars_before(state["board"]) + state["par"] - to_go
    return flips.astype(np.float64)


def _pars_before(boards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the pars of all boards before each of these."""
    first = np.concatenate([[0], np.cumsum(PARS)])  # first[k] = pars of boards 1 .. k
    repeated = PARS[FIRST_REPEATED_TEMPLATE - 1 :]
    laps, rest = np.divmod(np.maximum(boards - 1 - NUM_TEMPLATES, 0), len(repeated))
    partial = np.concatenate([[0], np.cumsum(repeated)])[rest]
    sums: NDArray[np.int64] = first[np.minimum(boards - 1, NUM_TEMPLATES)]
    sums += laps * repeated.sum() + partial
    return sums
