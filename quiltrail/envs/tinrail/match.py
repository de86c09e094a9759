"""One match of Tinrail as kernels: deal, placement, result, score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import shuffle
from quiltrail.envs.tinrail.rails import DISTINCT_ROTATIONS, after, put_down
from quiltrail.envs.tinrail.rules import (
    DRAW,
    DRAW_BASE,
    DRAW_PER_TILE,
    EASY_DENOMINATOR,
    EASY_NUMERATOR,
    EMPTY,
    HAND_SIZE,
    LOSS_PER_TILE,
    NUM_CELLS,
    NUM_ROTATIONS,
    NUM_SEATS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    PORT_BITS,
    STARTS,
    UNDECIDED,
    WIN_BASE,
    WIN_FIRST,
    WIN_PER_TILE,
    WIN_SECOND,
)


@compiled
def deal(game: Record, deck: NDArray[np.int8]) -> None:
    """Shuffle the deck of the match's seed and start it; ``deck`` (35,) is room to work in."""
    for tile in range(NUM_TILES):
        deck[tile] = tile
    shuffle(deck, NUM_TILES, np.uint64(game["seed"]))
    hands, pile = game["hands"], game["pile"]
    for card in range(HAND_SIZE):
        hands[0, card] = deck[card]
        hands[1, card] = deck[HAND_SIZE + card]
    for card in range(PILE_SIZE):
        pile[card] = deck[NUM_SEATS * HAND_SIZE + card]
    table = game["table"]
    for cell in range(NUM_CELLS):
        table[cell] = EMPTY
    game["score"] = 0
    game["turn"] = 0
    game["notches"][0] = STARTS[0]
    game["notches"][1] = STARTS[1]
    game["drawn"] = 0
    game["to_move"] = 0
    game["result"] = UNDECIDED
    game["last_cell"] = -1
    game["last_ports"][0] = -1
    game["last_ports"][1] = -1
    game["unread"] = 0


@compiled
def hand_size(game: Record, seat: int) -> int:
    """Return how many tiles a seat holds."""
    hand = game["hands"][seat]
    size = 0
    while size < HAND_SIZE and hand[size] != EMPTY:
        size += 1
    return size


@compiled
def laid_by(game: Record, action: int) -> int:
    """Return what the mover's action would lay: 4 * tile + rotation."""
    tile = int(game["hands"][game["to_move"], action // NUM_ROTATIONS])
    return NUM_ROTATIONS * tile + action % NUM_ROTATIONS


@compiled
def distinct_placements(game: Record, placements: NDArray[np.int64]) -> int:
    """List the mover's actions that lay different rails, ascending; return how many there are."""
    mover = int(game["to_move"])
    count = 0
    for card in range(hand_size(game, mover)):
        for rotation in range(DISTINCT_ROTATIONS[game["hands"][mover, card]]):
            placements[count] = NUM_ROTATIONS * card + rotation
            count += 1
    return count


@compiled
def place(game: Record, track: Record, action: int) -> None:
    """Play a legal action of the mover: lay the tile, ride, judge, draw, pass the turn."""
    mover = int(game["to_move"])
    laid = laid_by(game, action)
    notches = game["notches"]
    first, second = int(notches[0]), int(notches[1])
    cell = int(notches[mover]) >> PORT_BITS
    notches[0] = after(track, first, second, cell, laid)
    notches[1] = after(track, second, first, cell, laid)
    put_down(track, cell, laid)
    game["table"][cell] = laid
    game["last_cell"] = cell
    game["last_ports"][0] = _entry(first, cell)
    game["last_ports"][1] = _entry(second, cell)
    game["turn"] += 1
    _remove_card(game["hands"][mover], action // NUM_ROTATIONS)
    game["result"] = _judge(int(notches[0]), int(notches[1]))
    if game["result"] == UNDECIDED:
        _draw_card(game, mover)
        if game["hands"][1 - mover, 0] == EMPTY:
            game["result"] = DRAW
        else:
            game["to_move"] = 1 - mover


@compiled
def _entry(notch: int, cell: int) -> int:
    """Return the port by which an engine at a notch enters a cell, -1 if it does not face it."""
    if notch >> PORT_BITS != cell:
        return -1
    return notch - (cell << PORT_BITS)


@compiled
def _remove_card(hand: NDArray[np.int8], place: int) -> None:
    """Take a tile out of a hand; later tiles move up."""
    for card in range(place, HAND_SIZE - 1):
        hand[card] = hand[card + 1]
    hand[HAND_SIZE - 1] = EMPTY


@compiled
def _draw_card(game: Record, seat: int) -> None:
    """Move the top of the pile, if there is one, to the end of a hand."""
    drawn = int(game["drawn"])
    if drawn < PILE_SIZE:
        game["hands"][seat, hand_size(game, seat)] = game["pile"][drawn]
        game["pile"][drawn] = EMPTY
        game["drawn"] = drawn + 1


@compiled
def _judge(first: int, second: int) -> int:
    """Return the result that the engines' notches decide, UNDECIDED if both ride on."""
    if first != OFF and second != OFF:
        return UNDECIDED
    if first == second:
        return DRAW
    return WIN_FIRST if second == OFF else WIN_SECOND


@compiled
def tiles_survived(game: Record, seat: int) -> int:
    """Return after how many placements, of either side, a seat's engine was on the table."""
    turn = int(game["turn"])
    return turn - 1 if game["notches"][seat] == OFF else turn


@compiled
def has_won(game: Record) -> bool:
    """Return whether a match ended with a win of its seat ``seat``."""
    return bool(game["result"] == WIN_FIRST + game["seat"])


@compiled
def score_of(result: int, seat: int, survived: int, easy: bool) -> int:
    """Return a seat's published points; a match that is not over pays nothing."""
    if result == UNDECIDED:
        return 0
    if result == WIN_FIRST + seat:
        points = WIN_BASE + WIN_PER_TILE * survived
    elif result == DRAW:
        points = DRAW_BASE + DRAW_PER_TILE * survived
    else:
        points = LOSS_PER_TILE * survived
    if easy:
        return EASY_NUMERATOR * points // EASY_DENOMINATOR
    return points


@compiled
def outcome_of(result: int, seat: int) -> int:
    """Return +1 if a seat has won, -1 if it has lost, else 0."""
    if result in (UNDECIDED, DRAW):
        return 0
    return 1 if result == WIN_FIRST + seat else -1
