"""A second game for the learner of after-states, without chance: an entry for every garland."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents import Agent
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.engine import Engine
from quiltrail.envs.sunpleat.par import rank_of
from quiltrail.train.afterstate.game import AfterstateGame, Moves, ValueFunction
from quiltrail.train.afterstate.learning import best_moves

N = 4
MOVE_COST = 100.0  # so that what was never met looks better than it is, and is tried
NUM_GARLANDS = 384  # 2**4 * 4!
NAME = "sunpleat-levels"
ENV = "quiltrail/SunpleatLevels-v0"
PLACE = f"{__name__}:GarlandTable"
SETTINGS = {"n": N, "one_board": True}


class GarlandTable(AfterstateGame):
    """What can be seen of a garland is which one it is; moves are flips, found by the engine."""

    name: ClassVar[str] = NAME
    num_entries: ClassVar[int] = NUM_GARLANDS
    most_active: ClassVar[int] = 1
    scale: ClassVar[float] = 100.0

    def moves(self, engine: Engine, rows: Rows) -> Moves:
        legal = [
            [one for one in engine.legal_indices(row) if one < N or one == N + 1] for row in rows
        ]
        behind = engine.branch(np.repeat(rows, [len(one) for one in legal]))
        actions = np.concatenate(legal).astype(np.int64)
        behind.step(actions)
        bounds = np.concatenate([[0], np.cumsum([len(one) for one in legal])])
        return Moves(behind.state, np.full(len(actions), -MOVE_COST), actions, bounds)

    def progress(self, afterstates: StateArray) -> NDArray[np.int64]:
        return np.zeros(len(afterstates), np.int64)

    def write_active(
        self, afterstates: StateArray, active: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        active[:, 0] = [rank_of(one, N) for one in afterstates["garland"]]
        counts[:] = 1

    def player(self, value: ValueFunction) -> Agent:
        return _Greedy(self, value)


class _Greedy(Agent):
    def __init__(self, game: GarlandTable, value: ValueFunction) -> None:
        self.game, self.value = game, value

    def act(self, engine: Engine) -> NDArray[np.int64]:
        actions = np.zeros(engine.num_games, np.int64)
        rows = np.flatnonzero(~engine.terminated)
        moves = self.game.moves(engine, rows)
        actions[rows] = moves.actions[
            best_moves(moves, moves.points + self.value(moves.afterstates))
        ]
        return actions
