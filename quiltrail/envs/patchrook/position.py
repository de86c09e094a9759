"""One game's record: its layout, what its fields mean together, its published view."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.bitboard import lowest_bit
from quiltrail.core.jit import compiled
from quiltrail.envs.patchrook import rules
from quiltrail.envs.patchrook.quilts import QUILT_FIELDS
from quiltrail.envs.patchrook.rules import (
    AWARD_BASE,
    AWARD_PER_PATCH,
    AWARD_PER_SQUARE,
    BOARD_SIZE,
    IN_TRAY,
    LABELS,
    MAX_PATCHES,
    NUM_SQUARES,
)
from quiltrail.envs.patchrook.shapes import ANCHORS, COVERED, ORIENTATIONS, REST

_STATE_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("seed", np.uint32),
    ("score", np.int64),
    ("turn", np.int64),
    ("quilt", np.int64),  # from 1
    ("last_points", np.int64),  # lastQuiltPoints
    ("phase", np.int8),  # index into rules.PHASES
    ("placed", np.int16, (MAX_PATCHES,)),  # 25 * orientation + button's square, or IN_TRAY
    *QUILT_FIELDS,
)


def state_dtype(extra_fields: tuple[tuple[Any, ...], ...] = ()) -> np.dtype[np.void]:
    """Return the record of a game whose source keeps these fields beside `QUILT_FIELDS`."""
    # First, or numba takes the record for one that lacks them ("has been considered a subtype").
    return np.dtype([*extra_fields, *_STATE_FIELDS], align=True)


@compiled
def award(num_squares: int, num_patches: int) -> int:
    """Return the points of a completed quilt."""
    return AWARD_BASE + AWARD_PER_SQUARE * num_squares + AWARD_PER_PATCH * int(num_patches)


@compiled
def covered_by(game: Record, patch: int) -> np.uint64:
    """Return the squares that a patch covers, none while it is in the tray."""
    place = game["placed"][patch]
    if place == IN_TRAY:
        return np.uint64(0)
    return np.uint64(COVERED[game["shape"][patch], place])


@compiled
def empty_squares(game: Record) -> np.uint64:
    """Return the usable squares that no patch covers."""
    empty = np.uint64(game["usable"])
    for patch in range(MAX_PATCHES):
        empty &= ~covered_by(game, patch)
    return empty


@compiled
def _find_lowest_empty(state: StateArray, squares: NDArray[np.int64]) -> None:
    for row in range(state.shape[0]):
        empty = empty_squares(state[row])
        squares[row] = lowest_bit(empty) if empty != 0 else -1


def lowest_empty_squares(state: StateArray) -> NDArray[np.int64]:
    """Return the lowest empty square of every game, (B,) int64; -1 where there is none."""
    squares = np.zeros(len(state), np.int64)
    _find_lowest_empty(state, squares)
    return squares


@compiled
def tray_bits(game: Record) -> np.uint64:
    """Return bit 0 for A, .. for the patches in the tray."""
    bits = np.uint64(0)
    for patch in range(game["num_patches"]):
        if game["placed"][patch] == IN_TRAY:
            bits |= np.uint64(1) << np.uint64(patch)
    return bits


@compiled
def free_anchors(shape: int, orientation: int, empty: np.uint64) -> np.uint64:
    """Return the squares where the button can lie so that every square covered is empty."""
    return (
        np.uint64(ANCHORS[shape, orientation])
        & empty
        & (empty >> np.uint64(REST[shape, orientation, 0]))
        & (empty >> np.uint64(REST[shape, orientation, 1]))
        & (empty >> np.uint64(REST[shape, orientation, 2]))
        & (empty >> np.uint64(REST[shape, orientation, 3]))
    )


@compiled
def board_squares(width: int, height: int) -> np.uint64:
    """Return the squares of a board, cut-outs included."""
    row = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    squares = np.uint64(0)
    for y in range(height):
        squares |= row << np.uint64(BOARD_SIZE * y)
    return squares


def view_of(game: Record) -> dict[str, Any]:
    """Return what the publisher's observation publishes, without the legal list."""
    count = int(game["num_patches"])
    labels = LABELS[:count]
    tray_order = [LABELS[patch] for patch in game["tray_order"][:count]]
    placements = _placements(game)
    width, height = int(game["width"]), int(game["height"])
    usable = int(game["usable"])
    return {
        "width": width,
        "height": height,
        "usable": [
            bool(usable >> (BOARD_SIZE * y + x) & 1) for y in range(height) for x in range(width)
        ],
        "board": _board_rows(game),
        "patches": {label: _patch(game, patch) for patch, label in enumerate(labels)},
        "initialOrientations": {
            label: int(game["initial"][patch]) for patch, label in enumerate(labels)
        },
        "trayOrder": tray_order,
        "tray": [label for label in tray_order if label not in placements],
        "placements": placements,
        "phase": rules.PHASES[game["phase"]],
        "quilt": int(game["quilt"]),
        "score": int(game["score"]),
        "lastQuiltPoints": int(game["last_points"]),
        "turn": int(game["turn"]),
    }


def _board_rows(game: Record) -> list[str]:
    """Return the board as text rows: a letter, . for empty or # for a cut-out per square."""
    marks = [rules.CUT_OUT] * NUM_SQUARES
    words = [(rules.EMPTY, int(game["usable"]))]
    words += [(LABELS[patch], int(covered_by(game, patch))) for patch in range(MAX_PATCHES)]
    for mark, word in words:
        for square in range(NUM_SQUARES):
            if word >> square & 1:
                marks[square] = mark
    rows = (marks[BOARD_SIZE * y :][: game["width"]] for y in range(game["height"]))
    return ["".join(row) for row in rows]


def _patch(game: Record, patch: int) -> dict[str, Any]:
    found = [[list(cell) for cell in cells] for cells in ORIENTATIONS[game["shape"][patch]]]
    return {"cells": [list(cell) for cell in found[0]], "orientations": found}


def _placements(game: Record) -> dict[str, dict[str, int]]:
    placements = {}
    for patch, place in enumerate(game["placed"].tolist()):
        if place != IN_TRAY:
            orientation, square = divmod(place, NUM_SQUARES)
            y, x = divmod(square, BOARD_SIZE)
            placements[LABELS[patch]] = {"orientation": orientation, "x": x, "y": y}
    return placements
