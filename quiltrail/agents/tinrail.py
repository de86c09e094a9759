"""The Tinrail bots as players: they move for whoever is to move."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.engine import Engine
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs.tinrail.gbot import EASY, WISE, choose_rows
from quiltrail.envs.tinrail.rules import NUM_SEATS


class _Bot(Agent):
    """A bot of the kernels; it chooses from the position alone and remembers nothing."""

    games: ClassVar[tuple[str, ...]] = ("tinrail",)
    bot: ClassVar[int]

    def __init__(self, seed: int = 0, *, both_seats: bool = False) -> None:
        self._salt = np.uint64(as_seed(seed))
        self._turns_apart = 1 if both_seats else NUM_SEATS

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the action of the seat to move in every row."""
        self.check_game(engine)
        actions = np.zeros(engine.num_games, np.int64)
        rows = np.arange(engine.num_games)
        choose_rows(
            engine.state, engine.derived, rows, self.bot, self._turns_apart, self._salt, actions
        )
        return actions


class EasyBot(_Bot):
    """Easy G-Bot: any action that keeps its engine on the table.

    Its k-th decision in a match takes the k-th draw of a stream of that match's seed.

    Args:
        seed: XORed into the seed of the stream, so that two bots draw apart; 0 is G-Bot itself.
        both_seats: whether one bot plays both seats, so that it decides on every placement.
    """

    bot: ClassVar[int] = EASY


class WiseBot(_Bot):
    """Wise G-Bot: keep more room ahead of your engine than lies ahead of the other.

    It never draws; the arguments are those of `EasyBot` and change nothing.
    """

    bot: ClassVar[int] = WISE
