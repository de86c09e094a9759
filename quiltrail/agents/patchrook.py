"""Patchrook players: the exact one, and two that place at random and recover when stuck."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.legality import action_set
from quiltrail.envs.patchrook import rules
from quiltrail.envs.patchrook.solver import best_actions

_GAMES = ("patchrook", "patchrook-levels")
_RESTART_ONE_IN = 20


class PatchrookSolver(Agent):
    """Takes a shortest way to every clear, then next; never banks.

    Where the placed patches extend to no cover it lifts as few as it has to, or restarts if that
    is shorter. Placements fill the lowest empty square.
    """

    games: ClassVar[tuple[str, ...]] = _GAMES

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return an optimal action for every row."""
        self.check_game(engine)
        return best_actions(engine)


class RestartWhenStuck(RandomLegal):
    """Places at random while a patch fits anywhere, else restarts; next when cleared, never bank.

    Args:
        seed: see `RandomLegal`.
    """

    games: ClassVar[tuple[str, ...]] = _GAMES

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)

    def candidates(self, engine: Engine) -> NDArray[np.uint64]:
        """Return all placements (and next); where there is none, the ways out."""
        forward = action_set([*range(rules.LIFT), rules.NEXT], engine.num_actions)
        chosen = engine.legal & forward
        stuck = np.flatnonzero(~engine.terminated & ~chosen.any(axis=1))
        chosen[stuck] = engine.legal[stuck] & self._ways_out(engine, stuck)
        return chosen

    def _ways_out(self, engine: Engine, stuck: Rows) -> NDArray[np.uint64]:
        """Return what may be chosen in each of the stuck rows, (R, W)."""
        restart = action_set([rules.RESTART], engine.num_actions)
        return np.broadcast_to(restart, (len(stuck), len(restart)))


class LiftWhenStuck(RestartWhenStuck):
    """Places at random while a patch fits anywhere, else lifts one at random; restarts at times.

    Lifting alone can go round for ever in a pocket of positions that no single lift leaves.

    Args:
        seed: see `RandomLegal`.
        restart_one_in: when stuck, it restarts once in so many times on average, at least 1.

    Raises:
        OptionError: if ``restart_one_in`` is no such number.
    """

    def __init__(self, seed: int = 0, restart_one_in: int = _RESTART_ONE_IN) -> None:
        super().__init__(seed)
        self._restart_one_in = check_int("restart_one_in", restart_one_in, 1)

    def _ways_out(self, engine: Engine, stuck: Rows) -> NDArray[np.uint64]:
        restart = action_set([rules.RESTART], engine.num_actions)
        lifts = action_set(range(rules.LIFT, rules.RESTART), engine.num_actions)
        restarts = self.draw(stuck, self._restart_one_in) == 0
        return np.where(restarts[:, None], restart, lifts)
