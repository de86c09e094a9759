"""Sunpleat over procedural garlands: the source that chooses levels, and the engine with it."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Record, Rows, StateArray
from quiltrail.core.errors import OptionError, demand
from quiltrail.core.jit import compiled
from quiltrail.core.levels import (
    MAX_REDRAWS,
    NOTHING_FOUND,
    PARTS,
    SPLITS,
    LevelledEngine,
    LevelSet,
    check_choice,
    choice_cursor,
    level_at,
    no_level_error,
)
from quiltrail.core.mulberry32 import advance
from quiltrail.envs.sunpleat.boards import BoardSource, rehang
from quiltrail.envs.sunpleat.engine import SunpleatEngine, start_rows
from quiltrail.envs.sunpleat.garlands import award
from quiltrail.envs.sunpleat.levels_garlands import (
    DIAMETERS,
    GarlandFamily,
    GarlandTable,
    find_garland,
    is_wanted,
)
from quiltrail.envs.sunpleat.rules import SPARE_MOVES

DEFAULT_N = 5
MOST_SLACK = 16

_ABOVE_ALL_PARS = 1 + max(DIAMETERS.values())


@compiled
def _next_wanted(
    cursor: np.uint64,
    num_levels: int,
    limits: NDArray[np.int64],
    garlands: StateArray,
    start_level: int,
    bounds: NDArray[np.int64],
    table: NDArray[np.int8],
    by_distance: NDArray[np.int32],
    begins: NDArray[np.int64],
) -> tuple[np.uint64, int]:
    """Return the cursor behind the draw of the next wanted level, and its place in the table."""
    for _ in range(MAX_REDRAWS):
        cursor = advance(cursor)
        level = level_at(cursor, start_level, num_levels)
        place = find_garland(garlands, level, start_level, bounds, table, by_distance, begins)
        if is_wanted(garlands[place], limits[0], limits[1], limits[2]):
            return cursor, place
    return cursor, NOTHING_FOUND


@compiled
def _write_board(game: Record, record: Record) -> None:
    game["level"] = record["level"]
    game["n"] = len(game["start"])
    game["par"] = record["par"]
    for place in range(len(game["start"])):
        game["start"][place] = record["start"][place]
    rehang(game)


@compiled
def _deal_rows(
    state: StateArray,
    rows: Rows,
    fresh: bool,
    num_levels: int,
    limits: NDArray[np.int64],
    garlands: StateArray,
    start_level: int,
    bounds: NDArray[np.int64],
    table: NDArray[np.int8],
    by_distance: NDArray[np.int32],
    begins: NDArray[np.int64],
) -> bool:
    """Deal the next wanted level to each row; return whether all of them got one."""
    for row in rows:
        game = state[row]
        cursor = choice_cursor(np.uint64(game["seed"])) if fresh else np.uint64(game["cursor"])
        cursor, place = _next_wanted(
            cursor,
            num_levels,
            limits,
            garlands,
            start_level,
            bounds,
            table,
            by_distance,
            begins,
        )
        if place == NOTHING_FOUND:
            return False
        _write_board(game, garlands[place])
        game["cursor"] = cursor
    return True


@compiled
def _open_rows(
    state: StateArray,
    rows: Rows,
    chosen: NDArray[np.int64],
    garlands: StateArray,
    start_level: int,
    bounds: NDArray[np.int64],
    table: NDArray[np.int8],
    by_distance: NDArray[np.int32],
    begins: NDArray[np.int64],
) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        level = chosen[r]
        place = find_garland(garlands, level, start_level, bounds, table, by_distance, begins)
        _write_board(game, garlands[place])
        game["cursor"] = choice_cursor(np.uint64(game["seed"]))


class LevelBoards(BoardSource):
    """Garlands of levels that the game seed chooses, and only of wanted ones.

    Args:
        family: which garlands levels stand for.
        levels: which levels there are.
        slack: moves beyond par.
    """

    extra_fields: tuple[tuple[Any, ...], ...] = (("cursor", np.uint32), ("level", np.uint32))

    def __init__(self, family: GarlandFamily, levels: LevelSet, slack: int) -> None:
        self.garlands = GarlandTable(family, levels)
        self.pennants = family.n
        self.spare_moves = check_int("slack", slack, 0, MOST_SLACK)
        self.most_moves = (family.distance or (0, DIAMETERS[family.n]))[1] + slack
        self.settings: Mapping[str, Any] = {**family.settings, "slack": slack, **levels.settings}
        self._part = SPLITS[levels.split]

    def _limits(self, lowest_par: int = 0, highest_par: int = _ABOVE_ALL_PARS) -> NDArray[np.int64]:
        return np.array([self._part, lowest_par, highest_par], np.int64)

    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the boards of some rows; they depend on the seed, and how far its stream is.

        Raises:
            OptionError: if the settings leave too few levels.
        """
        count = self.garlands.levels.num_levels
        if not _deal_rows(state, rows, fresh, count, self._limits(), *self.garlands.arrays):
            raise no_level_error(dict(self.settings))

    def open(self, state: StateArray, rows: Rows, levels: NDArray[np.int64]) -> None:
        """Write the boards of given levels into fresh runs, one level each."""
        _open_rows(state, rows, levels, *self.garlands.arrays)

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= par < high.

        Raises:
            OptionError: if there are too few.
        """
        limits = self._limits(ceil(low), ceil(min(high, _ABOVE_ALL_PARS)) - 1)
        arrays = self.garlands.arrays
        cursor, found = choice_cursor(np.uint64(seed)), []
        for _ in range(count):
            cursor, place = _next_wanted(cursor, self.garlands.levels.num_levels, limits, *arrays)
            if place == NOTHING_FOUND:
                raise no_level_error({**self.settings, "par": [low, high]})
            found.append(int(arrays[0][place]["level"]))
        return found

    def check_level(self, level: object) -> int:
        """Return a level to start with.

        Raises:
            OptionError: if it is not in the set or not of the split.
        """
        number = self.garlands.levels.check(level)
        if not is_wanted(self.garlands.garland(number), *self._limits().tolist()):
            raise OptionError(f"level {number} does not fit these settings: {self.settings}")
        return number

    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless a run of this seed can be at this level.

        Which levels were passed over before is not played through again.
        """
        demand(game["board"] >= 1, "board", "is at least 1")
        check_choice(game, int(game["board"]), self.garlands.levels)
        level = int(game["level"])
        try:
            self.check_level(level)
        except OptionError:
            demand(False, "level", "is one that the settings want")
        garland = self.garlands.garland(level)
        demand(game["n"] == self.pennants, "n", f"is {self.pennants}")
        demand(game["par"] == garland["par"], "par", f"is {garland['par']} on this level")
        start = garland["start"]
        demand((game["start"] == start).all(), "start", f"is {start.tolist()} on this level")

    def score_bounds(self, game: Record, cleared: int) -> tuple[int, int]:
        """Return the least and the most points of so many clears."""
        least = award(self.pennants, 0)
        most = award(self.pennants, self.spare_moves)
        return cleared * int(least), cleared * int(most)

    def view_fields(self, game: Record) -> dict[str, Any]:
        """Return the level."""
        return {"level": int(game["level"])}


class SunpleatLevelsEngine(SunpleatEngine, LevelledEngine):
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
    start_options: ClassVar[tuple[str, ...]] = ("level",)
    wording: ClassVar[str] = "quiltrail.envs.sunpleat.levels_text"
    source: LevelBoards

    def __init__(
        self,
        num_games: int,
        *,
        n: int = DEFAULT_N,
        slack: int = SPARE_MOVES,
        distance: tuple[int, int] | int | None = None,
        start_level: int = 0,
        num_levels: int = 0,
        split: str | None = None,
        one_board: bool = False,
    ) -> None:
        family = GarlandFamily(n, distance)  # type: ignore[arg-type]  # it makes pairs
        source = LevelBoards(family, LevelSet(start_level, num_levels, split), slack)
        settings = {**source.settings, "one_board": one_board}
        super().__init__(num_games, source=source, one_board=one_board, settings=settings)

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        start_rows(self.state, rows, seeds, np.ones(len(rows), np.int64))
        if "level" in start:
            self.source.open(self.state, rows, start["level"])
        else:
            self.source.deal(self.state, rows, fresh=True)

    def check_start(self, name: str, value: object) -> int:
        """Return a level to start with; see `LevelBoards.check_level`."""
        return self.source.check_level(value)

    def size_of_level(self, level: int) -> int:
        """Return the number of pennants, the same for every level."""
        return self.source.pennants

    def budget_of_level(self, level: int) -> int:
        """Return the flips of one leaf: par and slack."""
        return int(self.source.garlands.garland(level)["par"]) + self.source.spare_moves

    def difficulty_of_level(self, level: int) -> float:
        """Return the exact par of a level's garland."""
        return float(self.source.garlands.garland(level)["par"])

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= par < high."""
        return self.source.levels_between(seed, count, low, high)

    def facts_of_level(self, level: int) -> dict[str, Any]:
        """Return exact par and part."""
        garland = self.source.garlands.garland(level)
        return {"par": int(garland["par"]), "part": PARTS[garland["part"]]}
