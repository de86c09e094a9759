"""One game's record: its layout, its published view."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.envs.patchwork import rules
from quiltrail.envs.patchwork.rules import FABRIC_BITS, NUM_SLOTS, REVIVE_USED, SIDE, USED
from quiltrail.envs.patchwork.tables import words_as_squares

STATE = np.dtype(
    [
        ("seed", np.uint32),
        ("cursor", np.uint32),  # of the one random stream
        ("score", np.int64),
        ("turn", np.int64),
        ("sewn", np.int64),  # patches, for the dealing schedule
        ("start", np.int64),  # what ``sewn`` was at the start
        ("streak", np.int64),  # clearing patches in a row up to now
        ("quilt", np.uint64, (2,)),  # filled squares
        #  word 0:  0  1  2 ..  8     word 1:  0  1  2 ..  8
        #           9 10 11 .. 17              9 10 11 .. 17
        #          .. rows 0 to 4 ..          .. rows 5 to 8 ..
        ("fabric", np.uint64, (FABRIC_BITS, 2)),  # bit planes of each filled square's fabric
        ("tray", np.int8, (NUM_SLOTS,)),  # shape ids, -1 = sewn
        ("revive", np.int8),  # 0 not yet, 1 used, 2 declined
    ],
    align=True,
)


def view_of(game: Record, phase: int) -> dict[str, Any]:
    """Return what the publisher's observation publishes, without the legal list."""
    filled = set(words_as_squares(game["quilt"]))
    return {
        "quilt": [
            "".join("#" if (r, c) in filled else "." for c in range(SIDE)) for r in range(SIDE)
        ],
        "tray": [_published_patch(shape) for shape in game["tray"].tolist()],
        "streak": int(game["streak"]),
        "patchesSewn": int(game["sewn"]),
        "score": int(game["score"]),
        "reviveUsed": bool(game["revive"] == REVIVE_USED),
        "phase": rules.PHASES[phase],
        "turn": int(game["turn"]),
    }


def _published_patch(shape: int) -> dict[str, Any] | None:
    """Return a patch of the tray as the view shows it."""
    if shape == USED:
        return None
    return {"shape": shape, "cells": [list(cell) for cell in rules.cells_of(shape)]}
