"""Procedural garlands: what a level's garland is, and the table that keeps garlands at hand.

Everything about a garland is drawn from the stream that its level seeds. Without a distance it is a
uniform signed permutation: a shuffle, then a face for each place (1 is a moon); the target itself
is drawn anew. With a range of distances, the distance is drawn first, uniformly; then, for garlands
short enough for a table, one of all garlands at that distance, uniformly; for longer ones, up to a
distance of n, as many random flips of the target, none the same as the one before, until the exact
distance is right, and beyond n, uniform garlands until it is.
Source: docs/levels.md; all of it is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.jit import compiled
from quiltrail.core.level_source import LEVEL_FIELDS, LevelFamily, Makings
from quiltrail.core.levels import (
    EVERY_LEVEL,
    check_range,
    draw,
    mixed_in,
    part_of,
)
from quiltrail.core.mulberry32 import shuffle
from quiltrail.envs.sunpleat.garlands import flip, is_target
from quiltrail.envs.sunpleat.par import TABLES_UP_TO, distance_table, rank_of, unrank
from quiltrail.envs.sunpleat.par_search import search_solution

FEWEST_PENNANTS, MOST_PENNANTS = 2, 10

#: n -> the largest distance of all its garlands (OEIS A078941).
DIAMETERS = {2: 4, 3: 6, 4: 8, 5: 10, 6: 12, 7: 14, 8: 15, 9: 17, 10: 18}
# Beyond these, garlands of n are too rare to be drawn until one comes up.
_FARTHEST_DRAWN = {**DIAMETERS, 8: 13, 9: 14, 10: 15}

_ANY_DISTANCE = 0


@dataclass(frozen=True)
class GarlandFamily(LevelFamily):
    """Which garlands levels stand for.

    Args:
        n: pennants, 2 to 10.
        distance: exact distances from the target, (lowest, highest) or one; None for a uniform
            garland, whatever its distance.

    Raises:
        OptionError: if one of them is out of range.
    """

    n: int
    distance: tuple[int, int] | None

    def __post_init__(self) -> None:
        check_int("n", self.n, FEWEST_PENNANTS, MOST_PENNANTS)
        if self.distance is not None:
            checked = check_range("distance", self.distance, 1, _FARTHEST_DRAWN[self.n])
            object.__setattr__(self, "distance", checked)

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments as JSON values."""
        return {"n": self.n, "distance": None if self.distance is None else list(self.distance)}

    @property
    def record(self) -> np.dtype[np.void]:
        """The record of a level in the table: its par, and its garland as ``start``."""
        board = [("par", np.int64), ("start", np.int8, (self.n,))]
        return np.dtype([*LEVEL_FIELDS, *board], align=True)

    @property
    def makings(self) -> tuple[NDArray[Any], ...]:
        """The lowest and highest distance, zeros for any, and the layers of `_distance_layers`."""
        distances = np.array(self.distance or (_ANY_DISTANCE, _ANY_DISTANCE), np.int64)
        return distances, *_distance_layers(self.n)


@cache
def _distance_layers(n: int) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int64]]:
    """Return the distance table of n, its ranks by distance, and where each distance begins.

    All are empty where garlands of n are searched instead.
    """
    if n > TABLES_UP_TO:
        return np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros(0, np.int64)
    table = distance_table(n)
    by_distance = np.argsort(table, kind="stable").astype(np.int32)
    begins = np.concatenate([[0], np.cumsum(np.bincount(table))])
    return table, by_distance, begins


@compiled
def _distance(garland: NDArray[np.int8], table: NDArray[np.int8]) -> int:
    if len(table) > 0:
        return int(table[rank_of(garland, len(garland))])
    return search_solution(garland, len(garland))[0]


@compiled
def _draw_uniform(garland: NDArray[np.int8], stream: NDArray[np.uint64]) -> None:
    n = len(garland)
    for place in range(n):
        garland[place] = place + 1
    stream[0] = shuffle(garland, n, stream[0])
    for place in range(n):
        if draw(stream, 2) == 1:
            garland[place] = -garland[place]


@compiled
def _draw_flipped(garland: NDArray[np.int8], flips: int, stream: NDArray[np.uint64]) -> None:
    """Flip the target at random, never one count twice in a row."""
    n = len(garland)
    for place in range(n):
        garland[place] = place + 1
    last = 0
    for number in range(flips):
        if number == 0:
            count = 1 + draw(stream, n)
        else:
            count = 1 + draw(stream, n - 1)
            count += int(count >= last)
        flip(garland, count)
        last = count


@compiled
def _draw_at_distance(
    garland: NDArray[np.int8],
    distance: int,
    stream: NDArray[np.uint64],
    by_distance: NDArray[np.int32],
    begins: NDArray[np.int64],
) -> None:
    """Draw a garland at an exact distance."""
    n = len(garland)
    if len(begins) > 0:
        number = draw(stream, begins[distance + 1] - begins[distance])
        unrank(int(by_distance[begins[distance] + number]), n, garland)
        return
    while True:
        if distance <= n:
            _draw_flipped(garland, distance, stream)
        else:
            _draw_uniform(garland, stream)
        if search_solution(garland, n)[0] == distance:
            return


@compiled
def _hash_of(garland: NDArray[np.int8]) -> np.uint64:
    digest = mixed_in(np.uint64(0), len(garland))
    for place in range(len(garland)):
        pennant = int(np.int64(garland[place]))
        digest = mixed_in(digest, 2 * abs(pennant) + int(pennant < 0))
    return digest


@compiled
def part_of_garland(garland: NDArray[np.int8]) -> int:
    """Return the part of a garland (n,): 0 train, 1 test."""
    return part_of(_hash_of(garland))


@compiled
def make_garland(record: Record, level: int, makings: Makings) -> None:
    """Write the garland of a level, its par and its part."""
    distances, table, by_distance, begins = makings
    stream = np.array([level], np.uint64)
    garland = record["start"]
    if distances[0] == _ANY_DISTANCE:
        _draw_uniform(garland, stream)
        while is_target(garland, len(garland)):
            _draw_uniform(garland, stream)
        record["par"] = _distance(garland, table)
    else:
        distance = distances[0] + draw(stream, distances[1] - distances[0] + 1)
        _draw_at_distance(garland, distance, stream, by_distance, begins)
        record["par"] = distance
    record["part"] = part_of_garland(garland)


@compiled
def is_wanted(record: Record, limits: NDArray[np.int64]) -> bool:
    """Return whether a garland is of part ``limits[0]``, its par from ``limits[1]`` to the last."""
    if limits[0] != EVERY_LEVEL and limits[0] != record["part"]:
        return False
    return bool(limits[1] <= record["par"] <= limits[2])
