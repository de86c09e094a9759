"""How hard a quilt is: its covers, and the chance of random play against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.envs.patchrook import quilts
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.levels_difficulty import CERTAIN, count_covers, difficulty_of
from quiltrail.envs.patchrook.shapes import bits_of
from quiltrail.envs.patchrook.solver import all_covers
from tests.reference.patchrook_levels import (
    Family,
    chance_to_finish,
    level_quilt,
)


@pytest.mark.parametrize(
    ("template", "covers", "difficulty"),
    [
        (0, 16, 1.4),
        (1, 16, 4.1),
        (2, 16, 4.6),
        (3, 24, 7.2),
        (4, 16, 7.5),
        (5, 8, 10.9),
        (6, 14, 12.6),
    ],
)
def test_the_published_templates_have_known_difficulties(
    template: int, covers: int, difficulty: float
) -> None:
    board, shapes = int(quilts._USABLE[template, 0]), quilts._SHAPES[template]
    found, chance = count_covers(board, shapes, int(quilts._PATCH_COUNTS[template]))
    assert found == covers
    assert round(difficulty_of(chance), 1) == difficulty


def test_three_bars_on_three_rows_always_fit() -> None:
    """Beside a bar laid across or down, the other two fit in that direction and in no other."""
    board = bits_of((x, y) for x in range(3) for y in range(3))
    covers, chance = count_covers(board, np.array([1, 1, 1, 0, 0, 0], np.int8), 3)
    assert covers == 12  # two directions, three letters in any order
    assert 0 <= CERTAIN - chance < 100  # what integer division drops


def _compare_difficulties(levels: list[int], family: Family) -> float:
    """Return the largest relative error of the chance against brute force."""
    engine = PatchrookLevelsEngine(1, **family._asdict())
    worst = 0.0
    for level in levels:
        exact = chance_to_finish(level_quilt(level, family))
        puzzle = engine.source.judged(level)
        worst = max(worst, abs(float(int(puzzle["chance"]) / CERTAIN / exact) - 1))
        engine.reset(np.array([0]), np.zeros(1, np.uint64), level=np.array([level]))
        assert len(all_covers(engine, 0)) == puzzle["covers"]
    return worst


def test_difficulty_is_that_of_brute_force() -> None:
    assert _compare_difficulties(list(range(25)), Family((3, 4), (0, 3), (3, 4))) < 1e-12


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_difficulty_is_that_of_brute_force_on_200_random_levels() -> None:
    rng = np.random.default_rng(5)
    levels = rng.integers(2**32, size=200).tolist()
    worst = _compare_difficulties(levels, Family())
    print(f"\nlargest relative error {worst:.1e}")
    assert worst < 1e-11
