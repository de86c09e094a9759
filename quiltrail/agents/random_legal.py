"""Uniformly random legal play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.base import Agent
from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.legality import action_set, random_action
from quiltrail.core.mulberry32 import advance, as_seed, below, mix
from quiltrail.core.rollout import random_streams


@compiled
def _choose(
    legal: NDArray[np.uint64], cursors: NDArray[np.uint64], actions: NDArray[np.int64]
) -> None:
    nothing = np.zeros(legal.shape[1], np.uint64)
    for row in range(legal.shape[0]):
        action, cursors[row] = random_action(legal[row], nothing, cursors[row])
        actions[row] = max(action, 0)  # -1 where the game has ended


@compiled
def _draw(
    cursors: NDArray[np.uint64], rows: NDArray[np.int64], n: int, drawn: NDArray[np.int64]
) -> None:
    for r in range(rows.shape[0]):
        cursors[rows[r]] = advance(cursors[rows[r]])
        drawn[r] = below(mix(cursors[rows[r]]), n)


class RandomLegal(Agent):
    """Draws uniformly from the legal list, row i from its own Mulberry32 stream.

    Scripted players with chance in them subclass it and narrow `candidates`.

    Args:
        seed: row i draws from the stream seeded (seed + i) XOR a constant, so a row's play does
            not depend on how many rows there are.
        forbid: flat actions it never takes while another one is legal (for example bank).
    """

    def __init__(self, seed: int = 0, forbid: tuple[int, ...] = ()) -> None:
        self._seed = as_seed(seed)
        self.forbid = forbid
        self._cursors = np.zeros(0, np.uint64)

    def act(self, engine: Engine) -> NDArray[np.int64]:
        """Return a random legal action for every row."""
        self.check_game(engine)
        if len(self._cursors) != engine.num_games:
            self._cursors = random_streams(engine.num_games, self._seed)
        actions = np.zeros(engine.num_games, np.int64)
        _choose(self.candidates(engine), self._cursors, actions)
        return actions

    def candidates(self, engine: Engine) -> NDArray[np.uint64]:
        """Return the legal actions it chooses among, sets (B, W); empty where a game has ended."""
        if not self.forbid:
            return engine.legal
        allowed = engine.legal & ~action_set(self.forbid, engine.num_actions)
        return np.where(allowed.any(axis=1, keepdims=True), allowed, engine.legal)

    def draw(self, rows: Rows, n: int) -> NDArray[np.int64]:
        """Return an integer in 0 .. n - 1 for each of the rows, from the rows' own streams."""
        drawn = np.zeros(len(rows), np.int64)
        _draw(self._cursors, rows, n, drawn)
        return drawn
