"""The nineteen patch shapes of 3 to 5 squares: orientations, buttons, and tables by shape id.

A shape id is a place in `SHAPE_NAMES`; id 0 is no patch, so that tables answer for it too. Bit
``5 * y + x`` of a board word is the square (x, y) of the 5 x 5 grid.

Source: the published rules of Patchrook for orientations and the button; the ids are ours.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from quiltrail.envs.patchrook.rules import BOARD_SIZE, MAX_ORIENTATIONS, NUM_PLACES, NUM_SQUARES

Cell = tuple[int, int]  # (x, y), y down
Cells = tuple[Cell, ...]

_DRAWINGS = {
    "I3": "###",
    "L3": "##/#.",
    "I4": "####",
    "O4": "##/##",
    "T4": "###/.#.",
    "L4": "###/#..",
    "S4": ".##/##.",
    "F5": ".##/##./.#.",
    "I5": "#####",
    "L5": "####/#...",
    "N5": "##../.###",
    "P5": "##/##/#.",
    "T5": "###/.#./.#.",
    "U5": "#.#/###",
    "V5": "#../#../###",
    "W5": "#../##./.##",
    "X5": ".#./###/.#.",
    "Y5": "####/.#..",
    "Z5": "##./.#./.##",
}
NO_SHAPE = 0
SHAPE_NAMES = ("", *_DRAWINGS)
_MAX_REST = 4  # squares of the largest patch beside its button


def orientations_of(cells: Iterable[Cell]) -> tuple[Cells, ...]:
    """Return every orientation of a patch, each row-major in its bounding box, in published order.

    Four clockwise quarter-turns of the patch and of its mirror image, sorted by the text
    "x,y;x,y;.." of their row-major cells.
    """
    patch = tuple(cells)
    found: dict[str, Cells] = {}
    for start in (patch, tuple((-x, y) for x, y in patch)):
        turned = start
        for _ in range(4):
            shifted = _normalized(turned)
            found[";".join(f"{x},{y}" for x, y in shifted)] = shifted
            turned = tuple((-y, x) for x, y in turned)
    return tuple(found[key] for key in sorted(found))


def button_of(cells: Cells) -> Cell:
    """Return the cell a placement names: the first in row-major order."""
    return min(cells, key=lambda cell: (cell[1], cell[0]))


def covered_cells(cells: Cells, x: int, y: int) -> Cells:
    """Return the board squares that an orientation covers with its button at (x, y)."""
    button_x, button_y = button_of(cells)
    return tuple((x + cell_x - button_x, y + cell_y - button_y) for cell_x, cell_y in cells)


def shape_of(cells: Iterable[Cell]) -> int:
    """Return the shape id of a patch in any orientation."""
    return _IDS[orientations_of(cells)[0]]


def cells_drawn(rows: Iterable[str], mark: str) -> Cells:
    """Return the cells that hold a mark in a drawing of text rows."""
    return tuple((x, y) for y, row in enumerate(rows) for x, at in enumerate(row) if at == mark)


def bits_of(cells: Iterable[Cell]) -> int:
    """Return the board word of some squares of the grid."""
    return sum(1 << (BOARD_SIZE * y + x) for x, y in cells)


def _normalized(cells: Cells) -> Cells:
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return tuple(sorted(((x - left, y - top) for x, y in cells), key=lambda cell: cell[::-1]))


def _is_on_grid(cells: Cells) -> bool:
    return all(0 <= x < BOARD_SIZE and 0 <= y < BOARD_SIZE for x, y in cells)


def _all_orientations() -> tuple[tuple[Cells, ...], ...]:
    drawn = (cells_drawn(drawing.split("/"), "#") for drawing in _DRAWINGS.values())
    return ((), *(orientations_of(cells) for cells in drawn))


#: Shape id -> its orientations, each a tuple of (x, y) cells.
ORIENTATIONS = _all_orientations()
_IDS = {found[0]: shape for shape, found in enumerate(ORIENTATIONS) if found}


def _orientation_counts() -> NDArray[np.int64]:
    return np.array([len(found) for found in ORIENTATIONS], np.int64)


def _covered() -> NDArray[np.uint32]:
    table = np.zeros((len(ORIENTATIONS), NUM_PLACES), np.uint32)
    for shape, found in enumerate(ORIENTATIONS):
        for orientation, cells in enumerate(found):
            for square in range(NUM_SQUARES):
                y, x = divmod(square, BOARD_SIZE)
                covered = covered_cells(cells, x, y)
                if _is_on_grid(covered):
                    table[shape, NUM_SQUARES * orientation + square] = bits_of(covered)
    return table


def _anchors() -> NDArray[np.uint32]:
    on_grid = (COVERED != 0).reshape(-1, MAX_ORIENTATIONS, NUM_SQUARES)
    weights = np.uint32(1) << np.arange(NUM_SQUARES, dtype=np.uint32)
    squares: NDArray[np.uint32] = (on_grid * weights).sum(axis=2, dtype=np.uint32)
    return squares


def _rest() -> NDArray[np.uint8]:
    table = np.zeros((len(ORIENTATIONS), MAX_ORIENTATIONS, _MAX_REST), np.uint8)
    for shape, found in enumerate(ORIENTATIONS):
        for orientation, cells in enumerate(found):
            x, y = button_of(cells)
            steps = sorted(BOARD_SIZE * (cell_y - y) + cell_x - x for cell_x, cell_y in cells)
            table[shape, orientation, : len(steps) - 1] = steps[1:]
    return table


def _planes() -> NDArray[np.int8]:
    shape = (len(ORIENTATIONS), MAX_ORIENTATIONS, BOARD_SIZE, BOARD_SIZE)
    table = np.zeros(shape, np.int8)
    for one, found in enumerate(ORIENTATIONS):
        for orientation, cells in enumerate(found):
            for x, y in cells:
                table[one, orientation, y, x] = 1
    return table


#: (20,) how many orientations a shape has.
ORIENTATION_COUNTS = _orientation_counts()
#: (20, 200) the board word that a placement covers, 0 if it does not exist or leaves the grid.
COVERED = _covered()
#: (20, 8) the squares where the button of an orientation can lie on the empty grid.
ANCHORS = _anchors()
#: (20, 8, 4) bit distances from the button to the other squares, 0 where there are fewer.
REST = _rest()
#: (20, 8, 5, 5) each orientation drawn in the top left corner.
PLANES = _planes()
