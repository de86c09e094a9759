"""Sunpleat as a puzzle: how many flips a garland is from the target.

The network sees which pennant hangs at each place, and for each pennant which ones hang beside it
when it is turned to its sun: what a flip keeps together looks the same before and after it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.sunpleat_learned import Garlands, SunpleatGreedy, at_target, flipped
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.levels import SPLITS
from quiltrail.envs.sunpleat.levels_garlands import part_of_garland
from quiltrail.train.puzzle.puzzle import Children, Puzzle
from quiltrail.train.puzzle.value import shipped_value

_MOVES_A_PENNANT = 3  # behind which an attempt is given up; no garland needs so many
_SCRAMBLE_A_PENNANT = 2


@compiled
def _write_parts(garlands: Garlands, parts: NDArray[np.int64]) -> None:
    for row in range(garlands.shape[0]):
        parts[row] = part_of_garland(garlands[row])


class SunpleatPuzzle(Puzzle):
    """A garland of n pennants; every flip costs 1.

    Args:
        n: pennants.
    """

    step = -1.0
    goal = 0.0
    dead_end = -np.inf  # there is none
    is_chance = False

    def __init__(self, n: int) -> None:
        self.n = n
        self.name = f"sunpleat_{n}"
        self.features = 2 * n * n + 2 * n * (2 * n + 1)
        self.most_moves = _MOVES_A_PENNANT * n

    def blank(self, count: int) -> Garlands:
        """Return room for garlands."""
        return np.zeros((count, self.n), np.int8)

    def starts(self, engine: Engine, rows: Rows) -> Garlands:
        """Return the garlands as they are dealt."""
        garlands: Garlands = engine.state["start"][rows]
        return garlands

    def expand(self, positions: Garlands) -> Children:
        """Return all n flips of each garland."""
        children = flipped(positions).reshape(-1, self.n)
        return Children(children, np.arange(len(positions) + 1) * self.n, at_target(children))

    def encode(self, positions: Garlands) -> NDArray[np.float32]:
        """Return one-hot places and neighbours, ``features`` zeros and ones a garland."""
        n, count = self.n, len(positions)
        garlands = positions.astype(np.int64)
        edge = 2 * n  # the column of no neighbour
        columns = np.where(garlands > 0, garlands - 1, n - 1 - garlands)
        seen = np.zeros((count, 3 * n, edge + 1), np.float32)
        rows = np.arange(count)[:, None]
        seen[rows, np.arange(n), columns] = 1
        after = np.pad(columns[:, 1:], ((0, 0), (0, 1)), constant_values=edge)
        before = np.pad(columns[:, :-1], ((0, 0), (1, 0)), constant_values=edge)
        is_sun, pennant = garlands > 0, np.abs(garlands) - 1
        for at, (of_sun, of_moon) in enumerate(((after, before), (before, after)), start=1):
            turned = np.where(of_moon == edge, edge, (of_moon + n) % edge)
            seen[rows, at * n + pennant, np.where(is_sun, of_sun, turned)] = 1
        places = seen[:, :n, :edge].reshape(count, -1)
        return np.concatenate([places, seen[:, n:].reshape(count, -1)], axis=1)

    def may_learn(self, positions: Garlands, split: str | None) -> NDArray[np.bool_]:
        """Return the garlands of the part that is trained on, the target left out."""
        parts = np.zeros(len(positions), np.int64)
        _write_parts(np.ascontiguousarray(positions), parts)
        fits = np.ones(len(positions), np.bool_) if split is None else parts == SPLITS[split]
        return fits & ~at_target(positions)

    def scrambled(self, count: int, rng: np.random.Generator) -> Garlands:
        """Return garlands that 1 to 2 n + 1 random flips make of the target."""
        garlands = np.tile(np.arange(1, self.n + 1, dtype=np.int8), (count, 1))
        flips = rng.integers(1, _SCRAMBLE_A_PENNANT * self.n + 2, size=count)
        rows = np.arange(count)
        for number in range(int(flips.max(initial=0))):
            chosen = flipped(garlands)[rows, rng.integers(self.n, size=count)]
            garlands = np.where((number < flips)[:, None], chosen, garlands)
        return garlands

    def player(self, scores: Any) -> SunpleatGreedy:
        """Return the player that looks one move ahead."""
        return SunpleatGreedy(lambda garlands: -scores(garlands))


@cache
def _shipped(n: int) -> Any:
    return shipped_value(SunpleatPuzzle(n))


def learned_flips(garlands: Garlands) -> NDArray[np.float64]:
    """Return how many flips garlands (N, n) are from the target by the weights in the package.

    There are weights for n = 5. Its name for agents is
    "quiltrail.train.puzzle.sunpleat:learned_flips".

    Raises:
        ModelMismatchError: if there are no weights for garlands of this length.
    """
    flips: NDArray[np.float64] = -_shipped(garlands.shape[1]).scores(garlands)
    return flips
