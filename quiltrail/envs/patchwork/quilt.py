"""The quilt's bit work: where a patch fits, what is stitched away, seams and single holes.

Every function takes and returns a set of squares as two words (top, bottom); see `tables`.
"""

from __future__ import annotations

import numpy as np

from quiltrail.core.bitboard import popcount
from quiltrail.core.jit import compiled
from quiltrail.envs.patchwork.rules import BLOCK_SIDE, SIDE
from quiltrail.envs.patchwork.tables import (
    BOX_ANCHORS,
    OFFSETS,
    SIZES,
    TOP_BITS,
    squares_as_words,
)


def _squares_in(rows: range, cols: range) -> tuple[np.uint64, np.uint64]:
    top, bottom = squares_as_words([(row, col) for row in rows for col in cols])
    return top, bottom


_ALL = range(SIDE)
TOP, BOTTOM = _squares_in(_ALL, _ALL)
_FIRST_COL_TOP, _FIRST_COL_BOTTOM = _squares_in(_ALL, range(1))
_LAST_COL_TOP, _LAST_COL_BOTTOM = _squares_in(_ALL, range(SIDE - 1, SIDE))
_FIRST_ROW = _squares_in(range(1), _ALL)[0]
_LAST_ROW = _squares_in(range(SIDE - 1, SIDE), _ALL)[1]
_BLOCK_STARTS = _squares_in(range(1), range(0, SIDE, BLOCK_SIDE))[0]

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)
_EIGHT = np.uint64(8)
_ROW_1 = np.uint64(SIDE)
_ROW_2 = np.uint64(2 * SIDE)
_ROW_3 = np.uint64(3 * SIDE)
_ROW_4 = np.uint64(4 * SIDE)
_TOP_BITS = np.uint64(TOP_BITS)
_BLOCKS_AT = np.uint64(TOP_BITS + SIDE)
_BLOCK_ROW = np.uint64((1 << BLOCK_SIDE) - 1)


@compiled
def anchors(top: np.uint64, bottom: np.uint64, shape: int) -> tuple[np.uint64, np.uint64]:
    """Return every anchor from which a shape fits on this quilt."""
    empty_top = ~top & TOP
    empty_bottom = ~bottom & BOTTOM
    fits_top = BOX_ANCHORS[shape, 0]
    fits_bottom = BOX_ANCHORS[shape, 1]
    for n in range(SIZES[shape]):
        offset = OFFSETS[shape, n]
        fits_top &= (empty_top >> offset) | (empty_bottom << (_TOP_BITS - offset))
        fits_bottom &= empty_bottom >> offset
    return fits_top, fits_bottom


@compiled
def fits_somewhere(top: np.uint64, bottom: np.uint64, shape: int) -> bool:
    """Return whether a shape has a place on this quilt."""
    fits_top, fits_bottom = anchors(top, bottom, shape)
    return bool((fits_top | fits_bottom) != _ZERO)


@compiled
def _row_starts(rows: np.uint64) -> np.uint64:
    """Return the first squares of the full rows of one word."""
    runs = rows & (rows >> _ONE)
    runs &= runs >> _TWO
    runs &= runs >> _FOUR
    return runs & (rows >> _EIGHT)


@compiled
def _full_columns(top: np.uint64, bottom: np.uint64) -> np.uint64:
    """Return the full columns as one row of bits."""
    pairs = top & (top >> _ROW_1)
    lower = bottom & (bottom >> _ROW_1)
    lower &= lower >> _ROW_2
    return pairs & (pairs >> _ROW_2) & (top >> _ROW_4) & lower & _FIRST_ROW


@compiled
def _full_blocks(top: np.uint64, bottom: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the top-left columns of the full blocks, one row of bits for each band."""
    t = top & (top >> _ONE) & (top >> _TWO)
    b = bottom & (bottom >> _ONE) & (bottom >> _TWO)
    first = t & (t >> _ROW_1) & (t >> _ROW_2) & _BLOCK_STARTS
    second = (t >> _ROW_3) & (t >> _ROW_4) & b & _BLOCK_STARTS
    third = (b >> _ROW_1) & (b >> _ROW_2) & (b >> _ROW_3) & _BLOCK_STARTS
    return first, second, third


@compiled
def _block_squares(
    first: np.uint64, second: np.uint64, third: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return the squares of blocks given as `_full_blocks` gives them."""
    first = first * _BLOCK_ROW
    second = second * _BLOCK_ROW
    third = third * _BLOCK_ROW
    top = first | (first << _ROW_1) | (first << _ROW_2)
    top |= (second << _ROW_3) | (second << _ROW_4)
    bottom = second | (third << _ROW_1) | (third << _ROW_2) | (third << _ROW_3)
    return top, bottom


@compiled
def full_units(top: np.uint64, bottom: np.uint64) -> tuple[int, np.uint64, np.uint64]:
    """Return how many rows, columns and blocks are full, and the squares of all of them."""
    rows_top = _row_starts(top) & _FIRST_COL_TOP
    rows_bottom = _row_starts(bottom) & _FIRST_COL_BOTTOM
    columns = _full_columns(top, bottom)
    first, second, third = _full_blocks(top, bottom)
    # Every unit has one bit in one word: rows below, then columns, then blocks.
    units = rows_top | (rows_bottom << _ONE) | (columns << _TOP_BITS)
    units |= (first | (second << _ONE) | (third << _TWO)) << _BLOCKS_AT
    if units == _ZERO:
        return 0, _ZERO, _ZERO
    squares_top, squares_bottom = _block_squares(first, second, third)
    squares_top |= (rows_top << _ROW_1) - rows_top
    squares_bottom |= (rows_bottom << _ROW_1) - rows_bottom
    squares_top |= columns * _FIRST_COL_TOP
    squares_bottom |= columns * _FIRST_COL_BOTTOM
    return popcount(units), squares_top, squares_bottom


@compiled
def seams(top: np.uint64, bottom: np.uint64) -> int:
    """Return how many neighbouring pairs are one filled and one empty square."""
    across_top = (top ^ (top >> _ONE)) & TOP & ~_LAST_COL_TOP
    across_bottom = (bottom ^ (bottom >> _ONE)) & BOTTOM & ~_LAST_COL_BOTTOM
    down_top = (top ^ ((top >> _ROW_1) | (bottom << _ROW_4))) & TOP
    down_bottom = (bottom ^ (bottom >> _ROW_1)) & BOTTOM & ~_LAST_ROW
    return (
        popcount(across_top) + popcount(across_bottom) + popcount(down_top) + popcount(down_bottom)
    )


@compiled
def single_holes(top: np.uint64, bottom: np.uint64) -> int:
    """Return how many empty squares have only filled squares or the rim around them."""
    above_top = (top << _ROW_1) | _FIRST_ROW
    above_bottom = (bottom << _ROW_1) | (top >> _ROW_4)
    below_top = (top >> _ROW_1) | (bottom << _ROW_4)
    below_bottom = (bottom >> _ROW_1) | _LAST_ROW
    beside_top = (top << _ONE) | _FIRST_COL_TOP
    beside_top &= (top >> _ONE) | _LAST_COL_TOP
    beside_bottom = (bottom << _ONE) | _FIRST_COL_BOTTOM
    beside_bottom &= (bottom >> _ONE) | _LAST_COL_BOTTOM
    holes_top = ~top & above_top & below_top & beside_top & TOP
    holes_bottom = ~bottom & above_bottom & below_bottom & beside_bottom & BOTTOM
    return popcount(holes_top) + popcount(holes_bottom)
