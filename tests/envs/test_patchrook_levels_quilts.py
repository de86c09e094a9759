"""Quilts of levels: made as the reference makes them, drawn uniformly, split in two."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from quiltrail.core.levels import PARTS
from quiltrail.core.mulberry32 import draws_at
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.levels_partitions import (
    count_partitions,
    find_partition,
    partition_memo,
)
from quiltrail.envs.patchrook.shapes import bits_of
from tests.engine_player import EnginePlayer
from tests.reference.patchrook_levels import (
    Family,
    PatchrookLevelsReference,
    all_partitions,
    part_of,
    shape_and_orientation,
)


def _agree_on_levels(levels: range, family: Family) -> None:
    engine = PatchrookLevelsEngine(1, **family._asdict())
    for level in levels:
        reference = PatchrookLevelsReference(3, family=family, level=level)
        player = EnginePlayer(engine, 3, level=level)
        assert player.view() == reference.view()
        puzzle = engine.source.judged(level)
        assert PARTS[puzzle["part"]] == part_of(reference.quilt)


def test_default_levels_are_those_of_the_reference() -> None:
    _agree_on_levels(range(12), Family())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "family", [Family(), Family((2, 5), (0, 9), (3, 6)), Family((5, 5), (0, 1), (5, 6))]
)
def test_many_levels_are_those_of_the_reference(family: Family) -> None:
    _agree_on_levels(range(10**9, 10**9 + 300), family)


@pytest.mark.parametrize(
    ("width", "height", "patches", "count"),
    [(3, 3, 3, 10), (4, 4, 4, 1953), (5, 4, 5, 21_222), (5, 5, 5, 4006), (5, 5, 6, 355_300)],
)
def test_partitions_are_counted_exactly(width: int, height: int, patches: int, count: int) -> None:
    board = bits_of((x, y) for x in range(width) for y in range(height))
    assert count_partitions(partition_memo(), board, patches) == count


def _random_levels(count: int) -> list[int]:
    """Return levels as runs meet them: outputs of a stream, not consecutive numbers."""
    return draws_at(np.full(count, 7, np.uint64), np.arange(1, count + 1)).tolist()


def _shape_sets(side: int, patches: int, levels: list[int]) -> float:
    """Return the p-value of the sets of shapes that full squares of some levels are cut into."""
    family = Family((side, side), (0, 0), (patches, patches))
    square = frozenset((x, y) for x in range(side) for y in range(side))
    sets = [
        tuple(sorted(shape_and_orientation(one)[0] for one in parts))
        for parts in all_partitions(square, patches)
    ]
    assert len(sets) == {3: 10, 4: 1953}[side]
    engine = PatchrookLevelsEngine(1, **family._asdict())
    puzzles = (engine.source.judged(level) for level in levels)
    seen = Counter(tuple(sorted(puzzle["shape"][:patches].tolist())) for puzzle in puzzles)
    assert set(seen) <= set(sets)
    expected = {one: len(levels) * count / len(sets) for one, count in Counter(sets).items()}
    often = [one for one in expected if expected[one] >= 5]
    rare = len(levels) - sum(seen[one] for one in often)
    rare_expected = len(levels) - sum(expected[one] for one in often)
    observed = [seen[one] for one in often] + [rare] * (rare_expected > 1e-6)
    wanted = [expected[one] for one in often] + [rare_expected] * (rare_expected > 1e-6)
    return float(chisquare(observed, wanted).pvalue)


def test_partitions_of_a_small_silhouette_are_drawn_uniformly() -> None:
    assert _shape_sets(3, 3, _random_levels(10_000)) > 1e-3


def test_partitions_of_a_larger_silhouette_are_drawn_uniformly() -> None:
    pvalue = _shape_sets(4, 4, _random_levels(20_000))
    print(f"\n4 x 4 into 4: p = {pvalue:.3f}")
    assert pvalue > 1e-3


def test_each_partition_has_a_number_of_its_own() -> None:
    square = frozenset((x, y) for x in range(4) for y in range(4))
    board, shapes = bits_of(square), np.zeros(6, np.int8)
    for number, parts in enumerate(all_partitions(square, 4)):
        find_partition(partition_memo(), board, 4, number, shapes)
        assert shapes[:4].tolist() == [shape_and_orientation(one)[0] for one in parts]


def _class_of(engine: PatchrookLevelsEngine, level: int) -> tuple[int, ...]:
    """Return what a puzzle is up to symmetry, found without the engine's hash."""
    puzzle = engine.source.judged(level)
    word = int(puzzle["usable"])
    cells = [(at % 5, at // 5) for at in range(25) if word >> at & 1]
    views = []
    for _ in range(2):
        for _ in range(4):
            left, top = min(x for x, _ in cells), min(y for _, y in cells)
            views.append(sum(1 << (5 * (y - top) + x - left) for x, y in cells))
            cells = [(-y, x) for x, y in cells]
        cells = [(-x, y) for x, y in cells]
    return (min(views), *sorted(puzzle["shape"].tolist()))


def _parts(levels: range) -> dict[int, set[tuple[int, ...]]]:
    engine = PatchrookLevelsEngine(1)
    found: dict[int, set[tuple[int, ...]]] = {0: set(), 1: set()}
    for level in levels:
        part = int(engine.source.judged(level)["part"])
        found[part].add(_class_of(engine, level))
    return found


def test_train_and_test_have_no_puzzle_in_common() -> None:
    found = _parts(range(3000))
    assert not found[0] & found[1]
    assert 0.15 < len(found[1]) / (len(found[0]) + len(found[1])) < 0.25


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_train_and_test_are_disjoint_on_100_000_levels() -> None:
    found = _parts(range(100_000))
    print(f"\ntrain {len(found[0]):,} puzzles, test {len(found[1]):,}")
    assert not found[0] & found[1]
