"""Sunpleat players: what all of them do between the flips, and the exact one."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat.par import best_flips
from quiltrail.envs.sunpleat.rules import (
    CLEARED,
    NEXT_AFTER_FLIPS,
    PLAYING,
    RETRY,
    RETRY_AFTER_FLIPS,
)


class Flipper(Agent):
    """Chooses flips; it retries and goes on, and never restarts or banks."""

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return an action for every row."""
        self.check_game(engine)
        phase = engine.state["phase"]
        first = engine.state["garland"].shape[1]  # the actions behind the flips
        others = [first + NEXT_AFTER_FLIPS, first + RETRY_AFTER_FLIPS]
        actions: NDArray[np.int64] = np.select([phase == CLEARED, phase == RETRY], others, 0)
        rows = np.flatnonzero(phase == PLAYING)
        if len(rows):
            actions[rows] = self.flips(engine, rows)
        return actions

    @abstractmethod
    def flips(self, engine: Engine, rows: Rows) -> NDArray[np.int64]:
        """Return the chosen flips of rows that are playing, 0 for the first pennant alone."""


class SunpleatSolver(Flipper):
    """Plays the lowest flip that brings the target nearer, by a table of distances or a search."""

    games: ClassVar[tuple[str, ...]] = ("sunpleat", "sunpleat-levels")

    def flips(self, engine: Engine, rows: Rows) -> NDArray[np.int64]:
        """Return optimal flips."""
        playing = engine.state[rows]
        return best_flips(playing["garland"], playing["n"]) - 1
