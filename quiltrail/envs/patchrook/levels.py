"""Patchrook over procedural quilts: the source that chooses levels, and the engine with it."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.errors import OptionError, demand, shown
from quiltrail.core.jit import compiled
from quiltrail.core.level_source import LevelKernels, LevelSource, level_kernels
from quiltrail.core.levelled_engine import LevelledEngine
from quiltrail.core.levels import PARTS, SPLITS, LevelSet
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.levels_difficulty import (
    CERTAIN,
    chance_of,
    difficulty_of,
)
from quiltrail.envs.patchrook.levels_quilts import (
    QuiltFamily,
    is_wanted,
    judge_difficulty,
    make_puzzle,
)
from quiltrail.envs.patchrook.position import award
from quiltrail.envs.patchrook.quilts import QUILT_FIELDS, QuiltSource
from quiltrail.envs.patchrook.rules import MAX_PATCHES

Difficulty = tuple[float, float]

DEFAULT_SIZE = (3, 5)
_DEFAULT_CUTOUTS = (0, 4)
_DEFAULT_PATCHES = (3, 6)

_AWARD_STEP = 10
_BUDGET_ATTEMPTS = 4  # each places all patches, or gets stuck and restarts

_NO_LIMIT = 0
_NO_CHANCE = -1  # below every chance: no limit
_NO_STAGE = -1
_MOST_COVERS = np.iinfo(np.int32).max
_PUZZLE_FIELDS = tuple(field[0] for field in QUILT_FIELDS if field[0] not in ("cursor", "stage"))


@compiled
def _write_quilt(game: Record, puzzle: Record) -> None:
    game["stage"] = _NO_STAGE
    game["width"] = puzzle["width"]
    game["height"] = puzzle["height"]
    game["usable"] = puzzle["usable"]
    game["num_patches"] = puzzle["num_patches"]
    for patch in range(MAX_PATCHES):
        game["shape"][patch] = puzzle["shape"][patch]
        game["tray_order"][patch] = puzzle["tray_order"][patch]
        game["initial"][patch] = puzzle["initial"][patch]


class LevelQuilts(LevelSource, QuiltSource):
    """Quilts of levels that the game seed chooses, and only of wanted ones.

    Args:
        family: which quilts levels stand for.
        levels: which levels there are.
        difficulty: at least the first, below the second; None for any.
        max_covers: the most covers a quilt may have; None for any number.

    Raises:
        OptionError: if a limit is not allowed.
    """

    kernels: ClassVar[LevelKernels] = level_kernels(
        "patchrook", make_level=make_puzzle, is_wanted=is_wanted, write_board=_write_quilt
    )
    extra_fields: tuple[tuple[Any, ...], ...] = (("level", np.uint32),)
    family: QuiltFamily

    def __init__(
        self,
        family: QuiltFamily,
        levels: LevelSet,
        difficulty: Difficulty | None = None,
        max_covers: int | None = None,
    ) -> None:
        self.difficulty = _check_difficulty(difficulty)
        if max_covers is not None:
            check_int("max_covers", max_covers, 1, _MOST_COVERS)
        limits = None if self.difficulty is None else list(self.difficulty)
        super().__init__(family, levels, {"difficulty": limits, "max_covers": max_covers})
        part = SPLITS[levels.split]
        chances = _chances(self.difficulty)
        self.limits = np.array([part, max_covers or _NO_LIMIT, *chances], np.int64)

    def limits_between(self, low: float, high: float) -> NDArray[np.int64]:
        """Return the same limits, with chances of no other difficulties than these."""
        limits = self.limits.copy()
        least, most = _chances((low, high))
        if (low, high) != (0, inf):
            limits[2:] = max(least, limits[2]), min(most, limits[3])
        return limits

    def judged(self, level: int) -> Record:
        """Return the record of a level with covers and chance, not to be changed."""
        puzzle = self.board(level)
        judge_difficulty(puzzle)
        return puzzle

    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless a run of this seed can be at this level."""
        puzzle = self.check_dealt(game, int(game["quilt"]))
        demand(game["stage"] == _NO_STAGE, "stage", f"is {_NO_STAGE}")
        for name in _PUZZLE_FIELDS:
            right, level = puzzle[name], game["level"]
            demand(np.array_equal(game[name], right), name, f"is {right.tolist()} on level {level}")

    def check_run(self, game: Record, points: int, turns: int) -> None:
        """Raise `StateError` unless the quilts before can have brought the points."""
        before = int(game["quilt"]) - 1
        fewest, most = (int(award(*ends)) for ends in _extremes(self.family))
        possible = before * fewest <= points <= before * most and points % _AWARD_STEP == 0
        demand(possible, "score", f"was {before * fewest} to {before * most} when this quilt began")
        turns += before * (self.family.patches[0] + 1)
        demand(game["turn"] >= turns, "turn", f"is at least {turns} here")


def _chances(difficulty: Difficulty | None) -> tuple[int, int]:
    """Return the chances that the limits of a range of difficulties stand for, least first."""
    if difficulty is None:
        return _NO_CHANCE, CERTAIN
    return chance_of(difficulty[1]), chance_of(difficulty[0])


def _extremes(family: QuiltFamily) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return bounds of squares and patches, the fewest and the most."""
    fewest, most = family.patches
    return (3 * fewest, fewest), (family.size[1] ** 2, most)


def _check_difficulty(value: object) -> Difficulty | None:
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


class PatchrookLevelsEngine(LevelledEngine, PatchrookEngine):
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
    wording: ClassVar[str] = "quiltrail.envs.patchrook.levels_text"
    source: LevelQuilts

    def __init__(
        self,
        num_games: int,
        *,
        size: tuple[int, int] | int = DEFAULT_SIZE,
        cutouts: tuple[int, int] | int = _DEFAULT_CUTOUTS,
        patches: tuple[int, int] | int = _DEFAULT_PATCHES,
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

    def facts_of_level(self, level: int) -> dict[str, Any]:
        """Return difficulty, number of covers, patches and part."""
        puzzle = self.source.judged(level)
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
        return int(self.source.board(level)["num_patches"])

    def difficulty_of_level(self, level: int) -> float:
        """Return the exact difficulty of a level's quilt."""
        return difficulty_of(int(self.source.judged(level)["chance"]))
