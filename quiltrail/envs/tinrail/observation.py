"""What a seat of Tinrail sees: the public table and its own hand, from its own side.

The second player's view is the table turned by 180 degrees, so that both seats see themselves start
at cell 32 and one network can play either. The other hand and the order of the pile never enter:
the unseen tiles are what neither lies on the table nor in the own hand.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray, Words
from quiltrail.core.jit import compiled
from quiltrail.core.legality import write_bits
from quiltrail.core.observation import WORD_BYTES, ObservationField, field_words, word_span
from quiltrail.envs.tinrail.match import hand_size
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rails import BIT_COUNTS, PARTNERS, after, ways_on
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    HALF_TURN_PORT,
    HAND_SIZE,
    NUM_ACTIONS,
    NUM_CELLS,
    NUM_PLACEMENTS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_SEATS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    PORT_BITS,
    UNDECIDED,
)

FIELDS = (
    ObservationField(
        "table",
        (NUM_CELLS, NUM_PORTS),
        4,
        "for each port of each cell how far clockwise the other end of its strand lies, -3 to 4 "
        "ports; 0 where no tile lies",
        low=-3,
    ),
    ObservationField(
        "engines",
        (NUM_SEATS, NUM_CELLS + NUM_PORTS),
        1,
        "own engine, then the opponent's: one-hot of its cell, then of its port; zeros when it is "
        "eliminated",
    ),
    ObservationField(
        "hand",
        (NUM_ACTIONS, NUM_PORTS),
        4,
        "for each action the strands it lays, coded as in table; 0 where the hand is shorter",
        low=-3,
    ),
    ObservationField(
        "rides",
        (NUM_ACTIONS, NUM_SEATS),
        NUM_PORTS,
        "for each action where the own, then the opponent's engine would be: 0 off the table, "
        "else 1 + the ports that lead on from there, on the rails as they lie before the tile",
    ),
    ObservationField(
        "unseen", (NUM_TILES,), 1, "tiles that lie neither on the table nor in the own hand"
    ),
    ObservationField("opponent_hand", (HAND_SIZE,), 1, "ones for the tiles the opponent holds"),
    ObservationField("pile", (PILE_SIZE,), 1, "ones for the tiles in the pile"),
    ObservationField("seat", (NUM_SEATS,), 1, "one-hot: the first or the second player"),
)

_BYTE = 0xFF


def _as_words(rows: NDArray[np.int8]) -> Words:
    """Return rows of eight bytes as words, without their last axis."""
    words: Words = np.ascontiguousarray(rows).view(np.uint64)[..., 0]
    return words


def _strand_words() -> Words:
    """Return (2, 256): how far each port's strand leads, for the first and the second seat.

    Columns are 4 * tile + rotation taken modulo 256, so that EMPTY finds one of those that say
    that no tile lies there, and a kernel needs neither a branch nor a check of bounds.
    """
    around = (PARTNERS - np.arange(NUM_PORTS)) % NUM_PORTS  # 1 to 7
    half = NUM_PORTS // 2
    rows = np.zeros((NUM_SEATS, _BYTE + 1, NUM_PORTS), np.int8)
    rows[0, :NUM_PLACEMENTS] = np.where(around > half, around - NUM_PORTS, around)
    rows[1] = np.roll(rows[0], HALF_TURN_PORT, axis=1)
    return _as_words(rows)


def _port_words() -> Words:
    """Return (8,): one-hot of a port."""
    return _as_words(np.eye(NUM_PORTS, dtype=np.int8))


def _byte_shifts() -> Words:
    """Return (8,): by how many bits a value is shifted to lie in byte i of a word."""
    shifts = 8 * np.arange(WORD_BYTES, dtype=np.uint64)
    return shifts if sys.byteorder == "little" else shifts[::-1].copy()


def _unary_words(most: int) -> Words:
    """Return (most + 1, words): row n has n ones, then zeros."""
    ones = np.arange(WORD_BYTES * word_span(most)) < np.arange(most + 1)[:, None]
    return ones.astype(np.int8).view(np.uint64)


_STRAND_WORDS = _strand_words()
_PORT_WORDS = _port_words()
_SHIFTS = _byte_shifts()
_PILE_WORDS = _unary_words(PILE_SIZE)
_HAND_WORDS = _unary_words(HAND_SIZE)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL_TILES = np.uint64((1 << NUM_TILES) - 1)

# The word at which each field of an observation begins.
_AT = field_words(FIELDS)
_TABLE, _ENGINES, _HAND, _RIDES = _AT["table"], _AT["engines"], _AT["hand"], _AT["rides"]
_UNSEEN = _AT["unseen"]
_OPPONENT_HAND, _PILE, _SEAT = _AT["opponent_hand"], _AT["pile"], _AT["seat"]
_ENGINE_WORDS = word_span(NUM_SEATS * (NUM_CELLS + NUM_PORTS))
_UNSEEN_WORDS = word_span(NUM_TILES)


@compiled
def observer_of(game: Record) -> int:
    """Return the seat an observation is for: the caller's, or the mover where it plays both."""
    if game["opponent"] == BOTH_SEATS:
        return int(game["to_move"])
    return int(game["seat"])


@compiled
def _see_table(game: Record, seat: int, words: Words) -> None:
    table, strands = game["table"], _STRAND_WORDS[seat]
    if seat == 0:
        for cell in range(NUM_CELLS):
            words[_TABLE + cell] = strands[table[cell] & _BYTE]
    else:
        for cell in range(NUM_CELLS):
            words[_TABLE + cell] = strands[table[NUM_CELLS - 1 - cell] & _BYTE]


@compiled
def _see_hand(game: Record, seat: int, words: Words) -> None:
    hand, strands = game["hands"][seat], _STRAND_WORDS[seat]
    for card in range(HAND_SIZE):
        first = NUM_ROTATIONS * int(hand[card])
        for rotation in range(NUM_ROTATIONS):
            laid = (first + rotation) & _BYTE
            words[_HAND + NUM_ROTATIONS * card + rotation] = strands[laid]


@compiled
def _see_rides(game: Record, track: Record, seat: int, words: Words) -> None:
    """Show for each action where both engines would be; a tile's four rotations fill a word."""
    own, other = int(game["notches"][seat]), int(game["notches"][1 - seat])
    cell, port = own >> PORT_BITS, own & (NUM_PORTS - 1)
    is_apart = cell != other >> PORT_BITS
    theirs = np.uint64(_prospects(track, other))
    for card in range(HAND_SIZE):
        tile = int(game["hands"][seat, card])
        rides = _ZERO
        if game["result"] == UNDECIDED and tile != EMPTY:
            for rotation in range(NUM_ROTATIONS):
                laid = NUM_ROTATIONS * tile + rotation
                rest = int(track["ends"][(cell << PORT_BITS) + PARTNERS[laid, port]])
                if is_apart and rest >> PORT_BITS != cell:  # nearly always
                    mine = np.uint64(ways_on(track, rest) if rest != OFF else 0)
                else:
                    rest = after(track, own, other, cell, laid)
                    mine = np.uint64(_prospects(track, rest))
                    theirs = np.uint64(_prospects(track, after(track, other, own, cell, laid)))
                rides |= mine << _SHIFTS[NUM_SEATS * rotation]
                rides |= theirs << _SHIFTS[NUM_SEATS * rotation + 1]
        words[_RIDES + card] = rides


@compiled
def _prospects(track: Record, notch: int) -> int:
    """Return 0 for OFF, else 1 + the ports that lead an engine on from a notch."""
    if notch == OFF:
        return 0
    off = int(track["off"][notch >> PORT_BITS]) & ~(1 << (notch & (NUM_PORTS - 1)))
    return NUM_PORTS - int(BIT_COUNTS[off])


@compiled
def _see_engine(game: Record, seat: int, who: int, words: Words) -> None:
    """Show one engine's notch; the words are zero before."""
    notch = int(game["notches"][seat if who == 0 else 1 - seat])
    if notch == OFF:
        return
    cell, port = notch >> PORT_BITS, notch & (NUM_PORTS - 1)
    first = who * (NUM_CELLS + NUM_PORTS)
    _mark(words, first + (cell if seat == 0 else NUM_CELLS - 1 - cell))
    _mark(words, first + NUM_CELLS + (port ^ (HALF_TURN_PORT * seat)))


@compiled
def _mark(words: Words, at: int) -> None:
    """Set byte ``at`` of the engines to 1."""
    words[_ENGINES + (at >> 3)] |= _PORT_WORDS[at & (WORD_BYTES - 1)]


@compiled
def see(game: Record, track: Record, seat: int, words: Words) -> None:
    """Write one seat's observation of a match."""
    _see_table(game, seat, words)
    _see_hand(game, seat, words)
    for word in range(_ENGINE_WORDS):
        words[_ENGINES + word] = _ZERO
    for who in range(NUM_SEATS):
        _see_engine(game, seat, who, words)
    _see_rides(game, track, seat, words)
    hand = game["hands"][seat]
    unseen = _ALL_TILES & ~track["tiles"]
    for card in range(HAND_SIZE):
        if hand[card] != EMPTY:
            unseen &= ~(_ONE << np.uint64(hand[card]))
    write_bits(words, _UNSEEN, unseen, _UNSEEN_WORDS)
    words[_OPPONENT_HAND] = _HAND_WORDS[hand_size(game, 1 - seat), 0]
    left = PILE_SIZE - int(game["drawn"])
    for word in range(_PILE_WORDS.shape[1]):
        words[_PILE + word] = _PILE_WORDS[left, word]
    words[_SEAT] = _PORT_WORDS[seat]


@compiled
def observe_seats(
    state: StateArray, rails: StateArray, rows: Rows, seats: Rows, words: Words
) -> None:
    """Write into row r of ``words`` what seat ``seats[r]`` sees of game ``rows[r]``."""
    for r in range(rows.shape[0]):
        see(state[rows[r]], rails[rows[r]], seats[r], words[r])
