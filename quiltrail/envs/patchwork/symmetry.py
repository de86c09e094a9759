"""Patchwork's symmetry: the eight turns and reflections of the square.

View v shows the quilt flipped left to right if v >= 4, then turned clockwise v % 4 times. A shape
becomes another of the 37 shapes of the same size, hence of the same weight, so the rules and the
chances are the same in every view. (The deal itself is not turned: it numbers shapes, and the same
random number stands for the same shape in every view.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.symmetry import Observations, Symmetry, Views
from quiltrail.envs.patchwork.rules import (
    FINISH,
    LONGEST,
    NUM_SHAPES,
    NUM_SLOTS,
    REVIVE,
    SIDE,
    SQUARES,
    cells_of,
)
from quiltrail.envs.patchwork.tables import BOXES, PLANES

NUM_VIEWS = 8
_TURNS = 4

_WINDOW = LONGEST * LONGEST
_Square = tuple[int, int]


def turned(square: _Square, box: _Square, view: int) -> _Square:
    """Return where a square (row, col) of a box (height, width) lies in a view of the box."""
    (row, col), (height, width) = square, box
    if view >= _TURNS:
        col = width - 1 - col
    for _ in range(view % _TURNS):
        row, col = col, height - 1 - row
        height, width = width, height
    return row, col


def _square_map() -> NDArray[np.int64]:
    table = np.zeros((NUM_VIEWS, SQUARES), np.int64)
    for view in range(NUM_VIEWS):
        for square in range(SQUARES):
            row, col = turned(divmod(square, SIDE), (SIDE, SIDE), view)
            table[view, square] = SIDE * row + col
    return table


def _inverse_views() -> NDArray[np.int64]:
    same = [[(b[a] == np.arange(SQUARES)).all() for b in SQUARE_MAP] for a in SQUARE_MAP]
    inverse: NDArray[np.int64] = np.array(same).argmax(axis=1)
    return inverse


def _shape_map() -> NDArray[np.int64]:
    cells = [frozenset(cells_of(shape)) for shape in range(NUM_SHAPES)]
    table = np.zeros((NUM_VIEWS, NUM_SHAPES + 1), np.int64)
    for view in range(NUM_VIEWS):
        for shape in range(NUM_SHAPES):
            box = (int(BOXES[shape, 0]), int(BOXES[shape, 1]))
            image = frozenset(turned(cell, box, view) for cell in cells[shape])
            table[view, shape + 1] = cells.index(image) + 1
    return table


def _shape_classes() -> NDArray[np.int32]:
    """Return which shapes are the same but for turns and reflections, numbered from 0."""
    least = SHAPE_MAP[:, 1:].min(axis=0)
    _, classes = np.unique(least, return_inverse=True)
    return classes.astype(np.int32)


def _anchor_map() -> NDArray[np.int64]:
    """Return anchors in a view: the corner of the turned box, counted around the rim.

    An anchor from which the box hangs over becomes another such anchor, so that the map is a
    permutation of all 81, and a group action.
    """
    boxes = [(1, 1), *((int(height), int(width)) for height, width in BOXES)]
    table = np.zeros((NUM_VIEWS, len(boxes), SQUARES), np.int64)
    for view in range(NUM_VIEWS):
        for which, (height, width) in enumerate(boxes):
            for anchor in range(SQUARES):
                row, col = divmod(anchor, SIDE)
                corners = [(row, col), (row + height - 1, col + width - 1)]
                images = [turned(corner, (SIDE, SIDE), view) for corner in corners]
                row, col = min(r for r, _ in images), min(c for _, c in images)
                table[view, which, anchor] = SIDE * (row % SIDE) + col % SIDE
    return table


def _windows() -> NDArray[np.int8]:
    bits = PLANES[:, None] >> np.arange(_WINDOW, dtype=np.uint64) & np.uint64(1)
    return bits.astype(np.int8)


#: (8, 81) where each square lies in a view.
SQUARE_MAP = _square_map()
#: (8,) the view that undoes each view.
INVERSE_VIEWS = _inverse_views()
#: (8, 38) shape + 1 -> its image + 1 in a view; 0, no patch, stays 0.
SHAPE_MAP = _shape_map()
#: (37,) shape -> class of shapes that turn into each other, ascending with the size.
SHAPE_CLASSES = _shape_classes()
#: (8, 38, 81) shape + 1 and anchor -> anchor of the image in a view.
ANCHOR_MAP = _anchor_map()
#: (38, 25) shape + 1 -> its squares in the observation's window of 5 by 5.
_WINDOWS = _windows()

_PLANE_ORDER = np.argsort(PLANES)
_WINDOW_BITS = (1 << np.arange(_WINDOW)).astype(np.uint64)


def shapes_in(trays: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the shapes of observed trays (B, 3, 25), shape + 1 or 0 for none, (B, 3)."""
    codes = (trays.astype(np.uint64) * _WINDOW_BITS).sum(axis=-1, dtype=np.uint64)
    places = np.searchsorted(PLANES, codes, sorter=_PLANE_ORDER)
    shapes: NDArray[np.int64] = _PLANE_ORDER[places]
    return shapes


class PatchworkSymmetry(Symmetry):
    """The dihedral group of the square on quilt, tray and action index.

    Args:
        revive: whether the action space has the actions revive and finish.
    """

    order = NUM_VIEWS
    inverse = INVERSE_VIEWS

    def __init__(self, *, revive: bool = False) -> None:
        self.num_actions = FINISH + 1 if revive else REVIVE

    def turn_observations(
        self, observations: Observations, views: Views
    ) -> dict[str, NDArray[Any]]:
        """Return observations with quilt and tray turned; the other fields stay as they are."""
        quilt, tray = observations["quilt"], observations["tray"]
        sources = SQUARE_MAP[self.inverse[views]]
        flat = quilt.reshape(len(quilt), SQUARES)
        windows = _WINDOWS[SHAPE_MAP[views[:, None], shapes_in(tray)]]
        return {
            **observations,
            "quilt": np.take_along_axis(flat, sources, axis=1).reshape(quilt.shape),
            "tray": windows.astype(tray.dtype, copy=False),
        }

    def action_map(self, observations: Observations, views: Views) -> NDArray[np.int64]:
        """Return which action of the view each action of the game is, (B, A) permutations."""
        shapes = shapes_in(observations["tray"])
        anchors = ANCHOR_MAP[views[:, None], shapes]  # (B, 3, 81)
        places = anchors + SQUARES * np.arange(NUM_SLOTS)[:, None]
        rest = np.broadcast_to(
            np.arange(REVIVE, self.num_actions), (len(views), self.num_actions - REVIVE)
        )
        return np.concatenate([places.reshape(len(views), REVIVE), rest], axis=1)
