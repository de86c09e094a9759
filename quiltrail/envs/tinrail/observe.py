"""What a seat of Tinrail sees: the public table and its own hand, from its own side.

The second player's view is the table turned by 180 degrees, so that both seats see themselves start
at cell 32 and one network can play either. The other hand and the order of the pile never enter:
the unseen tiles are what neither lies on the table nor in the own hand.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Record, Rows, StateArray
from quiltrail.core.jit import compiled
from quiltrail.core.legality import BYTE_MASKS, write_bits
from quiltrail.core.observation import WORD_BYTES, ObservationField, field_words, word_span
from quiltrail.envs.tinrail.match import BOTH_SEATS, hand_size
from quiltrail.envs.tinrail.rails import PARTNERS, ways_on
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    HALF_TURN_PORT,
    HALF_TURN_ROTATION,
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
)

FIELDS = (
    ObservationField(
        "table",
        (NUM_CELLS, NUM_PORTS),
        NUM_PORTS - 1,
        "for each port of each cell the other end of its strand; -1 where no tile lies",
        low=-1,
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
        NUM_PORTS - 1,
        "for each action the strands it lays, coded as in table; -1 where the hand is shorter",
        low=-1,
    ),
    ObservationField(
        "departure",
        (NUM_ACTIONS, NUM_PORTS),
        1,
        "for each action one-hot of the port by which the own engine first leaves its cell",
    ),
    ObservationField(
        "off",
        (NUM_SEATS, NUM_PORTS),
        1,
        "ports of the own, then the opponent's cell by which an engine would leave the table",
    ),
    ObservationField(
        "ways",
        (NUM_SEATS, NUM_PORTS),
        NUM_PORTS,
        "for the same ports: 1 + the number of ports that lead on from where an engine would come "
        "to rest; 0 by its own port, off the table and back to the same cell",
    ),
    ObservationField(
        "unseen", (NUM_TILES,), 1, "tiles that lie neither on the table nor in the own hand"
    ),
    ObservationField("opponent_hand", (HAND_SIZE,), 1, "ones for the tiles the opponent holds"),
    ObservationField("pile", (PILE_SIZE,), 1, "ones for the tiles in the pile"),
    ObservationField("seat", (NUM_SEATS,), 1, "one-hot: the first or the second player"),
)

Words = NDArray[np.uint64]

_BYTE = 0xFF
_NOWHERE = NUM_PORTS  # and 8 xor 4, when turned: rows of zeros in the table of ports


def _as_words(rows: NDArray[np.int8]) -> Words:
    """Return rows of eight bytes as words, without their last axis."""
    words: Words = np.ascontiguousarray(rows).view(np.uint64)[..., 0]
    return words


def _strand_words() -> Words:
    """Return (2, 256): the eight partner ports of a laid tile, for the first and second seat.

    Columns are 4 * tile + rotation taken modulo 256, so that EMPTY finds one of those that say
    that no tile lies there, and a kernel needs neither a branch nor a check of bounds.
    """
    rows = np.full((NUM_SEATS, _BYTE + 1, NUM_PORTS), -1, np.int8)
    rows[0, :NUM_PLACEMENTS] = PARTNERS
    # Turned by 180 degrees a tile shows what it shows two quarter-turns on.
    rows[1, :NUM_PLACEMENTS] = PARTNERS[np.arange(NUM_PLACEMENTS) ^ HALF_TURN_ROTATION]
    return _as_words(rows)


def _departures() -> NDArray[np.int16]:
    """Return (256, 8): the port out by the port in, for columns as above; 8 where no tile lies."""
    table = np.full((_BYTE + 1, NUM_PORTS), _NOWHERE, np.int16)
    table[:NUM_PLACEMENTS] = PARTNERS
    return table


def _port_words() -> Words:
    """Return (16,): one-hot of a port, all zeros from 8 on."""
    rows = np.eye(2 * NUM_PORTS, NUM_PORTS, dtype=np.int8)
    return _as_words(rows)


def _byte_shifts() -> Words:
    """Return (8,): by how many bits a value is shifted to lie in byte i of a word."""
    shifts = 8 * np.arange(WORD_BYTES, dtype=np.uint64)
    return shifts if sys.byteorder == "little" else shifts[::-1].copy()


def _unary_words(most: int) -> Words:
    """Return (most + 1, words): row n has n ones, then zeros."""
    ones = np.arange(WORD_BYTES * word_span(most)) < np.arange(most + 1)[:, None]
    return ones.astype(np.int8).view(np.uint64)


_STRAND_WORDS = _strand_words()
_DEPARTURES = _departures()
_PORT_WORDS = _port_words()
_SHIFTS = _byte_shifts()
_PILE_WORDS = _unary_words(PILE_SIZE)
_HAND_WORDS = _unary_words(HAND_SIZE)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL_TILES = np.uint64((1 << NUM_TILES) - 1)
_HALF_WORD = np.uint64(4 * WORD_BYTES)

# The word at which each field of an observation begins.
_AT = field_words(FIELDS)
_TABLE, _ENGINES, _OFF, _WAYS = _AT["table"], _AT["engines"], _AT["off"], _AT["ways"]
_HAND, _DEPARTURE, _UNSEEN = _AT["hand"], _AT["departure"], _AT["unseen"]
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
    """Show what each action lays, and by which port the own engine leaves first."""
    hand, notch = game["hands"][seat], int(game["notches"][seat])
    port = notch & (NUM_PORTS - 1)
    turn = HALF_TURN_PORT * seat
    strands = _STRAND_WORDS[seat]
    for card in range(HAND_SIZE):
        first = NUM_ROTATIONS * int(hand[card])
        for rotation in range(NUM_ROTATIONS):
            action = NUM_ROTATIONS * card + rotation
            laid = (first + rotation) & _BYTE
            words[_HAND + action] = strands[laid]
            words[_DEPARTURE + action] = _PORT_WORDS[_DEPARTURES[laid, port] ^ turn]
    if notch == OFF:
        for action in range(NUM_ACTIONS):
            words[_DEPARTURE + action] = _ZERO


@compiled
def _see_engine(game: Record, track: Record, seat: int, who: int, words: Words) -> None:
    """Show one engine's notch and where the ports of its cell lead; the words are zero before."""
    notch = int(game["notches"][seat if who == 0 else 1 - seat])
    if notch == OFF:
        return
    cell, port = notch >> PORT_BITS, notch & (NUM_PORTS - 1)
    first = who * (NUM_CELLS + NUM_PORTS)
    _mark(words, first + (cell if seat == 0 else NUM_CELLS - 1 - cell))
    _mark(words, first + NUM_CELLS + (port ^ (HALF_TURN_PORT * seat)))
    lost = BYTE_MASKS[track["off"][cell] & _BYTE]
    ways = _ZERO
    for way_out in range(NUM_PORTS):
        rest = int(track["ends"][(cell << PORT_BITS) + way_out])
        count = ways_on(track, rest) if rest != OFF else 0
        if rest >> PORT_BITS == cell or way_out == port:
            count = 0
        ways |= np.uint64(count) << _SHIFTS[way_out]
    words[_OFF + who] = _turned(lost, seat)
    words[_WAYS + who] = _turned(ways, seat)


@compiled
def _turned(word: np.uint64, seat: int) -> np.uint64:
    """Return bytes 0 to 7 in the order of the ports as a seat sees them: 4 to 7, then 0 to 3."""
    if seat == 0:
        return word
    return (word << _HALF_WORD) | (word >> _HALF_WORD)


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
        words[_OFF + who] = _ZERO
        words[_WAYS + who] = _ZERO
        _see_engine(game, track, seat, who, words)
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
def observe_rows(state: StateArray, rails: StateArray, rows: Rows, words: Words) -> None:
    """Write the observations of rows, each for the seat that is to act there.

    ``words`` is the batch's observation as words, (B, W).
    """
    for r in range(rows.shape[0]):
        row = rows[r]
        game = state[row]
        see(game, rails[row], observer_of(game), words[row])


@compiled
def observe_seats(
    state: StateArray, rails: StateArray, rows: Rows, seats: Rows, words: Words
) -> None:
    """Write into row r of ``words`` what seat ``seats[r]`` sees of game ``rows[r]``."""
    for r in range(rows.shape[0]):
        see(state[rows[r]], rails[rows[r]], seats[r], words[r])
