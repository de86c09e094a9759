"""G-Bot: the two bots of Tinrail, and uniformly random play, as kernels.

The published rules name an Easy and a Wise G-Bot and do not describe them; these policies are ours
(RULES, "Tinrail"). Both look at the table and their own hand only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import STREAM_BOT, advance, below, jump, mix
from quiltrail.envs.tinrail.match import hand_size, laid_by
from quiltrail.envs.tinrail.rails import (
    DISTINCT_ROTATIONS,
    after,
    lay,
    take_back,
    ways_on,
)
from quiltrail.envs.tinrail.rules import (
    NUM_ROTATIONS,
    OFF,
    PORT_BITS,
    UNDECIDED,
)

#: Policies that run inside the kernels, by number.
WISE, EASY, RANDOM = range(3)
BOTS = {"wise": WISE, "easy": EASY, "random": RANDOM}

_WIN_VALUE = 1_000_000
_DRAW_VALUE = -500
_SHARED_CELL_COST = 20  # the other engine would move first in a shared cell

_STREAM = np.uint64(STREAM_BOT)


@compiled
def room(track: Record, notch: int) -> int:
    """Return how much lies before an engine: over the ways on, 1 + the exits where each ends.

    A way that leads off the table or back to the same cell counts nothing.
    """
    cell = notch >> PORT_BITS
    total = 0
    for way_out in range(cell << PORT_BITS, (cell + 1) << PORT_BITS):
        if way_out != notch:
            rest = int(track["ends"][way_out])
            if rest != OFF and rest >> PORT_BITS != cell:
                total += ways_on(track, rest)
    return total


@compiled
def wise_value(track: Record, own: int, other: int, laid: int) -> int:
    """Return what Wise holds laying a tile before its engine at ``own`` to be worth."""
    cell = own >> PORT_BITS
    mine = after(track, own, other, cell, laid)
    theirs = after(track, other, own, cell, laid)
    if mine == OFF:
        return _DRAW_VALUE if theirs == OFF else -_WIN_VALUE
    if theirs == OFF:
        return _WIN_VALUE
    count = lay(track, cell, laid)
    value = room(track, mine) - room(track, theirs)
    take_back(track, count)
    if mine >> PORT_BITS == theirs >> PORT_BITS:
        value -= _SHARED_CELL_COST
    return value


@compiled
def _choose_wise(game: Record, track: Record) -> int:
    """Return the mover's action of the highest value, the lowest index among equals."""
    mover = int(game["to_move"])
    own, other = int(game["notches"][mover]), int(game["notches"][1 - mover])
    best, best_value = 0, -_WIN_VALUE - 1
    for card in range(hand_size(game, mover)):
        tile = int(game["hands"][mover, card])
        for rotation in range(DISTINCT_ROTATIONS[tile]):  # the others repeat these values
            laid = NUM_ROTATIONS * tile + rotation
            value = wise_value(track, own, other, laid)
            if value > best_value:
                best, best_value = NUM_ROTATIONS * card + rotation, value
    return best


@compiled
def _choose_easy(game: Record, track: Record, output: np.uint64) -> int:
    """Return one of the mover's actions that keep its engine on the table; if none does, any.

    ``output`` is the one draw that decides which.
    """
    mover = int(game["to_move"])
    own, other = int(game["notches"][mover]), int(game["notches"][1 - mover])
    cell = own >> PORT_BITS
    num_actions = NUM_ROTATIONS * hand_size(game, mover)
    safe = 0
    num_safe = 0
    for action in range(num_actions):
        if after(track, own, other, cell, laid_by(game, action)) != OFF:
            safe |= 1 << action
            num_safe += 1
    if num_safe == 0:
        return below(output, num_actions)
    nth = below(output, num_safe)
    for action in range(num_actions):
        if (safe >> action) & 1:
            if nth == 0:
                return action
            nth -= 1
    return 0


@compiled
def choose(bot: int, game: Record, track: Record, output: np.uint64) -> int:
    """Return the mover's action by a bot's number; ``output`` is its draw, Wise needs none."""
    if bot == WISE:
        return _choose_wise(game, track)
    if bot == EASY:
        return _choose_easy(game, track, output)
    return below(output, NUM_ROTATIONS * hand_size(game, int(game["to_move"])))


@compiled
def draw_of(game: Record, decisions: int, salt: np.uint64) -> np.uint64:
    """Return the draw of a bot that has made so many decisions in this match.

    It is the next one of Mulberry32 seeded with the game seed XOR the bots' constant XOR ``salt``.
    A bot draws once for each decision, so a bot of one seat has drawn half as often as tiles lie.
    """
    stream = np.uint64(game["seed"]) ^ _STREAM ^ salt
    return mix(advance(jump(stream, decisions)))


@compiled
def choose_rows(
    state: StateArray,
    rails: StateArray,
    rows: Rows,
    bot: int,
    turns_apart: int,
    salt: np.uint64,
    actions: NDArray[np.int64],
) -> None:
    """Write the movers' actions in rows by a bot's number, 0 where the match is over.

    ``turns_apart`` is 2 for a bot that plays one seat and 1 for one that plays both; ``salt`` as in
    `draw_of`.
    """
    for r in range(rows.shape[0]):
        game, track = state[rows[r]], rails[rows[r]]
        actions[rows[r]] = 0
        if game["result"] == UNDECIDED:
            draw = draw_of(game, int(game["turn"]) // turns_apart, salt)
            actions[rows[r]] = choose(bot, game, track, draw)
