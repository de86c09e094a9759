"""Sunpleat over procedural garlands: the source that chooses levels, and the engine with it."""

from __future__ import annotations

from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.errors import demand
from quiltrail.core.jit import compiled
from quiltrail.core.level_source import LevelKernels, LevelSource, level_kernels
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.core.levels import PARTS, SPLITS, LevelSet
from quiltrail.envs.sunpleat.boards import GarlandSource, rehang
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.envs.sunpleat.garlands import award
from quiltrail.envs.sunpleat.levels_garlands import (
    DIAMETERS,
    GarlandFamily,
    is_wanted,
    make_garland,
)
from quiltrail.envs.sunpleat.rules import SPARE_MOVES

_DEFAULT_N = 5
_MOST_SLACK = 16

_ABOVE_ALL_PARS = 1 + max(DIAMETERS.values())


@compiled
def _write_board(game: Record, record: Record) -> None:
    game["n"] = len(game["start"])
    game["par"] = record["par"]
    for place in range(len(game["start"])):
        game["start"][place] = record["start"][place]
    rehang(game)


class LevelGarlands(LevelSource, GarlandSource):
    """Garlands of levels that the game seed chooses, and only of wanted ones.

    Args:
        family: which garlands levels stand for.
        levels: which levels there are.
        slack: moves beyond par.

    Raises:
        OptionError: if the slack is not allowed.
    """

    kernels: ClassVar[LevelKernels] = level_kernels(
        "sunpleat", make_level=make_garland, is_wanted=is_wanted, write_board=_write_board
    )
    extra_fields: tuple[tuple[Any, ...], ...] = (("cursor", np.uint32), ("level", np.uint32))

    def __init__(self, family: GarlandFamily, levels: LevelSet, slack: int) -> None:
        super().__init__(family, levels, {"slack": slack})
        self.pennants = family.n
        self.spare_moves = check_int("slack", slack, 0, _MOST_SLACK)
        self.most_moves = (family.distance or (0, DIAMETERS[family.n]))[1] + slack
        self.limits = self.limits_between(0, _ABOVE_ALL_PARS)

    def limits_between(self, low: float, high: float) -> NDArray[np.int64]:
        """Return part, lowest and highest par."""
        pars = ceil(low), ceil(min(high, _ABOVE_ALL_PARS)) - 1
        return np.array([SPLITS[self.levels.split], *pars], np.int64)

    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless a run of this seed can be at this level."""
        demand(game["board"] >= 1, "board", "is at least 1")
        garland = self.check_dealt(game, int(game["board"]))
        demand(game["n"] == self.pennants, "n", f"is {self.pennants}")
        demand(game["par"] == garland["par"], "par", f"is {garland['par']} on this level")
        start = garland["start"]
        demand((game["start"] == start).all(), "start", f"is {start.tolist()} on this level")

    def score_bounds(self, game: Record, cleared: int) -> tuple[int, int]:
        """Return the least and the most points of so many clears."""
        least = award(self.pennants, 0)
        most = award(self.pennants, self.spare_moves)
        return cleared * int(least), cleared * int(most)


class SunpleatLevelsEngine(LevelledEngine, SunpleatEngine):
    """B games of Sunpleat over procedural garlands.

    ``start_options``: ``level`` starts with that level's garland.

    Args:
        num_games: B.
        n: pennants, 2 to 10.
        slack: moves beyond the exact par, 0 to 16.
        distance: exact distances of the garlands, (lowest, highest) or one; None for uniform ones.
        start_level: the first level in use.
        num_levels: how many there are; 0 for all 2**32.
        split: "train", "test" or None for both parts.
        one_board: whether clearing a garland ends the run.

    Raises:
        OptionError: if a setting is not allowed, or too few levels fit all of them.
    """

    game: ClassVar[str] = "sunpleat-levels"
    wording: ClassVar[str] = "quiltrail.envs.sunpleat.levels_text"
    source: LevelGarlands

    def __init__(
        self,
        num_games: int,
        *,
        n: int = _DEFAULT_N,
        slack: int = SPARE_MOVES,
        distance: tuple[int, int] | int | None = None,
        start_level: int = 0,
        num_levels: int = 0,
        split: str | None = None,
        one_board: bool = False,
    ) -> None:
        family = GarlandFamily(n, distance)  # type: ignore[arg-type]  # it makes pairs
        source = LevelGarlands(family, LevelSet(start_level, num_levels, split), slack)
        settings = {**source.settings, "one_board": one_board}
        super().__init__(num_games, source=source, one_board=one_board, settings=settings)

    def size_of_level(self, level: int) -> int:
        """Return the number of pennants, the same for every level."""
        return self.source.pennants

    def budget_of_level(self, level: int) -> int:
        """Return the flips of one leaf: par and slack."""
        return int(self.source.board(level)["par"]) + self.source.spare_moves

    def difficulty_of_level(self, level: int) -> float:
        """Return the exact par of a level's garland."""
        return float(self.source.board(level)["par"])

    def facts_of_level(self, level: int) -> dict[str, Any]:
        """Return exact par and part."""
        garland = self.source.board(level)
        return {"par": int(garland["par"]), "part": PARTS[garland["part"]]}
