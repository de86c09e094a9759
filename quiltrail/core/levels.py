"""Levels: which integers stand for the boards of a procedural game, and which part they are of.

A level is a 32-bit integer that seeds a stream, and everything about its board comes from that
stream. The boards of a run take levels from a second stream, that of the game seed; levels that a
setting leaves out are passed over. Train and test are parted by what a board is, never by its
number. Source: RULES, "Levels".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.errors import OptionError, demand, shown, unknown_name_text
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import (
    SEED_RANGE,
    STREAM_LEVEL,
    advance,
    below,
    draws_between,
    mix,
)

#: Split name -> its number in kernels; a board is of the test part if its hash is 0 modulo 5.
EVERY_LEVEL = -1
SPLITS: dict[str | None, int] = {None: EVERY_LEVEL, "train": 0, "test": 1}
PARTS = ("train", "test")
TEST_ONE_IN = 5

#: How many levels are passed over for one board before the settings count as too narrow.
MAX_REDRAWS = 5_000

LARGEST_TABLE = 1 << 16  # levels kept at hand; more share places

_MASK = np.uint64(0xFFFFFFFF)
_STREAM_LEVEL = np.uint64(STREAM_LEVEL)


@dataclass(frozen=True)
class LevelSet:
    """The levels that the boards of a run may take.

    Args:
        start_level: the first of them, 0 to 2**32 - 1.
        num_levels: how many there are from there on; 0 for all 2**32.
        split: "train", "test", or None for both parts.

    Raises:
        OptionError: if one of them is out of range.
    """

    start_level: int = 0
    num_levels: int = 0
    split: str | None = None

    def __post_init__(self) -> None:
        check_int("start_level", self.start_level, 0, SEED_RANGE - 1)
        check_int("num_levels", self.num_levels, 0, SEED_RANGE - self.start_level)
        if type(self.split) not in (str, type(None)) or self.split not in SPLITS:
            raise OptionError(unknown_name_text("split", self.split, ("train", "test")) + ", None")

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments as JSON values."""
        return {
            "start_level": self.start_level,
            "num_levels": self.num_levels,
            "split": self.split,
        }

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """(2,) int64, the first level and how many there are, for kernels."""
        return np.array([self.start_level, self.num_levels], np.int64)

    @property
    def size(self) -> int:
        """How many levels there are, those of the other part included."""
        return self.num_levels or SEED_RANGE

    @property
    def table_size(self) -> int:
        """How many levels a table keeps at hand."""
        return min(self.size, LARGEST_TABLE)

    def check(self, level: object) -> int:
        """Return a level.

        Raises:
            OptionError: if it is not one of the set, whatever its part.
        """
        number = check_int("level", level, 0, SEED_RANGE - 1)
        if (number - self.start_level) % SEED_RANGE >= self.size:
            last = self.start_level + self.size - 1
            raise OptionError(f"levels here are {self.start_level} to {last}, got {number}")
        return number


def check_range(name: str, value: object, low: int, high: int) -> tuple[int, int]:
    """Return a setting that is one int or a pair (lowest, highest), as a pair.

    Raises:
        OptionError: if it is neither, out of order or out of range.
    """
    pair = [value, value] if type(value) is int else value
    is_pair = isinstance(pair, (list, tuple)) and [type(one) for one in pair] == [int, int]
    if not isinstance(pair, (list, tuple)) or not is_pair or not low <= pair[0] <= pair[1] <= high:
        raise OptionError(
            f"{name} is an int or a pair (lowest, highest), {low} to {high}; got {shown(value)}"
        )
    return pair[0], pair[1]


@compiled
def choice_cursor(seed: np.uint64) -> np.uint64:
    """Return the cursor of the stream that chooses a run's levels, before its first draw."""
    return seed ^ _STREAM_LEVEL


@compiled
def level_at(cursor: np.uint64, start_level: int, num_levels: int) -> int:
    """Return the level that an advanced cursor of that stream chooses."""
    count = num_levels if num_levels > 0 else SEED_RANGE
    return (start_level + below(mix(cursor), count)) % SEED_RANGE


@compiled
def draw(stream: NDArray[np.uint64], n: int) -> int:
    """Return the next integer in 0 .. n - 1 of a stream, whose cursor is ``stream[0]``."""
    stream[0] = advance(stream[0])
    return below(mix(stream[0]), n)


@compiled
def mixed_in(digest: np.uint64, value: int) -> np.uint64:
    """Return a 32-bit hash of a hash and a number below 2**32."""
    return mix(advance((digest ^ np.uint64(value)) & _MASK))


@compiled
def part_of(digest: np.uint64) -> int:
    """Return the part of a board with this hash: 0 train, 1 test."""
    return int(np.int64(digest) % TEST_ONE_IN == 0)


def check_choice(game: Record, board: int, levels: LevelSet) -> None:
    """Check that a run can have come to the level of its board, by its ``seed`` and ``cursor``.

    The first board may be a given level, which takes no draw. Every later one takes a draw, and
    more where levels were passed over; how many those were is not played through again.

    Raises:
        StateError: if the cursor is too near or too far, or chooses another level.
    """
    first = int(choice_cursor(np.uint64(game["seed"])))
    draws = draws_between(first, int(game["cursor"]))
    fewest, most = board - 1, board * MAX_REDRAWS
    demand(fewest <= draws <= most, "cursor", f"is {fewest} to {most} draws on")
    if draws > 0:
        cursor = np.uint64(game["cursor"])
        right = level_at(cursor, levels.start_level, levels.num_levels)
        demand(game["level"] == right, "level", f"is {right} at this cursor")


def no_level_error(settings: dict[str, Any]) -> OptionError:
    """Return the error of settings that leave too few levels."""
    return OptionError(
        f"none of {MAX_REDRAWS:,} levels drawn fits these settings, make them wider: {settings}"
    )
