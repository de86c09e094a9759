"""Afterstates: where both engines would be after each action of the seat to move.

Everything here is public or in the mover's own hand: the table, the engines and its tiles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.engine import Engine
from quiltrail.core.jit import compiled
from quiltrail.core.observation import ObservationField
from quiltrail.envs.tinrail.match import hand_size, laid_by
from quiltrail.envs.tinrail.observation import observer_of
from quiltrail.envs.tinrail.rails import after, lay, take_back
from quiltrail.envs.tinrail.rules import (
    HALF_TURN_PORT,
    NUM_ACTIONS,
    NUM_CELLS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    OFF,
    PORT_BITS,
    UNDECIDED,
)

# Classes of what an action leads to, for the mover.
GOES_ON, WINS, LOSES, DRAWS = range(4)
_NUM_OUTCOMES = 4
_PLACE_SIZE = NUM_CELLS + NUM_PORTS  # one-hot of a cell, then of a port

FIELDS = (
    ObservationField(
        "after_outcome",
        (NUM_ACTIONS, _NUM_OUTCOMES),
        1,
        "for each action one-hot of what it leads to: the match goes on, win, loss, draw",
    ),
    ObservationField(
        "after_engines",
        (NUM_ACTIONS, NUM_SEATS * _PLACE_SIZE),
        1,
        "where the own and the opponent's engine would be, coded as in engines",
    ),
    ObservationField(
        "after_exits",
        (NUM_ACTIONS, NUM_SEATS * NUM_PORTS),
        1,
        "the ports by which they could ride on from there: not their own, not off the table",
    ),
)

#: Observation fields of use only to a network that can trace rails or count tiles.
SPARED = ("table", "hand", "unseen", "pile")

_AFTERSTATE = np.dtype([(one.name, one.dtype, one.shape) for one in FIELDS])


@compiled
def _show(
    track: Record,
    notch: int,
    seat: int,
    place: NDArray[np.int8],
    exits: NDArray[np.int8],
) -> None:
    """Write one engine's place and exits, seen from a seat; nothing if it is out."""
    if notch == OFF:
        return
    cell, turn = notch >> PORT_BITS, HALF_TURN_PORT * seat
    own_port = notch & (NUM_PORTS - 1)
    place[cell if seat == 0 else NUM_CELLS - 1 - cell] = 1
    place[NUM_CELLS + (own_port ^ turn)] = 1
    for port in range(NUM_PORTS):
        leads_off = (int(track["off"][cell]) >> port) & 1
        if port != own_port and not leads_off:
            exits[port ^ turn] = 1


@compiled
def _outcome(mine: int, theirs: int, is_last: bool) -> int:
    if mine == OFF:
        return DRAWS if theirs == OFF else LOSES
    if theirs == OFF:
        return WINS
    return DRAWS if is_last else GOES_ON


@compiled
def _look_ahead(game: Record, track: Record, seat: int, seen: Record) -> None:
    """Try every action of a match's mover and write what would be."""
    own, other = int(game["notches"][seat]), int(game["notches"][1 - seat])
    cell = own >> PORT_BITS
    is_last = hand_size(game, 1 - seat) == 0  # then nobody has a tile to go on with
    for action in range(NUM_ROTATIONS * hand_size(game, seat)):
        laid = laid_by(game, action)
        mine = after(track, own, other, cell, laid)
        theirs = after(track, other, own, cell, laid)
        seen["after_outcome"][action, _outcome(mine, theirs, is_last)] = 1
        places, exits = seen["after_engines"][action], seen["after_exits"][action]
        count = lay(track, cell, laid)
        _show(track, mine, seat, places[:_PLACE_SIZE], exits[:NUM_PORTS])
        _show(track, theirs, seat, places[_PLACE_SIZE:], exits[NUM_PORTS:])
        take_back(track, count)


@compiled
def look_ahead_rows(state: StateArray, rails: StateArray, seen: StateArray) -> None:
    """Write the afterstates of every row into ``seen`` (B,) _AFTERSTATE, zeros where none are.

    There are none where the match is over or the observer waits, and for tiles it does not hold.
    """
    for row in range(state.shape[0]):
        game = state[row]
        seat = observer_of(game)
        if game["result"] == UNDECIDED and game["to_move"] == seat:
            _look_ahead(game, rails[row], seat, seen[row])


def fields(_engine: Engine) -> tuple[ObservationField, ...]:
    """Return the fields; they are the same for every Tinrail engine."""
    return FIELDS


def look_ahead(engine: Engine) -> StateArray:
    """Return the afterstates of every row of a Tinrail engine, (B,) _AFTERSTATE."""
    seen = np.zeros(engine.num_games, _AFTERSTATE)
    look_ahead_rows(engine.state, engine.derived, seen)
    return seen
