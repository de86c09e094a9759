"""One game's record: its layout, what its fields mean together, its published view."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.envs.sunpleat import rules
from quiltrail.envs.sunpleat.boards import GarlandSource


def state_dtype(pennants: int, extra_fields: tuple[tuple[Any, ...], ...] = ()) -> np.dtype[np.void]:
    """Return the record of a game whose garlands have so many places at most.

    What a source keeps comes first: behind the rules' fields it would make the record a subtype of
    the plain one for numba, which is an experimental feature of it.
    """
    return np.dtype(
        [
            *extra_fields,
            ("seed", np.uint32),
            ("score", np.int64),
            ("turn", np.int64),
            ("board", np.int64),  # boardNumber, from 1
            ("cleared", np.int64),
            ("last_award", np.int64),
            ("moves_used", np.int64),
            ("n", np.int64),
            ("par", np.int64),
            ("leaves", np.int8),
            ("phase", np.int8),  # index into rules.PHASES
            ("end_reason", np.int8),  # index into rules.END_REASONS
            ("start", np.int8, (pennants,)),  # this board's garland before the first move
            ("garland", np.int8, (pennants,)),  # left to right, minus = moon, 0 behind the last
        ],
        align=True,
    )


def view_of(game: Record, source: GarlandSource) -> dict[str, Any]:
    """Return what the publisher's observation publishes, without the legal list."""
    n, par, moves_used = int(game["n"]), int(game["par"]), int(game["moves_used"])
    budget = par + source.spare_moves
    return {
        "version": rules.STATE_VERSION,
        "phase": rules.PHASES[game["phase"]],
        "boardNumber": int(game["board"]),
        **source.view_fields(game),
        "garland": game["garland"][:n].tolist(),
        "n": n,
        "target": list(range(1, n + 1)),
        "exactPar": par,
        "moveBudget": budget,
        "movesUsed": moves_used,
        "remainingMoves": budget - moves_used,
        "leaves": int(game["leaves"]),
        "score": int(game["score"]),
        "clearedBoards": int(game["cleared"]),
        "lastAward": int(game["last_award"]),
        "endReason": rules.END_REASONS[game["end_reason"]],
        "turn": int(game["turn"]),
    }
