"""Patchrook as a puzzle: the chance that a quilt still gets completed, by empty squares and tray.

What the network sees takes the rules alone: the empty squares, how many patches of each shape are
left, in how many ways each shape fits anywhere, and in how many placements each square is covered.
A square that none covers will stay empty.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.patchrook_explorer import PatchrookExplorer
from quiltrail.agents.patchrook_nodes import NODE, Nodes, expand, nodes_of
from quiltrail.core.array_types import Record, Rows
from quiltrail.core.bitboard import lowest_bit, without_lowest
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook.position import free_anchors
from quiltrail.envs.patchrook.rules import MAX_PATCHES, NUM_SQUARES
from quiltrail.envs.patchrook.shapes import COVERED, NO_SHAPE, ORIENTATION_COUNTS, SHAPE_NAMES
from quiltrail.train.puzzle.puzzle import Children, Puzzle
from quiltrail.train.puzzle.value import shipped_value

_SHAPES = len(SHAPE_NAMES) - 1
# Where each group of features begins.
_EMPTY = 0
_COVERS = _EMPTY + NUM_SQUARES
_BARE = _COVERS + NUM_SQUARES
_COUNTS = _BARE + NUM_SQUARES
_FITS = _COUNTS + _SHAPES
_LEFT = _FITS + _SHAPES
_NUM_FEATURES = _LEFT + MAX_PATCHES

_MOST_COUNTED = 16  # placements
_SCALE = 8.0  # placements that count as 1

_ZERO = np.uint64(0)


@compiled
def _count_placements(shape: int, empty: np.uint64, covers: NDArray[np.int64]) -> int:
    """Count the placements of a shape; add to each square those that cover it."""
    count = 0
    for orientation in range(ORIENTATION_COUNTS[shape]):
        anchors = free_anchors(shape, orientation, empty)
        while anchors != _ZERO:
            square = lowest_bit(anchors)
            anchors = without_lowest(anchors)
            count += 1
            covered = np.uint64(COVERED[shape, NUM_SQUARES * orientation + square])
            while covered != _ZERO:
                covers[lowest_bit(covered)] += 1
                covered = without_lowest(covered)
    return count


@compiled
def _encode_tray(node: Record, covers: NDArray[np.int64], seen: NDArray[np.float32]) -> None:
    """Write counts and fits of the shapes in the tray; count the placements on each square."""
    left = 0
    for at in range(MAX_PATCHES):
        shape = node["tray"][at]
        if shape == NO_SHAPE:
            break
        left += 1
        seen[_COUNTS + shape - 1] += 1
        if at == 0 or node["tray"][at - 1] != shape:
            fits = _count_placements(shape, np.uint64(node["empty"]), covers)
            seen[_FITS + shape - 1] = min(fits, _MOST_COUNTED) / _SCALE
    if left > 0:
        seen[_LEFT + left - 1] = 1


@compiled
def _encode(nodes: Nodes, seen: NDArray[np.float32]) -> None:
    covers = np.zeros(NUM_SQUARES, np.int64)
    for n in range(nodes.shape[0]):
        covers[:] = 0
        _encode_tray(nodes[n], covers, seen[n])
        for square in range(NUM_SQUARES):
            if nodes[n]["empty"] >> square & 1:
                seen[n, _EMPTY + square] = 1
                seen[n, _COVERS + square] = min(covers[square], _MOST_COUNTED) / _SCALE
                seen[n, _BARE + square] = covers[square] == 0


class PatchrookPuzzle(Puzzle):
    """One attempt at a quilt: placements on the lowest empty square until it is full or stuck."""

    name = "patchrook"
    features = _NUM_FEATURES
    most_moves = MAX_PATCHES
    step = 0.0
    goal = 1.0
    dead_end = 0.0
    is_chance = True

    def blank(self, count: int) -> Nodes:
        """Return room for nodes."""
        return np.zeros(count, NODE)

    def starts(self, engine: Engine, rows: Rows) -> Nodes:
        """Return the quilts as they are dealt."""
        return nodes_of(engine.state, rows, fresh=True)

    def expand(self, positions: Nodes) -> Children:
        """Return every placement on the lowest empty square."""
        children, bounds = expand(positions)
        return Children(children, bounds, children["empty"] == 0)

    def encode(self, positions: Nodes) -> NDArray[np.float32]:
        """Return the features of nodes."""
        seen = np.zeros((len(positions), _NUM_FEATURES), np.float32)
        _encode(positions, seen)
        return seen

    def player(self, scores: Any) -> PatchrookExplorer:
        """Return the player that looks one move ahead."""
        return PatchrookExplorer(scores)


@cache
def _shipped() -> Any:
    return shipped_value(PatchrookPuzzle())


def learned_chance(nodes: Nodes) -> NDArray[np.float64]:
    """Return the chance of nodes by the weights that come with the package.

    Its name for agents is "quiltrail.train.puzzle.patchrook:learned_chance".
    """
    chance: NDArray[np.float64] = _shipped().scores(nodes)
    return chance
