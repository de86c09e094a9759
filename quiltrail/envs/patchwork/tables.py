"""Patchwork's shapes as bit tables.

A set of squares is two 64-bit words: word 0 holds rows 0 to 4 (45 bits), word 1 rows 5 to 8
(36 bits), in each bit ``9 * row + col`` counted from its first row. So no row is split between
words, a shift by at most 40 bits needs no special case, and every word survives a JSON reader
that keeps numbers as doubles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Words
from quiltrail.envs.patchwork.rules import (
    BLOCK_SIDE,
    LARGEST_MEDIUM,
    LARGEST_SMALL,
    LONGEST,
    NUM_SHAPES,
    SHAPES,
    SIDE,
    SQUARES,
    cells_of,
    fabric_of,
)

TOP_ROWS = 5
TOP_BITS = TOP_ROWS * SIDE

#: A row, column or block of the quilt: its first row and column, its rows and columns.
Unit = tuple[int, int, int, int]


def squares_as_words(squares: list[tuple[int, int]]) -> Words:
    """Return a set of (row, col) squares as its two words, (2,) uint64."""
    bits = sum(1 << (SIDE * row + col) for row, col in squares)
    return np.array([bits & ((1 << TOP_BITS) - 1), bits >> TOP_BITS], np.uint64)


def words_as_squares(words: Words) -> list[tuple[int, int]]:
    """Return two words as their (row, col) squares, row by row."""
    bits = int(words[0]) | int(words[1]) << TOP_BITS
    return [divmod(square, SIDE) for square in range(SQUARES) if bits >> square & 1]


def _units() -> tuple[Unit, ...]:
    starts = range(0, SIDE, BLOCK_SIDE)
    rows = [(row, 0, 1, SIDE) for row in range(SIDE)]
    cols = [(0, col, SIDE, 1) for col in range(SIDE)]
    blocks = [(row, col, BLOCK_SIDE, BLOCK_SIDE) for row in starts for col in starts]
    return (*rows, *cols, *blocks)


def _unit_words() -> Words:
    return np.stack(
        [
            squares_as_words([(row + r, col + c) for r in range(rows) for c in range(cols)])
            for row, col, rows, cols in UNITS
        ]
    )


def _boxes() -> NDArray[np.int64]:
    rows = [text.split("/") for _, text in SHAPES]
    return np.array([(len(lines), len(lines[0])) for lines in rows], np.int64)


def _offsets() -> Words:
    table = np.zeros((NUM_SHAPES, SQUARES), np.uint64)
    for shape in range(NUM_SHAPES):
        for n, (row, col) in enumerate(cells_of(shape)):
            table[shape, n] = SIDE * row + col
    return np.ascontiguousarray(table[:, : max(len(cells_of(s)) for s in range(NUM_SHAPES))])


def _box_anchors() -> Words:
    return np.stack(
        [
            squares_as_words(
                [(r, c) for r in range(SIDE - height + 1) for c in range(SIDE - width + 1)]
            )
            for height, width in BOXES.tolist()
        ]
    )


def _covered() -> Words:
    table = np.zeros((NUM_SHAPES, SQUARES, 2), np.uint64)
    for shape, (height, width) in enumerate(BOXES.tolist()):
        for row in range(SIDE - height + 1):
            for col in range(SIDE - width + 1):
                squares = [(row + r, col + c) for r, c in cells_of(shape)]
                table[shape, SIDE * row + col] = squares_as_words(squares)
    return table


def _planes() -> Words:
    codes = [sum(1 << (LONGEST * r + c) for r, c in cells_of(s)) for s in range(NUM_SHAPES)]
    return np.array([0, *codes], np.uint64)


#: The nine rows, then the nine columns, then the nine blocks.
UNITS = _units()
#: (27, 2) squares of each unit.
UNIT_WORDS = _unit_words()
#: (37,) squares of each shape.
SIZES = np.array([len(cells_of(shape)) for shape in range(NUM_SHAPES)], np.int64)
#: (37, 2) height and width of each shape's box.
BOXES = _boxes()
#: (37, 9) distance in bits of each square of a shape from its box's corner; 0 behind the last.
OFFSETS = _offsets()
#: (37, 2) anchors from which the shape's box lies on the quilt.
BOX_ANCHORS = _box_anchors()
#: (37, 81, 2) squares that a shape covers from an anchor; none where the box would hang over.
COVERED = _covered()
#: (38,) shape + 1 -> its squares in a 5 by 5 window, bit ``5 * row + col``; 0 -> none.
PLANES = _planes()
#: (37,) fabric of each shape.
FABRIC_OF_SHAPE = np.array([fabric_of(shape) for shape in range(NUM_SHAPES)], np.int64)

# The ids ascend with the size, so that each size class is a run of ids.
NUM_SMALL = int(np.count_nonzero(SIZES <= LARGEST_SMALL))
NUM_MEDIUM = int(np.count_nonzero(SIZES <= LARGEST_MEDIUM)) - NUM_SMALL
NUM_BIG = NUM_SHAPES - NUM_SMALL - NUM_MEDIUM
