"""Positions of Patchrook as small records, and what one placement makes of them.

A node is what decides whether a quilt can still be completed: its empty squares and the shapes in
the tray, congruent patches alike. Only placements on the lowest empty square are looked at; they
lay every cover in exactly one order, and that takes rules alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.bitboard import lowest_bit
from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook.position import empty_squares
from quiltrail.envs.patchrook.rules import IN_TRAY, MAX_ORIENTATIONS, MAX_PATCHES, NUM_SQUARES
from quiltrail.envs.patchrook.shapes import COVERED, NO_SHAPE, ORIENTATION_COUNTS

Nodes = NDArray[np.void]
#: Takes nodes (N,) and returns for each the chance that its quilt gets completed, (N,) in 0 .. 1.
ChanceFunction = Callable[[Nodes], NDArray[np.float64]]

NODE = np.dtype(
    [
        ("empty", np.int64),  # bit 5 * y + x
        ("tray", np.int8, (MAX_PATCHES,)),  # shape ids, descending, 0 behind the last
        ("shape", np.int8),  # what the placement that led here has laid
        ("place", np.int16),  # and where: 25 * orientation + square
    ],
    align=True,
)

_MOST_CHILDREN = MAX_PATCHES * MAX_ORIENTATIONS


@compiled
def _write_nodes(state: StateArray, rows: Rows, nodes: Nodes, *, fresh: bool) -> None:
    for r in range(rows.shape[0]):
        game = state[rows[r]]
        node = nodes[r]
        node["empty"] = np.int64(np.uint64(game["usable"]) if fresh else empty_squares(game))
        tray = node["tray"]
        for patch in range(MAX_PATCHES):
            is_left = fresh or game["placed"][patch] == IN_TRAY
            tray[patch] = -game["shape"][patch] if is_left else NO_SHAPE
        tray.sort()  # numba sorts upwards only, so the ids are negative meanwhile
        for patch in range(MAX_PATCHES):
            tray[patch] = -tray[patch]


def nodes_of(state: StateArray, rows: Rows, *, fresh: bool = False) -> Nodes:
    """Return the positions of games as nodes, (R,); ``fresh`` for those before any placement."""
    nodes = np.zeros(len(rows), NODE)
    _write_nodes(state, rows, nodes, fresh=fresh)
    return nodes


@compiled
def write_child(child: Record, parent: Record, at: int, place: int) -> None:
    """Write what becomes of a node when the shape at a place of its tray is laid."""
    shape = parent["tray"][at]
    child["empty"] = parent["empty"] ^ np.int64(COVERED[shape, place])
    for other in range(MAX_PATCHES - 1):
        child["tray"][other] = parent["tray"][other + int(other >= at)]
    child["tray"][MAX_PATCHES - 1] = NO_SHAPE
    child["shape"] = shape
    child["place"] = place


@compiled
def _write_children(nodes: Nodes, children: Nodes, bounds: NDArray[np.int64]) -> None:
    count = 0
    for n in range(nodes.shape[0]):
        node = nodes[n]
        bounds[n] = count
        empty = node["empty"]
        square = lowest_bit(np.uint64(empty)) if empty != 0 else 0
        for at in range(MAX_PATCHES):
            shape = node["tray"][at]
            if shape == NO_SHAPE or (at > 0 and node["tray"][at - 1] == shape):
                continue
            for orientation in range(ORIENTATION_COUNTS[shape]):
                place = NUM_SQUARES * orientation + square
                covered = np.int64(COVERED[shape, place])
                if covered != 0 and covered & ~empty == 0:
                    write_child(children[count], node, at, place)
                    count += 1
    bounds[nodes.shape[0]] = count


def expand(nodes: Nodes) -> tuple[Nodes, NDArray[np.int64]]:
    """Return every child of every node, and (N + 1,) boundaries between the nodes' children."""
    children = np.zeros(_MOST_CHILDREN * len(nodes), NODE)
    bounds = np.zeros(len(nodes) + 1, np.int64)
    _write_children(nodes, children, bounds)
    return children[: bounds[-1]], bounds


def even_chance(nodes: Nodes) -> NDArray[np.float64]:
    """Return the same chance for every node: the `ChanceFunction` of one who has no idea."""
    return np.full(len(nodes), 0.5)
