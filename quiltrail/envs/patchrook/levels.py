"""Patchrook over procedural quilts: the source that chooses levels, and the engine with it."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.engine import Record, Rows, StateArray
from quiltrail.core.errors import OptionError, demand, shown
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
from quiltrail.envs.patchrook.engine import PatchrookEngine, start_rows
from quiltrail.envs.patchrook.levels_difficulty import (
    CERTAIN,
    chance_of,
    difficulty_of,
)
from quiltrail.envs.patchrook.levels_quilts import (
    PuzzleTable,
    QuiltFamily,
    find_puzzle,
    is_wanted,
)
from quiltrail.envs.patchrook.position import award
from quiltrail.envs.patchrook.quilts import QUILT_FIELDS, QuiltSource
from quiltrail.envs.patchrook.rules import MAX_PATCHES

Difficulty = tuple[float, float]

DEFAULT_SIZE = (3, 5)
DEFAULT_CUTOUTS = (0, 4)
DEFAULT_PATCHES = (3, 6)

_NO_LIMIT = 0
_NO_CHANCE = -1  # below every chance: no limit
_NO_STAGE = -1
_MOST_COVERS = np.iinfo(np.int32).max
_PUZZLE_FIELDS = tuple(field[0] for field in QUILT_FIELDS if field[0] not in ("cursor", "stage"))


@compiled
def _write_quilt(game: Record, puzzle: Record) -> None:
    game["level"] = puzzle["level"]
    game["stage"] = _NO_STAGE
    game["width"] = puzzle["width"]
    game["height"] = puzzle["height"]
    game["usable"] = puzzle["usable"]
    game["num_patches"] = puzzle["num_patches"]
    for patch in range(MAX_PATCHES):
        game["shape"][patch] = puzzle["shape"][patch]
        game["tray_order"][patch] = puzzle["tray_order"][patch]
        game["initial"][patch] = puzzle["initial"][patch]


@compiled
def _next_wanted(
    cursor: np.uint64,
    levels: NDArray[np.int64],
    limits: NDArray[np.int64],
    table: StateArray,
    bounds: NDArray[np.int64],
    memo: NDArray[np.int64],
) -> tuple[np.uint64, int]:
    """Return the cursor behind the draw of the next wanted level, and its place in the table."""
    for _ in range(MAX_REDRAWS):
        cursor = advance(cursor)
        level = level_at(cursor, levels[0], levels[1])
        place = find_puzzle(table, level, levels[0], bounds, memo)
        if is_wanted(table[place], limits[0], limits[1], limits[2], limits[3]):
            return cursor, place
    return cursor, NOTHING_FOUND


@compiled
def _deal_rows(
    state: StateArray,
    rows: Rows,
    fresh: bool,
    levels: NDArray[np.int64],
    limits: NDArray[np.int64],
    table: StateArray,
    bounds: NDArray[np.int64],
    memo: NDArray[np.int64],
) -> bool:
    """Deal the next wanted level to each row; return whether all of them got one."""
    for row in rows:
        game = state[row]
        cursor = choice_cursor(np.uint64(game["seed"])) if fresh else np.uint64(game["cursor"])
        cursor, place = _next_wanted(cursor, levels, limits, table, bounds, memo)
        if place == NOTHING_FOUND:
            return False
        _write_quilt(game, table[place])
        game["cursor"] = cursor
    return True


@compiled
def _open_rows(
    state: StateArray,
    rows: Rows,
    chosen: NDArray[np.int64],
    start_level: int,
    table: StateArray,
    bounds: NDArray[np.int64],
    memo: NDArray[np.int64],
) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        place = find_puzzle(table, chosen[r], start_level, bounds, memo)
        _write_quilt(game, table[place])
        game["cursor"] = choice_cursor(np.uint64(game["seed"]))


class LevelQuilts(QuiltSource):
    """Quilts of levels that the game seed chooses, and only of wanted ones.

    Args:
        family: which quilts levels stand for.
        levels: which levels there are.
        difficulty: at least the first, below the second; None for any.
        max_covers: the most covers a quilt may have; None for any number.

    Raises:
        OptionError: if a limit is not allowed.
    """

    extra_fields: tuple[tuple[Any, ...], ...] = (("level", np.uint32),)

    def __init__(
        self,
        family: QuiltFamily,
        levels: LevelSet,
        difficulty: Difficulty | None = None,
        max_covers: int | None = None,
    ) -> None:
        self.puzzles = PuzzleTable(family, levels)
        self.difficulty = check_difficulty(difficulty)
        if max_covers is not None:
            check_int("max_covers", max_covers, 1, _MOST_COVERS)
        self.settings: Mapping[str, Any] = {
            **family.settings,
            "difficulty": None if self.difficulty is None else list(self.difficulty),
            "max_covers": max_covers,
            **levels.settings,
        }
        self._levels = np.array([levels.start_level, levels.num_levels], np.int64)
        part = SPLITS[levels.split]
        least, most = _chances(self.difficulty)
        self._limits = np.array([part, max_covers or _NO_LIMIT, least, most], np.int64)

    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the quilts of some rows; they depend on the seed, and how far its stream is.

        Raises:
            OptionError: if the settings leave too few levels.
        """
        found = _deal_rows(state, rows, fresh, self._levels, self._limits, *self.puzzles.arrays)
        if not found:
            raise no_level_error(dict(self.settings))

    def open(self, state: StateArray, rows: Rows, levels: NDArray[np.int64]) -> None:
        """Write the quilts of given levels into fresh runs, one level each."""
        first = self.puzzles.levels.start_level
        _open_rows(state, rows, levels, first, *self.puzzles.arrays)

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= difficulty < high.

        Raises:
            OptionError: if there are too few.
        """
        limits = self._limits.copy()
        least, most = _chances((low, high))
        if (low, high) != (0, inf):
            limits[2:] = max(least, limits[2]), min(most, limits[3])
        arrays = self.puzzles.arrays
        cursor, found = choice_cursor(np.uint64(seed)), []
        for _ in range(count):
            cursor, place = _next_wanted(cursor, self._levels, limits, *arrays)
            if place == NOTHING_FOUND:
                raise no_level_error({**self.settings, "difficulty": [low, high]})
            found.append(int(arrays[0][place]["level"]))
        return found

    def accepts(self, level: int) -> bool:
        """Return whether a level is wanted."""
        puzzle = self.puzzles.quilt(level)
        return bool(is_wanted(puzzle, *self._limits.tolist()))

    def check_level(self, level: object) -> int:
        """Return a level to start with.

        Raises:
            OptionError: if it is not in the set or not wanted.
        """
        number = self.puzzles.levels.check(level)
        if not self.accepts(number):
            raise OptionError(f"level {number} does not fit these settings: {self.settings}")
        return number

    def check_quilt(self, game: Record) -> None:
        """Raise `StateError` unless a run of this seed can be at this level.

        Which levels were passed over before is not played through again.
        """
        check_choice(game, int(game["quilt"]), self.puzzles.levels)
        level = int(game["level"])
        try:
            self.check_level(level)
        except OptionError:
            demand(False, "level", "is one that the settings want")
        puzzle = self.puzzles.quilt(level)
        demand(game["stage"] == _NO_STAGE, "stage", f"is {_NO_STAGE}")
        for name in _PUZZLE_FIELDS:
            right = puzzle[name]
            demand(np.array_equal(game[name], right), name, f"is {right.tolist()} on level {level}")

    def check_run(self, game: Record, points: int, turns: int) -> None:
        """Raise `StateError` unless the quilts before can have brought the points."""
        before = int(game["quilt"]) - 1
        fewest, most = (int(award(*ends)) for ends in _extremes(self.puzzles.family))
        possible = before * fewest <= points <= before * most and points % _AWARD_STEP == 0
        demand(possible, "score", f"was {before * fewest} to {before * most} when this quilt began")
        turns += before * (self.puzzles.family.patches[0] + 1)
        demand(game["turn"] >= turns, "turn", f"is at least {turns} here")

    def view_fields(self, game: Record) -> dict[str, Any]:
        """Return the level."""
        return {"level": int(game["level"])}


_AWARD_STEP = 10
_BUDGET_ATTEMPTS = 4  # each places all patches, or gets stuck and restarts


def _chances(difficulty: Difficulty | None) -> tuple[int, int]:
    """Return the chances that the limits of a range of difficulties stand for, least first."""
    if difficulty is None:
        return _NO_CHANCE, CERTAIN
    return chance_of(difficulty[1]), chance_of(difficulty[0])


def _extremes(family: QuiltFamily) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return bounds of squares and patches, the fewest and the most."""
    fewest, most = family.patches
    return (3 * fewest, fewest), (family.size[1] ** 2, most)


def check_difficulty(value: object) -> Difficulty | None:
    """Return a range of difficulties.

    Raises:
        OptionError: if it is neither None nor two numbers, 0 <= lowest < highest.
    """
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and len(value) == 2:
        low, high = value
        if all(type(one) in (int, float) for one in value) and 0 <= low < high:
            return float(low), float(high)
    raise OptionError(
        f"difficulty is a pair (lowest, highest) from 0 on or None, got {shown(value)}"
    )


class PatchrookLevelsEngine(PatchrookEngine, LevelledEngine):
    """B games of Patchrook over procedural quilts.

    ``start_options``: ``level`` starts with that level's quilt.

    Args:
        num_games: B.
        size: sides of the box around a silhouette, (lowest, highest) of 2 to 5.
        cutouts: cut-out squares of it, (lowest, highest).
        patches: how many patches, (lowest, highest) of 3 to 6.
        difficulty: -log2 of the chance that random placement finishes, at least the first and
            below the second; None for any.
        max_covers: the most covers a quilt may have; None for any number.
        start_level: the first level in use.
        num_levels: how many there are; 0 for all 2**32.
        split: "train", "test" or None for both parts.
        one_board: whether completing a quilt ends the run.

    Raises:
        OptionError: if a setting is not allowed, or too few levels fit all of them.
    """

    game: ClassVar[str] = "patchrook-levels"
    start_options: ClassVar[tuple[str, ...]] = ("level",)
    wording: ClassVar[str] = "quiltrail.envs.patchrook.levels_text"
    source: LevelQuilts

    def __init__(
        self,
        num_games: int,
        *,
        size: tuple[int, int] | int = DEFAULT_SIZE,
        cutouts: tuple[int, int] | int = DEFAULT_CUTOUTS,
        patches: tuple[int, int] | int = DEFAULT_PATCHES,
        difficulty: Difficulty | None = None,
        max_covers: int | None = None,
        start_level: int = 0,
        num_levels: int = 0,
        split: str | None = None,
        one_board: bool = False,
    ) -> None:
        family = QuiltFamily(size, cutouts, patches)  # type: ignore[arg-type]  # it makes pairs
        levels = LevelSet(start_level, num_levels, split)
        source = LevelQuilts(family, levels, difficulty, max_covers)
        settings = {**source.settings, "one_board": one_board}
        super().__init__(num_games, source=source, one_board=one_board, settings=settings)

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        start_rows(self.state, rows, seeds, np.ones(len(rows), np.int64))
        if "level" in start:
            self.source.open(self.state, rows, start["level"])
        else:
            self.source.deal(self.state, rows, fresh=True)

    def check_start(self, name: str, value: object) -> int:
        """Return a level to start with; see `LevelQuilts.check_level`."""
        return self.source.check_level(value)

    def levels_between(self, seed: int, count: int, low: float, high: float) -> list[int]:
        """Return the next wanted levels of a game seed's stream with low <= difficulty < high."""
        return self.source.levels_between(seed, count, low, high)

    def facts_of_level(self, level: int) -> dict[str, Any]:
        """Return difficulty, number of covers, patches and part."""
        puzzle = self.source.puzzles.puzzle(level)
        return {
            "d": round(self.difficulty_of_level(level), 2),
            "covers": int(puzzle["covers"]),
            "patches": int(puzzle["num_patches"]),
            "part": PARTS[puzzle["part"]],
        }

    def budget_of_level(self, level: int) -> int:
        """Return 4 (p + 1) for p patches: room for four attempts that are all but finished."""
        return _BUDGET_ATTEMPTS * (self.size_of_level(level) + 1)

    def size_of_level(self, level: int) -> int:
        """Return the number of patches."""
        return int(self.source.puzzles.quilt(level)["num_patches"])

    def difficulty_of_level(self, level: int) -> float:
        """Return the exact difficulty of a level's quilt."""
        return difficulty_of(int(self.source.puzzles.puzzle(level)["chance"]))
