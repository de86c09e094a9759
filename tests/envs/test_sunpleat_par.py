"""Sunpleat's pars: the table of distances and the search behind its end."""

from __future__ import annotations

import numpy as np
import pytest

from quiltrail.envs.sunpleat.levels_garlands import DIAMETERS
from quiltrail.envs.sunpleat.par import distance_table, rank_of, unrank
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
