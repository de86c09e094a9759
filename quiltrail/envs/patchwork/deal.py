"""Patchwork's chance: the dealing schedule, the deal with its tries, the revive's small patches.

Source: RULES, "Patchwork"; the weights are ours, calibrated on the two published facts.
"""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, below, mix
from quiltrail.envs.patchwork.quilt import fits_somewhere
from quiltrail.envs.patchwork.rules import (
    DEAL_TRIES,
    FIRST_BIG_WEIGHT,
    MEDIUM_WEIGHT,
    NUM_SLOTS,
    PATCHES_PER_LEVEL,
    SMALL_WEIGHT,
)
from quiltrail.envs.patchwork.tables import NUM_BIG, NUM_MEDIUM, NUM_SMALL

_SMALL_TOTAL = NUM_SMALL * SMALL_WEIGHT
_MEDIUM_TOTAL = NUM_MEDIUM * MEDIUM_WEIGHT


@compiled
def big_weight(sewn: int) -> int:
    """Return the weight of each big shape after so many patches sewn."""
    return FIRST_BIG_WEIGHT + sewn // PATCHES_PER_LEVEL


@compiled
def shape_at(x: int, big: int) -> int:
    """Return the shape that a draw x below the total stands for.

    It is the first shape, in id order, whose weight is above what is left of x when the weights
    of the shapes before it are taken off; each size class is a run of ids with one weight.
    """
    if x < _SMALL_TOTAL:
        return x // SMALL_WEIGHT
    x -= _SMALL_TOTAL
    if x < _MEDIUM_TOTAL:
        return NUM_SMALL + x // MEDIUM_WEIGHT
    return NUM_SMALL + NUM_MEDIUM + (x - _MEDIUM_TOTAL) // big


@compiled
def draw_set(game: Record, big: int) -> None:
    """Draw a whole set into the tray: three independent draws with repeats."""
    total = _SMALL_TOTAL + _MEDIUM_TOTAL + NUM_BIG * big
    cursor = np.uint64(game["cursor"])
    for slot in range(NUM_SLOTS):
        cursor = advance(cursor)
        game["tray"][slot] = shape_at(below(mix(cursor), total), big)
    game["cursor"] = cursor


@compiled
def deal(game: Record) -> None:
    """Deal a set that has a patch with a place on the quilt, or the last one tried."""
    big = big_weight(game["sewn"])
    for _ in range(DEAL_TRIES):
        draw_set(game, big)
        if some_patch_fits(game):
            return


@compiled
def some_patch_fits(game: Record) -> bool:
    """Return whether a patch of the tray has a place on the quilt."""
    top, bottom = game["quilt"][0], game["quilt"][1]
    for slot in range(NUM_SLOTS):
        shape = game["tray"][slot]
        if shape >= 0 and fits_somewhere(top, bottom, shape):
            return True
    return False


@compiled
def hand_out_small(game: Record) -> None:
    """Replace the tray by three small patches, each with a place of its own on the quilt.

    Drawn by the dealing weights, which are equal among small shapes, so each draw picks evenly
    from those that fit, in id order. The single square always fits: a quilt is never full.
    """
    top, bottom = game["quilt"][0], game["quilt"][1]
    fitting = 0
    for shape in range(NUM_SMALL):
        fitting += fits_somewhere(top, bottom, shape)
    cursor = np.uint64(game["cursor"])
    for slot in range(NUM_SLOTS):
        cursor = advance(cursor)
        left = below(mix(cursor), fitting * SMALL_WEIGHT) // SMALL_WEIGHT
        for shape in range(NUM_SMALL):
            if fits_somewhere(top, bottom, shape):
                if left == 0:
                    game["tray"][slot] = shape
                left -= 1
    game["cursor"] = cursor
