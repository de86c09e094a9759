"""What Tinrail's searching players share: they try placements in re-deals of what is unseen."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.engine import Engine
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs.tinrail.match import STATE
from quiltrail.envs.tinrail.rails import RAILS
from quiltrail.envs.tinrail.rules import NUM_ACTIONS


class DealSearcher(Agent):
    """Searches each row by itself and plays what it tried most.

    Args:
        seed: XORed into the stream of re-deals.

    Attributes:
        visits: (B, 12) int64, how often the last `act` tried each different placement, in order.

    Raises:
        InvalidSeedError: if the seed is not an int.
    """

    games: ClassVar[tuple[str, ...]] = ("tinrail",)

    def __init__(self, seed: int) -> None:
        self.visits = np.zeros((0, NUM_ACTIONS), np.int64)
        self._salt = np.uint64(as_seed(seed))
        self._scratch = np.zeros(1, STATE)
        self._scratch_rails = np.zeros(1, RAILS)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return the action of the seat to move in every row."""
        self.check_game(engine)
        actions = np.zeros(engine.num_games, np.int64)
        self.visits = np.zeros((engine.num_games, NUM_ACTIONS), np.int64)
        self._search_batch(
            engine.state,
            engine.derived,
            self._salt,
            self._scratch,
            self._scratch_rails,
            actions,
            self.visits,
        )
        return actions

    @abstractmethod
    def _search_batch(self, *batch: Any) -> None:
        """Call the compiled search of all rows; ``batch`` are its last arguments, in this order."""
