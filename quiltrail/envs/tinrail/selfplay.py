"""Tinrail for self-play: both seats of B matches in one batch, or a league in the other seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.envs.tinrail.opponents import OpponentLike
from quiltrail.envs.tinrail.solo import TinrailSoloEngine
from quiltrail.envs.vector import GameVectorEnv


class TinrailSelfPlayVectorEnv(GameVectorEnv):
    """B matches, each against yourself or against an opponent of its own.

    In a row without an opponent you play both seats: a step is one placement, observation and mask
    are those of the seat to move, from its own side, so that one network plays both. The reward is
    that of the seat that has just placed; the other seat's is its negative (``reward="outcome"``,
    the default here). For a value function this means: bootstrap with minus the value of the next
    observation, which is the other player's.

    In a row with an opponent a step goes from your turn to your next turn, and the reward is yours.
    An opponent is a policy on a batch, (observations, masks) -> actions, so that a frozen network
    plays all its rows in one call, whatever their seats; bots ("wise", "easy", "random") play
    inside the kernels. `assign` changes who plays the next matches of some rows, for leagues.

    Example:
        >>> from quiltrail.envs.tinrail.selfplay import TinrailSelfPlayVectorEnv
        >>> env = TinrailSelfPlayVectorEnv(4, opponents=[None, None, "wise", "easy"])
        >>> observations, infos = env.reset(seed=0)
        >>> observations["seat"][:2, 0].tolist()  # both seats: the first player moves
        [1, 1]

    Args:
        num_envs: B.
        opponents: None for nobody, one opponent for all rows, or one (or None) for each.
        seat: yours where there is an opponent: 0, 1 or "random" by the game seed.
        reward: "outcome" or "score"; see `quiltrail.envs.tinrail.solo.TinrailSoloEngine`.
        kwargs: those of `GameVectorEnv`.
    """

    engine: TinrailSoloEngine

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: OpponentLike | Sequence[OpponentLike | None] | None = None,
        seat: int | str = "random",
        reward: str = "outcome",
        **kwargs: Any,
    ) -> None:
        engine = TinrailSoloEngine(num_envs, opponent=opponents, seat=seat, reward=reward)
        super().__init__(engine, **kwargs)

    def assign(
        self, rows: NDArray[np.int64] | Sequence[int], opponents: Sequence[OpponentLike | None]
    ) -> None:
        """Choose who plays the next matches of rows, one opponent (or None) each.

        Running matches go on as they are.
        """
        self.engine.assign(np.asarray(rows, np.int64), opponents)
