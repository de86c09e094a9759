"""What a learner has to know of a puzzle: its moves, its score, what its network sees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError

#: Positions (N, ..) of one puzzle, whatever its array looks like behind the first axis.
Positions = NDArray[Any]


class Children(NamedTuple):
    """What one move makes of some positions.

    Attributes:
        positions: (K, ..), by parent.
        bounds: (N + 1,) the boundaries between the parents' children.
        solved: (K,) bool, whether the puzzle is solved there.
    """

    positions: Positions
    bounds: NDArray[np.int64]
    solved: NDArray[np.bool_]


class Puzzle(ABC):
    """A puzzle without chance: each move adds ``step`` to the score, and the goal ``goal``.

    The score of a position is the best sum that moves from there on can reach, ``dead_end`` where
    there is no move. A learned score is a guess of it.

    Attributes:
        name: of the puzzle in files.
        features: how many numbers the network sees.
        most_moves: behind which an attempt is given up.
        step: what a move adds.
        goal: the score of the solved puzzle.
        dead_end: the score where no move is left.
        is_chance: whether scores are chances from 0 to 1, or plain numbers.
    """

    name: str
    features: int
    most_moves: int
    step: float
    goal: float
    dead_end: float
    is_chance: bool

    @abstractmethod
    def blank(self, count: int) -> Positions:
        """Return room for so many positions, (count, ..)."""

    @abstractmethod
    def starts(self, engine: Engine, rows: Rows) -> Positions:
        """Return the positions that the games in these rows begin with, (R, ..)."""

    @abstractmethod
    def expand(self, positions: Positions) -> Children:
        """Return what every move makes of these positions."""

    @abstractmethod
    def encode(self, positions: Positions) -> NDArray[np.float32]:
        """Return what the network sees of positions, (N, features)."""

    @abstractmethod
    def player(self, scores: Any) -> Agent:
        """Return a player by a function from positions (N, ..) to learned scores (N,).

        It draws nothing at random.
        """

    def may_learn(self, positions: Positions, split: str | None) -> NDArray[np.bool_]:
        """Return which positions belong to the part of a split that is trained on, (N,)."""
        return np.ones(len(positions), np.bool_)

    def scrambled(self, count: int, rng: np.random.Generator) -> Positions:
        """Return positions that random moves backwards from the goal lead to, (count, ..).

        Raises:
            OptionError: if the puzzle cannot be played backwards.
        """
        raise OptionError(f"{self.name} has no moves backwards; scrambled has to be 0")
