"""Garlands of levels: made as the reference makes them, drawn uniformly, split in two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from quiltrail.core.levels import PARTS
from quiltrail.core.mulberry32 import draws_at
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine
from quiltrail.envs.sunpleat.par_search import search_solution
from tests.reference.sunpleat_levels import (
    layer,
    level_garland,
    part_of,
)


def _agree_on_levels(n: int, distance: Any, count: int) -> None:
    engine = SunpleatLevelsEngine(1, n=n, distance=distance)
    for level in range(2**31, 2**31 + count):
        garland = engine.source.board(level)
        expected = level_garland(level, n, distance)
        assert tuple(garland["start"].tolist()) == expected
        assert PARTS[garland["part"]] == part_of(expected)


@pytest.mark.parametrize(
    ("n", "distance"), [(3, None), (5, None), (8, None), (5, (1, 10)), (8, (2, 3))]
)
def test_levels_are_those_of_the_reference(n: int, distance: Any) -> None:
    _agree_on_levels(n, distance, 40)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("n", "distance"), [(2, None), (6, (1, 1)), (7, None), (7, (13, 14)), (9, (2, 3)), (10, None)]
)
def test_more_levels_are_those_of_the_reference(n: int, distance: Any) -> None:
    _agree_on_levels(n, distance, 300)


def _lie_at(n: int, distance: Any) -> None:
    engine = SunpleatLevelsEngine(60, n=n, distance=distance)
    engine.reset(np.arange(60), np.arange(60, dtype=np.uint64))
    low, high = (distance, distance) if type(distance) is int else distance
    for start, said in zip(engine.state["start"], engine.state["par"].tolist(), strict=True):
        assert low <= search_solution(start, n)[0] == said <= high


@pytest.mark.parametrize(("n", "distance"), [(5, 10), (8, (1, 12))])
def test_garlands_lie_at_the_distances_asked_for(n: int, distance: Any) -> None:
    _lie_at(n, distance)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "distance"), [(7, (1, 14)), (8, 13), (9, (1, 14)), (10, (1, 15))])
def test_garlands_of_every_length_lie_at_the_distances_asked_for(n: int, distance: Any) -> None:
    _lie_at(n, distance)


def test_garlands_of_a_distance_are_drawn_uniformly() -> None:
    levels = draws_at(np.full(8000, 3, np.uint64), np.arange(1, 8001)).tolist()
    engine = SunpleatLevelsEngine(1, n=3, distance=4)
    seen = dict.fromkeys(layer(3, 4), 0)
    assert len(seen) == 18
    for level in levels:
        seen[tuple(engine.source.board(level)["start"].tolist())] += 1
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_uniform_garlands_are_uniform() -> None:
    levels = draws_at(np.full(8000, 3, np.uint64), np.arange(1, 8001)).tolist()
    engine = SunpleatLevelsEngine(1, n=3)
    counts: dict[tuple[int, ...], int] = {}
    for level in levels:
        start = tuple(engine.source.board(level)["start"].tolist())
        counts[start] = counts.get(start, 0) + 1
    assert len(counts) == 47  # all but the target
    assert chisquare(list(counts.values())).pvalue > 1e-3


def _parts(levels: range) -> dict[int, set[tuple[int, ...]]]:
    engine = SunpleatLevelsEngine(1)
    found: dict[int, set[tuple[int, ...]]] = {0: set(), 1: set()}
    for level in levels:
        garland = engine.source.board(level)
        found[int(garland["part"])].add(tuple(garland["start"].tolist()))
    return found


def test_train_and_test_have_no_garland_in_common_on_100_000_levels() -> None:
    found = _parts(range(100_000))
    assert not found[0] & found[1]
    assert len(found[0]) + len(found[1]) == 3839
    assert 0.15 < len(found[1]) / 3839 < 0.25
