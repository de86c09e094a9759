"""What learning a value of after-states asks of a game, beside its engine.

A step of such a game is a deterministic move and then chance. The position between the two, the
after-state, is worth what will be scored from there on; a value of it chooses moves without any
model of chance. The learner plays by `Engine` alone; a game adds which after-states its moves lead
to, and what of one a table sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.core.extras import object_at

#: What after-states (N,) are worth in points, (N,) float64; it changes nothing about them.
ValueFunction = Callable[[StateArray], NDArray[np.float64]]


@dataclass(frozen=True)
class Moves:
    """All moves of some rows, row by row.

    Attributes:
        afterstates: (N,) records, the positions behind the moves, before chance.
        points: (N,) float64, what each move scores.
        actions: (N,) int64, in the engine's numbering.
        bounds: (R + 1,) int64, where each row's moves begin and end.
    """

    afterstates: StateArray
    points: NDArray[np.float64]
    actions: NDArray[np.int64]
    bounds: NDArray[np.int64]


class AfterstateGame(ABC):
    """A game as the learner sees it.

    Attributes:
        name: the engine's ``game``.
        num_entries: how many table entries there are.
        most_active: how many of them an after-state has at most.
        scale: points that count as 1 while learning.
        start_option: the engine's reset option that tells how late a game begins; None without one.
    """

    name: ClassVar[str]
    num_entries: ClassVar[int]
    most_active: ClassVar[int]
    scale: ClassVar[float]
    start_option: ClassVar[str | None] = None

    def check(self, engine: Engine) -> None:  # noqa: B027  (most engines suit as they are)
        """Raise `OptionError` if these settings of the game cannot be learned."""

    @abstractmethod
    def moves(self, engine: Engine, rows: Rows) -> Moves:
        """Return every move of these rows; none where the game has ended."""

    @abstractmethod
    def progress(self, afterstates: StateArray) -> NDArray[np.int64]:
        """Return how late in the game after-states are, (N,), for the stages of the tables."""

    @abstractmethod
    def write_active(
        self, afterstates: StateArray, active: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        """Write what the tables see of after-states.

        Args:
            afterstates: (N,).
            active: (N, `most_active`), the first entries of each row are written.
            counts: (N,), how many.
        """

    @abstractmethod
    def player(self, value: ValueFunction) -> Agent:
        """Return the player that makes the move with the most points plus value."""


#: Engine name -> "module:class" of its `AfterstateGame`.
AFTERSTATE_GAMES = {"patchwork": "quiltrail.train.afterstate.patchwork:PatchworkAfterstates"}


def afterstates_of(name: str) -> AfterstateGame:
    """Return what the game of an engine's name adds for the learner.

    Raises:
        OptionError: if it adds nothing.
    """
    if name not in AFTERSTATE_GAMES:
        known = ", ".join(AFTERSTATE_GAMES)
        raise OptionError(f"after-states can be learned of {known}, not of {name}")
    game: AfterstateGame = object_at(AFTERSTATE_GAMES[name])()
    return game


def find_afterstates(engine: Engine) -> AfterstateGame:
    """Return what an engine's game adds for the learner.

    Raises:
        OptionError: if it adds nothing, or these settings of it cannot be learned.
    """
    game = afterstates_of(engine.game)
    game.check(engine)
    return game
