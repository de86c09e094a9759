"""Afterstates: what every placement leaves on the quilt, before the next tray is dealt.

The numbers are the same in all eight views of the square. What they cannot tell (which line lacks
which squares) a network has to do without.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.bitboard import lowest_bit, popcount, without_lowest
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.legality import has_action
from quiltrail.core.observation import ObservationField
from quiltrail.envs.patchwork.engine import sew
from quiltrail.envs.patchwork.quilt import anchors, seams, single_holes
from quiltrail.envs.patchwork.rules import (
    FINISH,
    MOST_UNITS,
    NUM_SHAPES,
    NUM_SLOTS,
    REVIVE,
    SIDE,
    SQUARES,
    USED,
)
from quiltrail.envs.patchwork.symmetry import SHAPE_CLASSES
from quiltrail.envs.patchwork.tables import NUM_SMALL, SIZES, TOP_BITS, UNIT_WORDS

_FIRST_CLASS = int(SHAPE_CLASSES[NUM_SMALL])
_NUM_CLASSES = int(SHAPE_CLASSES.max()) + 1 - _FIRST_CLASS  # of the shapes of 4 squares or more
_MOST_TURNS = 8  # shapes of one class
_MOST_SEAMS = 127  # a quilt can have 144; no played one comes near
_MOST_HOLES = 9
_MOST_ROOM = 15
_NUM_LINES = 2 * SIDE

#: Observation fields that the description can stand in for.
SPARED = ("quilt", "tray", "phase")


def fields(engine: Engine) -> tuple[ObservationField, ...]:
    """Return the fields, with a row for each action of an engine."""
    described = (
        ("after_blocks", SIDE, SIDE, "how many of the 9 blocks have 0, 1, .. 8 squares filled"),
        ("after_filled", 1, SQUARES, "filled squares"),
        (
            "after_fits",
            _NUM_CLASSES,
            _MOST_TURNS,
            "for each kind of patch of 4 squares or more: how many of its orientations fit",
        ),
        ("after_gain", 3, MOST_UNITS, "units stitched away, squares of the patch, the streak then"),
        ("after_holes", 1, _MOST_HOLES, "single empty squares"),
        ("after_left", 3, _MOST_ROOM, "patches left in the tray; fewest and most places of one"),
        ("after_lines", SIDE, _NUM_LINES, "how many rows and columns have 0 to 8 squares filled"),
        ("after_room", _NUM_CLASSES, _MOST_ROOM, "for each kind: places of its scarcest"),
        ("after_seams", 1, _MOST_SEAMS, "neighbours of which one square is filled"),
    )
    return tuple(
        ObservationField(name, (engine.num_actions, size), high, f"for each action: {meaning}")
        for name, size, high, meaning in described
    )


@compiled
def _room(top: np.uint64, bottom: np.uint64, shape: int) -> int:
    """Return how many places a shape has, at most 15."""
    places_top, places_bottom = anchors(top, bottom, shape)
    return min(popcount(places_top) + popcount(places_bottom), _MOST_ROOM)


@compiled
def _describe_quilt(seen: Record, action: int, top: np.uint64, bottom: np.uint64) -> None:
    """Write what follows from the filled squares alone."""
    for unit in range(UNIT_WORDS.shape[0]):
        filled = popcount(top & UNIT_WORDS[unit, 0]) + popcount(bottom & UNIT_WORDS[unit, 1])
        if unit < _NUM_LINES:
            seen["after_lines"][action, filled] += 1
        else:
            seen["after_blocks"][action, filled] += 1
    seen["after_filled"][action, 0] = popcount(top) + popcount(bottom)
    seen["after_seams"][action, 0] = min(seams(top, bottom), _MOST_SEAMS)
    seen["after_holes"][action, 0] = min(single_holes(top, bottom), _MOST_HOLES)


@compiled
def _describe_room(seen: Record, action: int, top: np.uint64, bottom: np.uint64) -> None:
    """Write how much room patches of 4 squares or more have."""
    fits, scarcest = seen["after_fits"][action], seen["after_room"][action]
    scarcest[:] = _MOST_ROOM
    for shape in range(NUM_SMALL, NUM_SHAPES):
        kind = SHAPE_CLASSES[shape] - _FIRST_CLASS
        room = _room(top, bottom, shape)
        fits[kind] += room > 0
        scarcest[kind] = min(scarcest[kind], room)


@compiled
def _describe_placement(seen: Record, game: Record, slot: int, anchor: int) -> None:
    """Write a legal placement's row."""
    action = slot * SQUARES + anchor
    shape = game["tray"][slot]
    units, top, bottom = sew(game["quilt"][0], game["quilt"][1], shape, anchor)
    _describe_quilt(seen, action, top, bottom)
    _describe_room(seen, action, top, bottom)
    gain, left = seen["after_gain"][action], seen["after_left"][action]
    gain[0] = units
    gain[1] = SIZES[shape]
    gain[2] = min(game["streak"] + 1, MOST_UNITS) if units > 0 else 0
    left[1] = _MOST_ROOM
    for other in range(NUM_SLOTS):
        if other != slot and game["tray"][other] != USED:
            room = _room(top, bottom, game["tray"][other])
            left[0] += 1
            left[1] = min(left[1], room)
            left[2] = max(left[2], room)
    if left[0] == 0:
        left[2] = _MOST_ROOM


@compiled
def _look_ahead(game: Record, legal: NDArray[np.uint64], revives: bool, seen: Record) -> None:
    for slot in range(NUM_SLOTS):
        if game["tray"][slot] == USED:
            continue
        top, bottom = anchors(game["quilt"][0], game["quilt"][1], game["tray"][slot])
        while top != np.uint64(0):
            _describe_placement(seen, game, slot, lowest_bit(top))
            top = without_lowest(top)
        while bottom != np.uint64(0):
            _describe_placement(seen, game, slot, TOP_BITS + lowest_bit(bottom))
            bottom = without_lowest(bottom)
    if revives and has_action(legal, REVIVE):
        for action in (REVIVE, FINISH):
            _describe_quilt(seen, action, game["quilt"][0], game["quilt"][1])
        _describe_room(seen, REVIVE, game["quilt"][0], game["quilt"][1])
        seen["after_left"][REVIVE, 0] = NUM_SLOTS


@compiled
def look_ahead_rows(
    state: StateArray, legal: NDArray[np.uint64], revives: bool, seen: StateArray
) -> None:
    """Write the afterstates of every row into ``seen`` (B,), which holds zeros."""
    for row in range(state.shape[0]):
        _look_ahead(state[row], legal[row], revives, seen[row])


def look_ahead(engine: Engine) -> StateArray:
    """Return the afterstates of every row of a Patchwork engine, a record of `fields` each."""
    record = np.dtype([(one.name, one.dtype, one.shape) for one in fields(engine)])
    seen = np.zeros(engine.num_games, record)
    look_ahead_rows(engine.state, engine.legal, engine.num_actions > REVIVE, seen)
    return seen
