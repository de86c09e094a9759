"""Search for Patchwork: from positions to the placements that follow, in compiled batches.

A node is what is left of a tray on a quilt, after some of its patches are sewn: one record of
`NODE`. Nodes of one game lie side by side, games in the order of their rows, so that a batch of
games is a flat array with R + 1 boundaries.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.bitboard import lowest_bit, popcount, without_lowest
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, mix
from quiltrail.envs.patchwork.engine import points_of, sew
from quiltrail.envs.patchwork.quilt import anchors, seams, single_holes
from quiltrail.envs.patchwork.rules import NUM_SLOTS, SIDE, SQUARES, USED
from quiltrail.envs.patchwork.tables import SIZES, TOP_BITS

NODE = np.dtype(
    [
        ("quilt", np.uint64, (2,)),  # filled squares after stitching, as in the engine's state
        ("points", np.int64),  # won since the root
        ("streak", np.int64),
        ("sewn", np.int64),
        ("parent", np.int64),  # index of the node before, in the layer before
        ("action", np.int16),  # flat placement that led here; -1 at a root
        ("tray", np.int8, (NUM_SLOTS,)),  # shape ids, -1 = sewn
    ],
    align=True,
)
Nodes = StateArray

#: What a quilt is worth after a placement, in points, (N,) float64, for (N,) nodes; it is added to
#: the points won on the way. It reads the fields quilt, streak, sewn and tray and changes nothing.
ValueFunction = Callable[[Nodes], NDArray[np.float64]]

SEAM_COST = 1
SINGLE_HOLE_COST = 2

_ROOT = -1
_ZERO = np.uint64(0)
_HALF = np.uint64(32)
_WORD = np.uint64(0xFFFFFFFF)


def planes(nodes: Nodes) -> NDArray[np.int8]:
    """Return the quilts of nodes as ones for filled squares, (N, 9, 9), for value functions."""
    top, bottom = nodes["quilt"][:, 0], nodes["quilt"][:, 1]
    places = np.arange(SQUARES, dtype=np.uint64)
    in_top = top[:, None] >> np.minimum(places, np.uint64(TOP_BITS))
    in_bottom = bottom[:, None] >> (np.maximum(places, np.uint64(TOP_BITS)) - np.uint64(TOP_BITS))
    filled = np.where(places < TOP_BITS, in_top, in_bottom) & np.uint64(1)
    return filled.astype(np.int8).reshape(-1, SIDE, SIDE)


@compiled
def _greedy_values(nodes: Nodes, values: NDArray[np.float64]) -> None:
    for n in range(nodes.shape[0]):
        top, bottom = nodes[n]["quilt"][0], nodes[n]["quilt"][1]
        cost = SEAM_COST * seams(top, bottom) + SINGLE_HOLE_COST * single_holes(top, bottom)
        values[n] = -cost


def greedy_value(nodes: Nodes) -> NDArray[np.float64]:
    """Return minus the seams, minus 2 for each single hole: the publisher's kind of player.

    Source: RULES, "Patchwork"; the two costs are ours.
    """
    values = np.empty(len(nodes), np.float64)
    _greedy_values(nodes, values)
    return values


@compiled
def write_root(node: Record, game: Record) -> None:
    """Write the node that a game stands at."""
    node["quilt"][0] = game["quilt"][0]
    node["quilt"][1] = game["quilt"][1]
    node["points"] = 0
    node["streak"] = game["streak"]
    node["sewn"] = game["sewn"]
    node["parent"] = _ROOT
    node["action"] = _ROOT
    for slot in range(NUM_SLOTS):
        node["tray"][slot] = game["tray"][slot]


@compiled
def _root_nodes(state: StateArray, rows: Rows, nodes: Nodes) -> None:
    for r in range(rows.shape[0]):
        write_root(nodes[r], state[rows[r]])


def root_nodes(state: StateArray, rows: Rows) -> Nodes:
    """Return one node for each of these rows of an engine's state."""
    nodes = np.empty(len(rows), NODE)
    _root_nodes(state, rows, nodes)
    return nodes


@compiled
def _is_repeat(node: Record, slot: int) -> bool:
    """Return whether an earlier slot holds the same shape, so that this one adds nothing."""
    for earlier in range(slot):  # noqa: SIM110  (a kernel: numba compiles no generators)
        if node["tray"][earlier] == node["tray"][slot]:
            return True
    return False


@compiled
def _count_children(nodes: Nodes, counts: NDArray[np.int64]) -> None:
    for n in range(nodes.shape[0]):
        node = nodes[n]
        counts[n] = 0
        for slot in range(NUM_SLOTS):
            shape = node["tray"][slot]
            if shape != USED and not _is_repeat(node, slot):
                top, bottom = anchors(node["quilt"][0], node["quilt"][1], shape)
                counts[n] += popcount(top) + popcount(bottom)


@compiled
def write_child(child: Record, parent: Record, index: int, slot: int, anchor: int) -> None:
    """Write the node behind a placement at a parent, which has this index in its layer."""
    shape = parent["tray"][slot]
    units, top, bottom = sew(parent["quilt"][0], parent["quilt"][1], shape, anchor)
    child["quilt"][0] = top
    child["quilt"][1] = bottom
    child["points"] = parent["points"] + points_of(SIZES[shape], units, parent["streak"])
    child["streak"] = parent["streak"] + 1 if units > 0 else 0
    child["sewn"] = parent["sewn"] + 1
    child["parent"] = index
    child["action"] = slot * SQUARES + anchor
    for other in range(NUM_SLOTS):
        child["tray"][other] = parent["tray"][other]
    child["tray"][slot] = USED


@compiled
def _write_children(nodes: Nodes, children: Nodes) -> None:
    """Write every child, by parent, slot and anchor, ascending."""
    at = 0
    for n in range(nodes.shape[0]):
        node = nodes[n]
        for slot in range(NUM_SLOTS):
            shape = node["tray"][slot]
            if shape == USED or _is_repeat(node, slot):
                continue
            top, bottom = anchors(node["quilt"][0], node["quilt"][1], shape)
            while top != _ZERO:
                write_child(children[at], node, n, slot, lowest_bit(top))
                top = without_lowest(top)
                at += 1
            while bottom != _ZERO:
                write_child(children[at], node, n, slot, TOP_BITS + lowest_bit(bottom))
                bottom = without_lowest(bottom)
                at += 1


def expand(nodes: Nodes, bounds: NDArray[np.int64]) -> tuple[Nodes, NDArray[np.int64]]:
    """Return every child of every node, and the boundaries of the games among them.

    Equal shapes in two slots are one choice, that of the first slot.
    """
    counts = np.empty(len(nodes), np.int64)
    _count_children(nodes, counts)
    ends = np.concatenate([[0], np.cumsum(counts)])
    children = np.empty(int(ends[-1]), NODE)
    _write_children(nodes, children)
    return children, ends[bounds]


@compiled
def _same(one: Record, other: Record) -> bool:
    """Return whether two nodes of one game lead to the same future."""
    return bool(
        one["quilt"][0] == other["quilt"][0]
        and one["quilt"][1] == other["quilt"][1]
        and one["streak"] == other["streak"]
        and one["tray"][0] == other["tray"][0]
        and one["tray"][1] == other["tray"][1]
        and one["tray"][2] == other["tray"][2]
    )


@compiled
def _slot_of(nodes: Nodes, n: int, first: int, table: NDArray[np.int64]) -> int:
    """Return the place in a hash table of the node that leads where node n does, or a free one.

    The table has a power of two of places; each holds a node's index from ``first`` on, or -1.
    """
    node = nodes[n]
    # Mulberry32 mixes 32 bits at a time.
    parts = (
        node["quilt"][0] & _WORD,
        node["quilt"][0] >> _HALF,
        node["quilt"][1] & _WORD,
        np.uint64(node["streak"]),
        np.uint64(node["tray"][0] + 1),
        np.uint64(node["tray"][1] + 1),
        np.uint64(node["tray"][2] + 1),
    )
    drawn = np.uint64(0)
    for part in parts:
        drawn = mix(advance(drawn ^ part))
    slot = int(np.int64(drawn)) & (len(table) - 1)
    while table[slot] >= 0 and not _same(nodes[first + table[slot]], node):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@compiled
def _keep_best(
    nodes: Nodes, totals: NDArray[np.float64], first: int, last: int, kept: NDArray[np.int64]
) -> int:
    """Write the best distinct nodes of one game, ascending; return how many.

    Of repeats the better one is kept, of equal totals the earlier node. A heap holds what is kept,
    the lowest total and the latest node on top; entries of nodes that a better repeat has replaced
    stay in it until they come up.
    """
    places = 2
    while places < 2 * (last - first):
        places *= 2
    table = np.full(places, -1, np.int64)
    in_heap = np.zeros(places, np.bool_)
    # An empty list whose entries numba can type: total, minus the node's index, place in the table.
    heap = [(0.0, 0, 0) for _ in range(0)]
    count = 0
    for n in range(last - first):
        total = totals[first + n]
        while count == len(kept) and table[heap[0][2]] != -heap[0][1]:
            heappop(heap)
        if count == len(kept) and total <= heap[0][0]:
            continue
        slot = _slot_of(nodes, first + n, first, table)
        if in_heap[slot]:
            if total <= totals[first + table[slot]]:
                continue
        elif count < len(kept):
            count += 1
        else:
            in_heap[heappop(heap)[2]] = False
        table[slot] = n
        in_heap[slot] = True
        heappush(heap, (total, -n, slot))
    at = 0
    for _, negative, slot in heap:
        if table[slot] == -negative:
            kept[at] = first - negative
            at += 1
    kept[:at].sort()
    return at


@compiled
def _keep_rows(
    nodes: Nodes,
    totals: NDArray[np.float64],
    bounds: NDArray[np.int64],
    width: int,
    kept: NDArray[np.int64],
    kept_bounds: NDArray[np.int64],
) -> None:
    at = 0
    for game in range(bounds.shape[0] - 1):
        kept_bounds[game] = at
        at += _keep_best(nodes, totals, bounds[game], bounds[game + 1], kept[at : at + width])
    kept_bounds[bounds.shape[0] - 1] = at


def keep_best(
    nodes: Nodes, totals: NDArray[np.float64], bounds: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the ``width`` best distinct nodes of each game, and the boundaries.

    Args:
        nodes: (N,) of all games.
        totals: (N,) what counts: points won plus the value.
        bounds: (R + 1,) boundaries of the games.
        width: how many to keep, at least 1.
    """
    kept = np.empty(width * (len(bounds) - 1), np.int64)
    kept_bounds = np.empty(len(bounds), np.int64)
    _keep_rows(nodes, totals, bounds, width, kept, kept_bounds)
    return kept[: kept_bounds[-1]], kept_bounds
