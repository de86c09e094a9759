"""Procedural quilts: what a level's quilt is, and the table that keeps quilts at hand.

Everything about a quilt is drawn from the stream that its level seeds, in this order: the number of
patches, width, height, number of cut-outs, the cut-outs; until the silhouette hangs together,
reaches every side of its box and has partitions into so many patches. Then the partition, by its
number; then letters, tray order and initial orientations as for published quilts.
Source: docs/levels.md; all of it is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.errors import OptionError
from quiltrail.core.jit import compiled
from quiltrail.core.level_source import LEVEL_FIELDS, LevelFamily, Makings
from quiltrail.core.levels import (
    EVERY_LEVEL,
    check_range,
    draw,
    mixed_in,
    part_of,
)
from quiltrail.envs.patchrook.levels_difficulty import count_covers
from quiltrail.envs.patchrook.levels_partitions import (
    LARGEST_PATCH,
    SMALLEST_PATCH,
    count_partitions,
    find_partition,
    is_connected,
    partition_memo,
)
from quiltrail.envs.patchrook.quilts import QUILT_FIELDS, letter_patches
from quiltrail.envs.patchrook.rules import BOARD_SIZE, MAX_PATCHES, NUM_SQUARES

_FEWEST_PATCHES = 3
_SMALLEST_SIDE = 2
_DRAWN_FIELDS = [field for field in QUILT_FIELDS if field[0] not in ("cursor", "stage")]

#: A quilt in the table. ``covers`` and ``chance`` are 0 until somebody asks for them.
_PUZZLE = np.dtype(
    [
        *LEVEL_FIELDS,
        *_DRAWN_FIELDS,
        ("covers", np.int32),  # patches of one shape told apart
        ("chance", np.int64),  # that random placement finishes, in units of 2**-62
    ],
    align=True,
)

# Places in the array that describes a family to kernels.
_SIDES, _CUT_OUTS, _PATCHES, _NUM_BOUNDS = 0, 2, 4, 6

_SHAPE_DIGIT = 32  # shape ids are below this
_SHAPES_A_WORD = MAX_PATCHES // 2
_NUM_TURNS = 8
_LAST = BOARD_SIZE - 1


@dataclass(frozen=True)
class QuiltFamily(LevelFamily):
    """Which quilts levels stand for; each range is (lowest, highest).

    Args:
        size: the sides of the box around the silhouette, 2 to 5.
        cutouts: squares of the box that are cut out, 0 to 16.
        patches: how many patches there are, 3 to 6.

    Raises:
        OptionError: if a range is not allowed, or no quilt fits them all.
    """

    size: tuple[int, int]
    cutouts: tuple[int, int]
    patches: tuple[int, int]

    def __post_init__(self) -> None:
        fewest = _FEWEST_PATCHES * SMALLEST_PATCH
        checked = {
            "size": check_range("size", self.size, _SMALLEST_SIDE, BOARD_SIZE),
            "cutouts": check_range("cutouts", self.cutouts, 0, NUM_SQUARES - fewest),
            "patches": check_range("patches", self.patches, _FEWEST_PATCHES, MAX_PATCHES),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not self._some_board_fits():
            raise OptionError(f"no board of these sizes has squares for so many patches: {self}")

    def _some_board_fits(self) -> bool:
        """Return whether some box, cut-outs and patches go together by their numbers."""
        ranges = [range(low, high + 1) for low, high in (self.size, self.cutouts, self.patches)]
        return any(
            SMALLEST_PATCH * patches <= width * height - cut_outs <= LARGEST_PATCH * patches
            for width, height, cut_outs, patches in product(ranges[0], *ranges)
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments as JSON values."""
        return {
            "size": list(self.size),
            "cutouts": list(self.cutouts),
            "patches": list(self.patches),
        }

    @property
    def record(self) -> np.dtype[np.void]:
        """The record of a level in the table: `_PUZZLE`."""
        return _PUZZLE

    @property
    def makings(self) -> tuple[NDArray[Any], ...]:
        """The ranges one behind the other, (6,) int64, and the memory of partition counts."""
        bounds = np.array([*self.size, *self.cutouts, *self.patches], np.int64)
        return bounds, partition_memo()


@compiled
def turned(word: int, turn: int) -> int:
    """Return a board word in one of its 8 views, moved to the top left."""
    found, left, top = 0, BOARD_SIZE, BOARD_SIZE
    for square in range(NUM_SQUARES):
        if word >> square & 1:
            x, y = _turned_square(square, turn)
            found |= 1 << (BOARD_SIZE * y + x)
            left, top = min(left, x), min(top, y)
    return found >> (BOARD_SIZE * top + left)


@compiled
def _turned_square(square: int, turn: int) -> tuple[int, int]:
    x, y = square % BOARD_SIZE, square // BOARD_SIZE
    if turn & 4:
        x, y = y, x
    if turn & 1:
        x = _LAST - x
    if turn & 2:
        y = _LAST - y
    return x, y


@compiled
def _hash_of(puzzle: Record) -> np.uint64:
    """Return the 32-bit hash of silhouette and shapes, the same for whatever looks alike."""
    board = int(np.int64(puzzle["usable"]))
    smallest = board
    for turn in range(_NUM_TURNS):
        smallest = min(smallest, turned(board, turn))
    digest = mixed_in(np.uint64(0), smallest)
    shapes = np.sort(puzzle["shape"])
    for first in range(0, MAX_PATCHES, _SHAPES_A_WORD):
        packed = 0
        for patch in range(first, first + _SHAPES_A_WORD):
            packed = _SHAPE_DIGIT * packed + int(np.int64(shapes[patch]))
        digest = mixed_in(digest, packed)
    return digest


@compiled
def _reaches_sides(word: int, width: int, height: int) -> bool:
    """Return whether no line at the rim of the box is cut out whole."""
    row = (1 << width) - 1
    column = 0
    for y in range(height):
        column |= 1 << (BOARD_SIZE * y)
    return (
        word & row != 0
        and word & (row << (BOARD_SIZE * (height - 1))) != 0
        and word & column != 0
        and word & (column << (width - 1)) != 0
    )


@compiled
def _draw_board(puzzle: Record, bounds: NDArray[np.int64], stream: NDArray[np.uint64]) -> int:
    """Draw a number of patches and a board; return that number, 0 if the board is no good."""
    patches = bounds[_PATCHES] + draw(stream, bounds[_PATCHES + 1] - bounds[_PATCHES] + 1)
    width = bounds[_SIDES] + draw(stream, bounds[_SIDES + 1] - bounds[_SIDES] + 1)
    height = bounds[_SIDES] + draw(stream, bounds[_SIDES + 1] - bounds[_SIDES] + 1)
    cut_outs = bounds[_CUT_OUTS] + draw(stream, bounds[_CUT_OUTS + 1] - bounds[_CUT_OUTS] + 1)
    area = width * height
    left = area - cut_outs
    if left < SMALLEST_PATCH * patches or left > LARGEST_PATCH * patches:
        return 0
    squares = np.arange(area)
    word = 0
    for at in range(area):
        if at < cut_outs:  # the first places hold a random choice of the squares
            other = at + draw(stream, area - at)
            squares[at], squares[other] = squares[other], squares[at]
        else:
            word |= 1 << (BOARD_SIZE * (squares[at] // width) + squares[at] % width)
    if not _reaches_sides(word, width, height) or not is_connected(word):
        return 0
    puzzle["width"] = width
    puzzle["height"] = height
    puzzle["usable"] = word
    return int(patches)


@compiled
def make_puzzle(puzzle: Record, level: int, makings: Makings) -> None:
    """Write the quilt of a level and its part."""
    bounds, memo = makings
    stream = np.array([level], np.uint64)
    patches, partitions = 0, 0
    while partitions == 0:
        patches = _draw_board(puzzle, bounds, stream)
        if patches > 0:
            partitions = count_partitions(memo, int(np.int64(puzzle["usable"])), patches)
    shapes = np.zeros(MAX_PATCHES, np.int8)
    number = draw(stream, partitions)
    find_partition(memo, int(np.int64(puzzle["usable"])), patches, number, shapes)
    letter_patches(puzzle, shapes, patches, stream[0])
    puzzle["part"] = part_of(_hash_of(puzzle))
    puzzle["covers"] = 0
    puzzle["chance"] = 0


@compiled
def judge_difficulty(puzzle: Record) -> None:
    """Write how many covers a quilt has and the chance of finishing it, unless it is known."""
    if puzzle["chance"] == 0:
        covers, chance = count_covers(
            int(np.int64(puzzle["usable"])), puzzle["shape"], puzzle["num_patches"]
        )
        puzzle["covers"] = covers
        puzzle["chance"] = chance


@compiled
def is_wanted(puzzle: Record, limits: NDArray[np.int64]) -> bool:
    """Return whether a quilt is within limits: its part, most covers, and chances in (least, most].

    Covers and chance are found out only if the limits ask for it; 0 covers is no limit.
    """
    part, max_covers, least_chance, most_chance = limits
    if part != EVERY_LEVEL and part != puzzle["part"]:
        return False
    if max_covers == 0 and least_chance < 0:
        return True
    judge_difficulty(puzzle)
    if 0 < max_covers < puzzle["covers"]:
        return False
    return bool(least_chance < puzzle["chance"] <= most_chance)
