"""Which records of Patchrook are possible: what play keeps true, field by field."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.bitboard import popcount
from quiltrail.core.errors import demand
from quiltrail.envs.patchrook.position import award, empty_squares
from quiltrail.envs.patchrook.quilts import QuiltSource
from quiltrail.envs.patchrook.rules import CLEARED, ENDED, IN_TRAY, LABELS, NUM_PLACES, PLAYING
from quiltrail.envs.patchrook.shapes import COVERED

_LARGEST_QUILT = 2**40  # no run gets there, and no sum over the quilts before it overflows


def check_record(game: Record, source: QuiltSource, phase_after_clear: int = CLEARED) -> None:
    """Check that a run over a source's quilts can come to this record.

    Args:
        game: the record.
        source: of its quilts.
        phase_after_clear: the phase of a game whose quilt has been completed.

    Raises:
        StateError: a sentence that names the field that cannot be so.
    """
    demand(1 <= game["quilt"] <= _LARGEST_QUILT, "quilt", f"is 1 to {_LARGEST_QUILT}")
    source.check_board(game)
    _check_placements(game)
    phase = int(game["phase"])
    demand(PLAYING <= phase <= ENDED, "phase", "is 0 playing, 1 cleared or 2 ended")
    is_covered = bool(empty_squares(game) == 0)
    if phase != ENDED:
        expected = phase_after_clear if is_covered else PLAYING
        demand(phase == expected, "phase", f"is {expected} or 2 ended with this board")
    points = int(award(popcount(np.uint64(game["usable"])), game["num_patches"]))
    points = points if is_covered else 0
    demand(game["last_points"] == points, "last_points", f"is {points} with this board")
    banked = phase == ENDED and not (is_covered and phase_after_clear == ENDED)
    turns = int((game["placed"] != IN_TRAY).sum()) + int(banked)
    source.check_run(game, int(game["score"]) - points, turns)


def _check_placements(game: Record) -> None:
    """Check that the patches on the board lie on empty usable squares."""
    covered = 0
    for patch, place in enumerate(game["placed"].tolist()):
        if place == IN_TRAY:
            continue
        exists = patch < game["num_patches"] and 0 <= place < NUM_PLACES
        squares = int(COVERED[game["shape"][patch], place]) if exists else 0
        demand(squares != 0, "placed", f"has no placement {place} for patch {LABELS[patch]}")
        fits = squares & ~int(game["usable"]) == 0
        demand(fits, "placed", f"keeps patch {LABELS[patch]} on usable squares")
        demand(squares & covered == 0, "placed", f"has no overlap, here with {LABELS[patch]}")
        covered |= squares
