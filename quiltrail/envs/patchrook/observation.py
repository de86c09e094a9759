"""What an agent sees of Patchrook: board planes, shape planes, tray, phase, place in the order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.bitboard import set_bits
from quiltrail.core.engine import Record, Rows, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.legality import WORD_BITS, write_bits
from quiltrail.core.observation import (
    WORD_BYTES,
    ObservationField,
    field_words,
    observation_dtype,
)
from quiltrail.envs.patchrook.position import covered_by, empty_squares, tray_bits
from quiltrail.envs.patchrook.rules import (
    MAX_ORIENTATIONS,
    MAX_PATCHES,
    NUM_SQUARES,
    NUM_STAGES,
    PHASES,
)
from quiltrail.envs.patchrook.shapes import PLANES

FIELDS = (
    ObservationField(
        "board",
        (2 + MAX_PATCHES, NUM_SQUARES),
        1,
        "planes of squares 5 * y + x: usable, empty, then covered by A, B, ..",
    ),
    ObservationField("phase", (len(PHASES),), 1, "one-hot: playing, cleared, ended"),
    ObservationField(
        "shapes",
        (MAX_PATCHES * MAX_ORIENTATIONS, NUM_SQUARES),
        1,
        "plane 8 * patch + orientation: that orientation, top left; zeros where there is none",
    ),
    ObservationField(
        "stage", (NUM_STAGES,), 1, "one-hot: quilt 1, .., 5, then the three that repeat"
    ),
    ObservationField("tray", (MAX_PATCHES,), 1, "ones for the patches in the tray"),
)

#: What the shape planes of a row show; they are written anew only when the quilt changes.
SHOWN = np.dtype([("shape", np.int8, (MAX_PATCHES,))])

_ROW_WORDS = observation_dtype(FIELDS).itemsize // WORD_BYTES
_SHAPE_WORDS = MAX_ORIENTATIONS * NUM_SQUARES // WORD_BYTES
_BOARD_PLANES = 2 + MAX_PATCHES
_BOARD_BYTES = _BOARD_PLANES * NUM_SQUARES
_STARTS = field_words(FIELDS)
_BOARD_AT = _STARTS["board"]
_PHASE_AT = _STARTS["phase"]
_SHAPES_AT = _STARTS["shapes"]
_STAGE_AT = _STARTS["stage"]
_TRAY_AT = _STARTS["tray"]
_SHAPE_PLANES = PLANES.reshape(len(PLANES), -1).view(np.uint64)  # (20, 25), eight squares a word
_ONE = np.uint64(1)


@compiled
def _board_planes(game: Record, planes: NDArray[np.uint64]) -> None:
    """Lay the eight board planes end to end, 25 bits each, into a bit set of four words."""
    planes[:] = 0
    set_bits(planes, 0, np.uint64(game["usable"]))
    set_bits(planes, NUM_SQUARES, empty_squares(game))
    for patch in range(MAX_PATCHES):
        set_bits(planes, NUM_SQUARES * (2 + patch), covered_by(game, patch))


@compiled
def _write_shapes(game: Record, shown: Record, words: NDArray[np.uint64], at: int) -> None:
    """Write the shape planes of the patches that are others than those shown."""
    for patch in range(MAX_PATCHES):
        shape = game["shape"][patch]
        if shown["shape"][patch] != shape:
            shown["shape"][patch] = shape
            first = at + _SHAPE_WORDS * patch
            words[first : first + _SHAPE_WORDS] = _SHAPE_PLANES[shape]


@compiled
def observe_rows(
    state: StateArray, rows: Rows, words: NDArray[np.uint64], shown: StateArray
) -> None:
    """Write the observations of some rows into ``words``, those of all rows end to end.

    ``shown`` (B,) remembers which shapes each row shows.
    """
    planes = np.empty(-(-_BOARD_BYTES // WORD_BITS), np.uint64)
    for row in rows:
        game = state[row]
        at = _ROW_WORDS * row
        _board_planes(game, planes)
        for w in range(len(planes)):
            count = min(_BOARD_BYTES // WORD_BYTES - WORD_BYTES * w, WORD_BYTES)
            write_bits(words, at + _BOARD_AT + WORD_BYTES * w, planes[w], count)
        _write_shapes(game, shown[row], words, at + _SHAPES_AT)
        write_bits(words, at + _PHASE_AT, _ONE << np.uint64(game["phase"]), 1)
        write_bits(words, at + _STAGE_AT, (_ONE << np.uint64(game["stage"] + 1)) >> _ONE, 1)
        write_bits(words, at + _TRAY_AT, tray_bits(game), 1)
