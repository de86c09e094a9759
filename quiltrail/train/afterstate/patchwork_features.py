"""What the learned value of Patchwork sees of a node: a few dozen table entries.

- The filled squares of 67 places: 9 rows, 9 columns, and 49 windows of 3 by 3 (n-tuples of 9).
- How many places each of the 9 big shapes has.
- How many places each patch has that is left in the tray.
- How many patches are left in the tray, together with the streak.
- How many squares are filled.

What is the same in a turned or reflected view of the quilt is one entry, so a value is exactly
equal in all eight views, and learns from all of them at once.

Source: n-tuple networks over after-states, Szubert, Jaskowski, "Temporal difference learning of
n-tuple networks for the game 2048", CIG 2014; the choice of tuples is ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchwork_search import Nodes
from quiltrail.core.array_types import Record
from quiltrail.core.bitboard import popcount
from quiltrail.core.jit import compiled
from quiltrail.envs.patchwork.quilt import anchors
from quiltrail.envs.patchwork.rules import BLOCK_SIDE, NUM_SHAPES, NUM_SLOTS, SIDE, SQUARES, USED
from quiltrail.envs.patchwork.symmetry import NUM_VIEWS, SHAPE_CLASSES, SQUARE_MAP
from quiltrail.envs.patchwork.tables import NUM_BIG, TOP_BITS, TOP_ROWS

_WINDOWS_A_ROW = SIDE - BLOCK_SIDE + 1
_NUM_TUPLES = 2 * SIDE + _WINDOWS_A_ROW**2
_TUPLE_BITS = 9
_NUM_PATTERNS = 1 << _TUPLE_BITS
_PATTERN = _NUM_PATTERNS - 1
_BLOCK_PATTERN = (1 << BLOCK_SIDE) - 1

_ROOM_STEPS = 16  # places of a shape are told apart up to 15
_STREAK_STEPS = 8


def _tuple_squares() -> NDArray[np.int64]:
    """Return the squares of every tuple in the order of its bits; windows go down, then across."""
    squares = np.arange(SQUARES).reshape(SIDE, SIDE)
    windows = [
        squares[row : row + BLOCK_SIDE, col : col + BLOCK_SIDE].T.ravel()
        for row in range(_WINDOWS_A_ROW)
        for col in range(_WINDOWS_A_ROW)
    ]
    return np.concatenate([squares, squares.T, np.stack(windows)])


def _pattern_entries() -> NDArray[np.int32]:
    """Return the entry of every tuple and pattern: the least of its eight images, numbered anew."""
    tuples = _tuple_squares()
    numbers = {frozenset(squares): n for n, squares in enumerate(tuples.tolist())}
    patterns = np.arange(_NUM_PATTERNS)
    least = np.full((_NUM_TUPLES, _NUM_PATTERNS), _NUM_TUPLES * _NUM_PATTERNS)
    for view in range(NUM_VIEWS):
        for n, squares in enumerate(tuples):
            image = SQUARE_MAP[view, squares].tolist()
            which = numbers[frozenset(image)]
            turned = np.zeros(_NUM_PATTERNS, np.int64)
            for bit, square in enumerate(image):
                place = tuples[which].tolist().index(square)
                turned |= (patterns >> bit & 1) << place
            least[n] = np.minimum(least[n], which * _NUM_PATTERNS + turned)
    _, entries = np.unique(least, return_inverse=True)
    return entries.reshape(least.shape).astype(np.int32)


def _spread() -> NDArray[np.int64]:
    """Return a row of 9 bits with two gaps behind each bit, in which other rows find room."""
    cols = np.arange(SIDE)
    bits = np.arange(_NUM_PATTERNS)[:, None] >> cols & 1
    spread: NDArray[np.int64] = (bits << BLOCK_SIDE * cols).sum(axis=1)
    return spread


#: (67, 512) tuple and pattern -> entry.
_PATTERN_ENTRIES = _pattern_entries()
_SPREAD = _spread()
_NUM_CLASSES = int(SHAPE_CLASSES.max()) + 1

# Where the entries of each kind begin.
_ROOM = int(_PATTERN_ENTRIES.max()) + 1
_TRAY = _ROOM + _NUM_CLASSES * _ROOM_STEPS
_LEFT = _TRAY + (NUM_SLOTS - 1) * _NUM_CLASSES * _ROOM_STEPS
_FILLED = _LEFT + (NUM_SLOTS + 1) * _STREAK_STEPS
#: How many entries there are in all.
NUM_ENTRIES = _FILLED + SQUARES + 1
#: How many of them are active at most; a quilt with an untouched tray counts as well.
MOST_ACTIVE = _NUM_TUPLES + NUM_BIG + NUM_SLOTS + 2

_ROW = np.uint64(_PATTERN)


@compiled
def _row(top: np.uint64, bottom: np.uint64, row: int) -> int:
    """Return the 9 bits of a row."""
    if row < TOP_ROWS:
        return int(np.int64((top >> np.uint64(SIDE * row)) & _ROW))
    return int(np.int64((bottom >> np.uint64(SIDE * row - TOP_BITS)) & _ROW))


@compiled
def _write_tuples(top: np.uint64, bottom: np.uint64, active: NDArray[np.int32]) -> None:
    """Write the entries of all rows, columns and windows.

    Three rows laced into one number hold the patterns of seven windows, and a third of each column.
    """
    lines = 0
    at = 2 * SIDE
    for row in range(_WINDOWS_A_ROW):
        first = _row(top, bottom, row)
        second = _row(top, bottom, row + 1)
        third = _row(top, bottom, row + 2)
        laced = _SPREAD[first] | _SPREAD[second] << 1 | _SPREAD[third] << 2
        for col in range(_WINDOWS_A_ROW):
            pattern = (laced >> (BLOCK_SIDE * col)) & _PATTERN
            active[at] = _PATTERN_ENTRIES[at, pattern]
            at += 1
        if row % BLOCK_SIDE == 0:
            active[lines] = _PATTERN_ENTRIES[lines, first]
            active[lines + 1] = _PATTERN_ENTRIES[lines + 1, second]
            active[lines + 2] = _PATTERN_ENTRIES[lines + 2, third]
            for col in range(SIDE):
                part = (laced >> (BLOCK_SIDE * col)) & _BLOCK_PATTERN
                active[SIDE + col] = part << row | (active[SIDE + col] if row > 0 else 0)
            lines += BLOCK_SIDE
    for line in range(SIDE, 2 * SIDE):
        active[line] = _PATTERN_ENTRIES[line, active[line]]


@compiled
def _room(top: np.uint64, bottom: np.uint64, shape: int) -> int:
    """Return the class of a shape together with how many places it has."""
    places_top, places_bottom = anchors(top, bottom, shape)
    places = popcount(places_top) + popcount(places_bottom)
    return int(SHAPE_CLASSES[shape]) * _ROOM_STEPS + min(places, _ROOM_STEPS - 1)


@compiled
def _write_node(node: Record, active: NDArray[np.int32]) -> int:
    """Write the active entries of a node, up to `MOST_ACTIVE`; return how many there are."""
    top, bottom = node["quilt"][0], node["quilt"][1]
    _write_tuples(top, bottom, active)
    count = _NUM_TUPLES
    for shape in range(NUM_SHAPES - NUM_BIG, NUM_SHAPES):
        active[count] = _ROOM + _room(top, bottom, shape)
        count += 1
    left = 0
    for slot in range(NUM_SLOTS):
        left += node["tray"][slot] != USED
    tray = _TRAY + max(0, min(left, NUM_SLOTS - 1) - 1) * _NUM_CLASSES * _ROOM_STEPS
    for slot in range(NUM_SLOTS):
        shape = node["tray"][slot]
        if shape != USED:
            active[count] = tray + _room(top, bottom, shape)
            count += 1
    active[count] = _LEFT + left * _STREAK_STEPS + min(node["streak"], _STREAK_STEPS - 1)
    active[count + 1] = _FILLED + popcount(top) + popcount(bottom)
    return count + 2


@compiled
def write_active_entries(
    nodes: Nodes, active: NDArray[np.int32], counts: NDArray[np.int64]
) -> None:
    """Write the active entries of nodes (N,) into (N, `MOST_ACTIVE`), and how many, (N,)."""
    for n in range(nodes.shape[0]):
        counts[n] = _write_node(nodes[n], active[n])
