"""One match's record: its layout, its published view."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.envs.tinrail.match import tiles_survived
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    HAND_SIZE,
    NUM_CELLS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    OFF,
    PILE_SIZE,
    RESULTS,
    TILES,
    UNDECIDED,
    turned,
)

BOTH_SEATS = -1  # in place of an opponent: the caller plays both seats

STATE = np.dtype(
    [
        ("seed", np.uint32),
        ("score", np.int64),  # of seat ``seat``, 0 until its result is told
        ("turn", np.int64),  # tiles placed
        ("table", np.int16, (NUM_CELLS,)),  # 4 * tile + rotation, EMPTY where none lies
        ("notches", np.int16, (NUM_SEATS,)),  # 8 * cell + port, OFF when eliminated
        ("hands", np.int8, (NUM_SEATS, HAND_SIZE)),  # tiles, EMPTY behind the last
        ("pile", np.int8, (PILE_SIZE,)),  # tiles, next one at ``drawn``, EMPTY before it
        ("drawn", np.int8),
        ("to_move", np.int8),  # after the end: who placed last
        ("result", np.int8),  # index into rules.RESULTS
        ("last_cell", np.int8),  # of the last placement, -1 before the first
        ("last_ports", np.int8, (NUM_SEATS,)),  # by which each engine entered it, -1 if it did not
        ("seat", np.int8),  # whose score it is
        ("opponent", np.int16),  # who plays the other seat: index of a policy, or BOTH_SEATS
        ("unread", np.int8),  # 1 while a match that ended at the start waits to be told
    ],
    align=True,
)


def view_of(game: Record) -> dict[str, Any]:
    """Return what the publisher's observation publishes, without the legal list."""
    running = game["result"] == UNDECIDED
    to_move = int(game["to_move"])
    return {
        "table": {
            str(cell): _strands(laid)
            for cell, laid in enumerate(game["table"].tolist())
            if laid != EMPTY
        },
        "engines": [_notch_view(notch) for notch in game["notches"].tolist()],
        "hand": hand_view(game, to_move) if running else [],
        "pileLength": PILE_SIZE - int(game["drawn"]),
        "tilesPlaced": int(game["turn"]),
        "tilesSurvived": [int(tiles_survived(game, seat)) for seat in range(NUM_SEATS)],
        "toMove": to_move if running else None,
        "phase": "playing" if running else "ended",
        "result": RESULTS[game["result"]],
    }


def hand_view(game: Record, seat: int) -> list[list[list[list[int]]]]:
    """Return a seat's hand: for each tile its strands at all four rotations."""
    return [
        [_strands(NUM_ROTATIONS * tile + rotation) for rotation in range(NUM_ROTATIONS)]
        for tile in game["hands"][seat].tolist()
        if tile != EMPTY
    ]


def _strands(laid: int) -> list[list[int]]:
    """Return the published strands of 4 * tile + rotation."""
    tile, rotation = divmod(laid, NUM_ROTATIONS)
    return [list(pair) for pair in turned(TILES[tile], rotation)]


def _notch_view(notch: int) -> dict[str, int] | None:
    if notch == OFF:
        return None
    cell, port = divmod(notch, NUM_PORTS)
    return {"cell": cell, "port": port}
