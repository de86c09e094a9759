"""The exact Sunpleat player: a table of distances, or a search, answers every position."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.par import best_flips


class SunpleatSolver(Agent):
    """Plays the lowest flip that brings the target nearer, then next; never banks or restarts."""

    games: ClassVar[tuple[str, ...]] = ("sunpleat", "sunpleat-levels")

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return an optimal action for every row."""
        self.check_game(engine)
        phase = engine.state["phase"]
        flips = best_flips(engine.state["garland"], engine.state["n"]) - 1
        choices = [phase == rules.PLAYING, phase == rules.CLEARED, phase == rules.RETRY]
        first = engine.state["garland"].shape[1]  # the actions behind the flips
        others = [first + rules.NEXT_AFTER_FLIPS, first + rules.RETRY_AFTER_FLIPS]
        return np.select(choices, [flips, *others], 0)
