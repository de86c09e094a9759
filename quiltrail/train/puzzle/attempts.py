"""A batch of attempts at puzzles: where they are, the way there, and what it showed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.train.puzzle.puzzle import Children, Positions, Puzzle

_LEAST_CHANCE = 1e-9  # whose logarithm still counts


class Samples(NamedTuple):
    """What positions were found to be worth.

    Attributes:
        positions: (N, ..).
        targets: (N,) float64.
    """

    positions: Positions
    targets: NDArray[np.float64]


class Attempts:
    """B attempts, each a way of at most ``most_moves`` positions that a move was made from.

    Args:
        puzzle: what is attempted.
        count: B.
    """

    def __init__(self, puzzle: Puzzle, count: int) -> None:
        self._puzzle = puzzle
        self._starts = puzzle.blank(count)
        self._here = puzzle.blank(count)
        self._way = np.stack([puzzle.blank(count)] * puzzle.most_moves, axis=1)
        self._promised = np.zeros((count, puzzle.most_moves))
        self._length = np.zeros(count, np.int64)
        self._solved = np.zeros(count, np.bool_)
        self._stuck = np.zeros(count, np.bool_)

    def begin(self, rows: Rows, positions: Positions) -> None:
        """Begin attempts in rows at positions (R, ..)."""
        self._starts[rows] = positions
        self.again(rows)

    def again(self, rows: Rows) -> None:
        """Begin the attempts in rows once more where they began."""
        self._here[rows] = self._starts[rows]
        self._length[rows] = 0
        self._solved[rows] = self._stuck[rows] = False

    def move(
        self,
        scores_of: Callable[[Positions], NDArray[np.float64]],
        greed: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> int:
        """Make a move in every attempt; return how many could.

        Args:
            scores_of: the scores of positions, (N, ..) to (N,).
            greed: (B,) how strongly better moves are preferred; 0 is uniformly random.
            rng: what draws them.
        """
        puzzle, rows = self._puzzle, np.arange(len(self._here))
        children = puzzle.expand(self._here)
        scores = scores_of(children.positions)
        scores[children.solved] = puzzle.goal
        counts = np.diff(children.bounds)
        moving = np.flatnonzero(counts)
        best = np.full(len(rows), puzzle.dead_end - puzzle.step)
        # `reduceat` takes no empty segments, so parents without a child are left out.
        best[moving] = np.maximum.reduceat(scores, children.bounds[:-1][moving])
        self._way[rows, self._length] = self._here
        self._promised[rows, self._length] = puzzle.step + best
        self._length += 1
        self._stuck = counts == 0
        chosen = _draw(self._preferences(scores, greed.repeat(counts), children, rng), children)
        self._here[moving] = children.positions[chosen[moving]]
        self._solved[moving] = children.solved[chosen[moving]]
        return len(moving)

    def ended(self) -> tuple[Rows, NDArray[np.bool_]]:
        """Return the rows whose attempts are over, and which of them solved the puzzle."""
        over = self._solved | self._stuck | (self._length == self._puzzle.most_moves)
        rows = np.flatnonzero(over)
        return rows, self._solved[rows]

    def samples(self, rows: Rows) -> Samples:
        """Return what ended attempts have shown of the positions on their ways."""
        length = self._length[rows, None]
        places = np.arange(self._puzzle.most_moves)
        reached = self._puzzle.goal + self._puzzle.step * (length - places)
        reached = np.where(self._solved[rows, None], reached, -np.inf)
        targets = np.maximum(self._promised[rows], reached)
        walked = places < length
        return Samples(self._way[rows][walked], targets[walked])

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays."""
        return {name: value.copy() for name, value in self._arrays().items()}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from arrays of `get_state`."""
        for name, value in self._arrays().items():
            value[:] = state[name]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: value for name, value in vars(self).items() if name != "_puzzle"}

    def _preferences(
        self,
        scores: NDArray[np.float64],
        greed: NDArray[np.float64],
        children: Children,
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return scores with noise, the highest of which draws by exp(greed * score); goals first.

        Source: the Gumbel-max trick.
        """
        liking = np.log(np.maximum(scores, _LEAST_CHANCE)) if self._puzzle.is_chance else scores
        noisy: NDArray[np.float64] = greed * liking + rng.gumbel(size=len(scores))
        noisy[children.solved] = np.inf
        return noisy


def _draw(preferences: NDArray[np.float64], children: Children) -> NDArray[np.int64]:
    """Return the place of each parent's most preferred child; anything where there is none."""
    counts = np.diff(children.bounds)
    if not len(preferences):
        return np.zeros(len(counts), np.int64)
    parents = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((preferences, parents))
    last = np.maximum(children.bounds[1:] - 1, 0)
    chosen: NDArray[np.int64] = order[np.minimum(last, len(order) - 1)]
    return chosen
