"""What an agent sees of Patchrook: board planes, shape planes, tray, phase, place in the order."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record, Words
from quiltrail.core.jit import compiled
from quiltrail.core.legality import WORD_BITS, write_bits
from quiltrail.core.observation import (
    WORD_BYTES,
    ObservationField,
    field_words,
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

_SHAPE_WORDS = MAX_ORIENTATIONS * NUM_SQUARES // WORD_BYTES
_STARTS = field_words(FIELDS)
_BOARD_AT = _STARTS["board"]
_PHASE_AT = _STARTS["phase"]
_SHAPES_AT = _STARTS["shapes"]
_STAGE_AT = _STARTS["stage"]
_TRAY_AT = _STARTS["tray"]
_SHAPE_PLANES = PLANES.reshape(len(PLANES), -1).view(np.uint64)  # (20, 25), eight squares a word
_ONE = np.uint64(1)


@compiled
def _write_shapes(game: Record, drawn: Record, words: Words) -> None:
    """Write the shape planes of the patches that are others than those drawn there."""
    for patch in range(MAX_PATCHES):
        shape = game["shape"][patch]
        if drawn["shape"][patch] != shape:
            drawn["shape"][patch] = shape
            first = _SHAPES_AT + _SHAPE_WORDS * patch
            words[first : first + _SHAPE_WORDS] = _SHAPE_PLANES[shape]


@compiled
def _write_board(game: Record, words: Words) -> None:
    """Write the board planes end to end: eight of 25 bits, the usable squares first."""
    bits = np.uint64(game["usable"]) | (empty_squares(game) << np.uint64(NUM_SQUARES))
    held, at = 2 * NUM_SQUARES, _BOARD_AT
    for patch in range(MAX_PATCHES):
        covered = covered_by(game, patch)
        bits |= covered << np.uint64(held)
        held += NUM_SQUARES
        if held >= WORD_BITS:
            write_bits(words, at, bits, WORD_BYTES)
            at += WORD_BYTES
            held -= WORD_BITS
            bits = covered >> np.uint64(NUM_SQUARES - held)
    write_bits(words, at, bits, held // WORD_BYTES)


@compiled
def see(game: Record, drawn: Record, legal: Record, phase_after: int, seen: Record) -> None:
    """Write a game's observation; ``drawn`` remembers which shapes it shows."""
    words = seen["words"]
    _write_board(game, words)
    _write_shapes(game, drawn, words)
    write_bits(words, _PHASE_AT, _ONE << np.uint64(game["phase"]), 1)
    write_bits(words, _STAGE_AT, (_ONE << np.uint64(game["stage"] + 1)) >> _ONE, 1)
    write_bits(words, _TRAY_AT, tray_bits(game), 1)
