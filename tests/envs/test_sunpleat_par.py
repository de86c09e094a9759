"""Sunpleat's pars: the table of distances and the search behind its end."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.core.errors import OptionError
from quiltrail.envs.sunpleat.levels_garlands import DIAMETERS
from quiltrail.envs.sunpleat.par import (
    best_flips,
    distance_between,
    distance_table,
    distances,
    rank_of,
    unrank,
)
from quiltrail.envs.sunpleat.par_search import search_solution


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_diameters_are_the_published_ones(n: int) -> None:
    diameter = [1, 4, 6, 8, 10, 12, 14][n - 1]
    assert distance_table(n).max() == DIAMETERS.get(n, diameter) == diameter


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_eight_pennants_have_diameter_15_and_the_search_finds_every_distance() -> None:
    table = distance_table(8)
    assert table.max() == DIAMETERS[8] == 15
    garland = np.zeros(8, np.int8)
    farthest = np.flatnonzero(table == 15)[:50]
    random = np.random.default_rng(3).integers(len(table), size=20_000)
    for rank in [*farthest.tolist(), *random.tolist()]:
        unrank(rank, 8, garland)
        assert search_solution(garland, 8)[0] == table[rank]


@pytest.mark.parametrize("n", [1, 3, 5, 7])
def test_the_search_finds_the_distances_of_the_table(n: int) -> None:
    table, garland = distance_table(n), np.zeros(n, np.int8)
    for rank in np.random.default_rng(4).integers(len(table), size=400).tolist():
        unrank(rank, n, garland)
        assert rank_of(garland, n) == rank
        assert search_solution(garland, n)[0] == table[rank]


def test_the_distances_of_five_pennants_are_distributed_as_published() -> None:
    counts = np.bincount(distance_table(5))
    assert counts.tolist() == [1, 5, 20, 80, 280, 680, 1214, 1127, 389, 40, 4]


@pytest.mark.parametrize("n", [0, 9, -1])
def test_a_table_of_another_size_is_refused(n: int) -> None:
    with pytest.raises(OptionError, match="1 to 8"):
        distance_table(n)


def test_the_best_flip_always_comes_one_nearer() -> None:
    rng = np.random.default_rng(2)
    garlands = np.array([rng.permutation(5) + 1 for _ in range(500)], np.int8)
    garlands *= rng.choice(np.array([-1, 1], np.int8), garlands.shape)
    lengths = np.full(500, 5)
    before, flips = distances(garlands, lengths), best_flips(garlands, lengths)
    for garland, count in zip(garlands, flips.tolist(), strict=True):
        garland[:count] = -garland[:count][::-1]
    after = distances(garlands, lengths)
    moving = before > 0
    assert (after[moving] == before[moving] - 1).all()


def test_distance_is_symmetric_and_zero_at_home() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        one, other = (
            ((rng.permutation(4) + 1) * rng.choice([-1, 1], 4)).astype(np.int8) for _ in range(2)
        )
        assert distance_between(one, other) == distance_between(other, one)
        assert distance_between(one, one) == 0
