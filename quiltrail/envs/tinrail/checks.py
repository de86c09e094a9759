"""Which saved matches of Tinrail are possible: everything play keeps true, field by field."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.errors import demand
from quiltrail.envs.tinrail.rules import (
    DRAW,
    EMPTY,
    HAND_SIZE,
    NUM_CELLS,
    NUM_PLACEMENTS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    RESULTS,
    STARTS,
    UNDECIDED,
    WIN_FIRST,
)
from quiltrail.envs.tinrail.tracks import walk


def check_match(game: Record) -> None:
    """Raise `StateError`, naming the field, unless play can bring this match about."""
    _check_table(game)
    _check_notches(game)
    _check_result(game)
    _check_last(game)
    _check_cards(game)


def _check_table(game: Record) -> None:
    table = game["table"]
    demand(
        bool(((table >= EMPTY) & (table < NUM_PLACEMENTS)).all()),
        "table",
        f"holds 4 * tile + rotation, up to {NUM_PLACEMENTS - 1}, or {EMPTY}",
    )
    placed = int((table != EMPTY).sum())
    demand(game["turn"] == placed, "turn", f"is {placed}, the number of tiles on the table")


def _check_notches(game: Record) -> None:
    """Check that each engine is where the track from its start ends, off the table too."""
    for seat, start in enumerate(STARTS):
        end = walk(game["table"], start).end
        demand(
            game["notches"][seat] == end,
            "notches",
            f"of seat {seat} is {end}, the end of its track ({OFF} is off the table)",
        )


def _check_result(game: Record) -> None:
    """Check that result and mover follow from the engines and the number of placements."""
    first, second = (int(notch) != OFF for notch in game["notches"])
    turn, result = int(game["turn"]), int(game["result"])
    if first and second:
        expected = DRAW if turn == NUM_TILES else UNDECIDED
    elif first or second:
        expected = WIN_FIRST + (0 if first else 1)
    else:
        expected = DRAW
    demand(result == expected, "result", f"is {expected} ({RESULTS[expected]}) here")
    mover = (turn if result == UNDECIDED else turn - 1) % NUM_SEATS
    demand(game["to_move"] == mover, "to_move", f"is {mover} after {turn} placements")


def _check_last(game: Record) -> None:
    """Check that the last placement explains who rode, and that nobody was out before it."""
    turn, cell = int(game["turn"]), int(game["last_cell"])
    if turn == 0:
        demand(cell == -1, "last_cell", "is -1 before the first placement")
        demand(bool((game["last_ports"] == -1).all()), "last_ports", "are -1 before it, too")
        return
    inside = 0 <= cell < NUM_CELLS and game["table"][cell] != EMPTY
    demand(inside, "last_cell", "is the cell of the last placement, with a tile in it")
    before = game["table"].copy()
    before[cell] = EMPTY
    for seat, start in enumerate(STARTS):
        notch = walk(before, start).end
        demand(notch != OFF, "last_cell", f"is where seat {seat} went off the table, not later")
        port = notch - NUM_PORTS * cell if notch // NUM_PORTS == cell else -1
        demand(
            game["last_ports"][seat] == port, "last_ports", f"of seat {seat} is {port} in this cell"
        )
    placer = (turn - 1) % NUM_SEATS
    demand(bool(game["last_ports"][placer] >= 0), "last_cell", f"is the one seat {placer} faced")


def _check_cards(game: Record) -> None:
    """Check that hands and pile are as long as they must be and hold the other tiles."""
    turn = int(game["turn"])
    over_by_engine = bool((game["notches"] == OFF).any())
    drawn = min(turn - over_by_engine, PILE_SIZE)
    demand(game["drawn"] == drawn, "drawn", f"is {drawn} after {turn} placements")
    for seat in range(NUM_SEATS):
        # Both counts are of the seat's own placements: it makes every second one.
        size = HAND_SIZE - (turn + 1 - seat) // NUM_SEATS + (drawn + 1 - seat) // NUM_SEATS
        hand = game["hands"][seat]
        fits = bool((hand[:size] != EMPTY).all() and (hand[size:] == EMPTY).all())
        demand(fits, "hands", f"of seat {seat} holds {size} tiles, then {EMPTY}")
    pile = game["pile"]
    fits = bool((pile[:drawn] == EMPTY).all() and (pile[drawn:] != EMPTY).all())
    demand(fits, "pile", f"is {EMPTY} in the first {drawn} places, the drawn ones, and then full")
    laid = game["table"][game["table"] != EMPTY] // NUM_ROTATIONS
    held = np.concatenate([laid, game["hands"].ravel(), pile])
    tiles = np.sort(held[held != EMPTY])
    once = bool(np.array_equal(tiles, np.arange(NUM_TILES)))
    demand(once, "pile", "holds, with hands and table, each of the tiles 0 to 34 once")
