"""Positions to begin training episodes at, in place of the games' own starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import ConfigError, shown
from quiltrail.envs.sunpleat.winnable import winnable_positions


class PooledStarts:
    """Draws training starts from groups of positions.

    Args:
        groups: lists of records; the first of each is the group's usual start.
        usual_share: share of episodes that begin at the usual start of their group, 0 to 1.
        size_power: a group is drawn with weight ``len(group) ** size_power``.

    Raises:
        ConfigError: if a number is out of range.
    """

    def __init__(
        self, groups: list[list[Any]], usual_share: float = 0.0, size_power: float = 0.0
    ) -> None:
        if not 0 <= usual_share <= 1:
            raise ConfigError(f"usual_share is a number from 0 to 1, got {shown(usual_share)}")
        if not 0 <= size_power <= 1:
            raise ConfigError(f"size_power is a number from 0 to 1, got {shown(size_power)}")
        self._groups = groups
        self._usual_share = usual_share
        weights = np.array([float(len(group)) ** size_power for group in groups])
        self._cumulative = np.cumsum(weights / weights.sum())

    def __call__(self, engine: Engine, rows: Rows, rng: np.random.Generator) -> dict[str, Any]:
        """Return the option ``state`` with a record for each of the rows."""
        records: list[Any] = [None] * engine.num_games
        draws = rng.random((len(rows), 3))
        for row, (which, usual, place) in zip(rows.tolist(), draws.tolist(), strict=True):
            group = self._groups[int(np.searchsorted(self._cumulative, which))]
            at = 0 if usual < self._usual_share else int(place * len(group))
            records[row] = group[at]
        return {"state": records}


def sunpleat_winnable(usual_share: float = 0.0, size_power: float = 0.0) -> PooledStarts:
    """Return starts at Sunpleat's positions that can be cleared within the budget, by board."""
    return PooledStarts(winnable_positions(), usual_share, size_power)
