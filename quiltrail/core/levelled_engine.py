"""Engines whose boards are levels."""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.core.boards import BoardEngine
from quiltrail.core.level_source import LevelSource
from quiltrail.core.levels import MAX_REDRAWS, no_level_error


class LevelledEngine(BoardEngine):
    """What an engine whose boards are levels can say about them.

    It has the start option ``level``; a game's own engine stands behind this one among the bases.
    What is told here comes from exact solutions: it is for measuring and for choosing levels, not
    for a player to see.
    """

    start_options: ClassVar[tuple[str, ...]] = ("level",)
    source: LevelSource

    def check_start(self, name: str, value: object) -> int:
        """Return a level to start with; see `LevelSource.check_level`."""
        return self.source.check_level(value)

    @abstractmethod
    def difficulty_of_level(self, level: int) -> float:
        """Return the exact difficulty of a level."""

    @abstractmethod
    def facts_of_level(self, level: int) -> dict[str, Any]:
        """Return what there is to know about a level, by name."""

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= difficulty < high.

        Raises:
            OptionError: if there are too few of them.
        """
        return self.source.levels_between(seed, count, low, high)

    @abstractmethod
    def budget_of_level(self, level: int) -> int:
        """Return within how many actions of its start a board has to be cleared to count as such.

        It says how well a player clears boards, whatever the time limit of an episode is.
        """

    @abstractmethod
    def size_of_level(self, level: int) -> int:
        """Return how large a level's board is, in pieces; that takes no solution."""

    def levels_of_size(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= size < high.

        Raises:
            OptionError: if there are too few of them.
        """
        looked_at = 4 * count
        while looked_at <= MAX_REDRAWS * count:
            wanted = self.levels_between(seed, looked_at, 0.0, inf)
            found = [level for level in wanted if low <= self.size_of_level(level) < high]
            if len(found) >= count:
                return found[:count]
            looked_at *= 4
        raise no_level_error({**self.settings, "size": [low, high]})

    def budgets(self) -> NDArray[np.int64]:
        """Return the budget of actions of the board in every row, (B,) int64."""
        return np.array([self.budget_of_level(int(level)) for level in self.state["level"]])

    def difficulties(self) -> NDArray[np.float64]:
        """Return the exact difficulty of the board in every row, (B,) float64."""
        return np.array([self.difficulty_of_level(int(level)) for level in self.state["level"]])

    def _start(self, rows: Rows, seeds: NDArray[Any], **start: NDArray[Any]) -> None:
        if "level" in start:
            self._begin(rows, seeds)
            self.source.open(self.state, rows, start["level"])
        else:
            super()._start(rows, seeds)
