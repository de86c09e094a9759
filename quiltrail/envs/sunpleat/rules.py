"""Sunpleat's constants: templates, phases, award, action numbering.

Source: the published rules of Sunpleat (gameboard.gg), all of them; the flat numbering is ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.actions import ActionCodec, ActionField, ActionKind

MAX_PENNANTS = 5
LEAVES = 3
SPARE_MOVES = 4  # budget = exact par + this
STATE_VERSION = 1  # published with every view

AWARD_BASE = 100
AWARD_PER_PENNANT = 25
AWARD_PER_MOVE_LEFT = 10

PLAYING, CLEARED, RETRY, ENDED = range(4)
PHASES = ("playing", "cleared", "retry", "ended")

NOT_ENDED, BANKED, OUT_OF_LIVES, CLEARED_BOARD = range(4)
END_REASONS = (None, "banked", "out-of-lives", "cleared")  # the last only in runs of one board

# Template t (one-based) starts with START_GARLANDS[t - 1] and has par PARS[t - 1].
_GARLANDS = (
    (-2, -1, 3),
    (3, -2, -1),
    (-4, 1, -3, -2),
    (-1, 3, -4, 2),
    (5, -3, 2, -4, -1),
    (-3, 4, 5, 1, -2),
    (-4, 3, -1, 2, -5),
    (1, 4, 3, -2, -5),
)
NUM_TEMPLATES = len(_GARLANDS)
FIRST_REPEATED_TEMPLATE = 5
MAX_MOVES = 11  # the largest budget


def _padded_garlands() -> NDArray[np.int8]:
    table = np.zeros((NUM_TEMPLATES, MAX_PENNANTS), np.int8)
    for row, garland in zip(table, _GARLANDS, strict=True):
        row[: len(garland)] = garland
    return table


START_GARLANDS = _padded_garlands()  # (8, 5) int8, 0 behind the last pennant
LENGTHS = np.array([len(garland) for garland in _GARLANDS], np.int64)
PARS = np.array([1, 2, 3, 4, 5, 5, 7, 7], np.int64)

# Flat actions: flip of the first k pennants is k - 1; these follow the flips, in this order.
NEXT_AFTER_FLIPS, RETRY_AFTER_FLIPS, RESTART_AFTER_FLIPS, BANK_AFTER_FLIPS = range(4)

NEXT = MAX_PENNANTS + NEXT_AFTER_FLIPS
RESTART = MAX_PENNANTS + RESTART_AFTER_FLIPS
BANK = MAX_PENNANTS + BANK_AFTER_FLIPS


def make_codec(pennants: int) -> ActionCodec:
    """Return the action numbering of a game whose garlands have so many pennants at most."""
    return ActionCodec(
        ActionKind("flip", 0, (ActionField("count", tuple(range(1, pennants + 1))),)),
        ActionKind("next", pennants + NEXT_AFTER_FLIPS),
        ActionKind("retry", pennants + RETRY_AFTER_FLIPS),
        ActionKind("restart", pennants + RESTART_AFTER_FLIPS),
        ActionKind("bank", pennants + BANK_AFTER_FLIPS),
    )


CODEC = make_codec(MAX_PENNANTS)
