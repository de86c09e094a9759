"""What the learned value sees of an afterstate of Tinrail: active entries of a sparse input.

An afterstate is the table with a tile just laid, before the other seat replies. It is shown twice,
once from each engine, turned and mirrored so that the engine always stands at port 0 of its cell:
the eight images of the table carry its port to each of the eight. Everything shown is public or in
the placer's own hand.

Source of the sparse input, summed row by row: Y. Nasu, "Efficiently updatable neural-network-based
evaluation functions for computer shogi" (2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.bitboard import popcount
from quiltrail.core.jit import compiled
from quiltrail.envs.tinrail.rails import BIT_COUNTS, PARTNERS, ways_on
from quiltrail.envs.tinrail.rules import (
    HAND_SIZE,
    NUM_CELLS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_TILES,
    OFF,
    PORT_BITS,
    SIZE,
)

_SPAN = 2 * SIZE - 1  # of a difference of rows or columns
_NUM_OFFSETS = _SPAN * _SPAN
_SHARES = 16  # steps of a share of tiles, 0 to 16
_ENDS = NUM_PORTS + 3  # off, back to the cell, to the other's cell, else 1 + exits
_OFF_END, _BACK, _OTHERS = range(3)
_WAYS = (3, 5, 7)  # an end is better if at least so many ways lead on from it
_STATUSES = NUM_PORTS + 2  # laid, else 1 + how many ports lead off

# Where the groups of a view begin; each has one active entry, or one for each port or cell.
_CELL = 0
_END = _CELL + NUM_CELLS
_FAR_SHARE = _END + NUM_PORTS * _ENDS
_STATUS = _FAR_SHARE + NUM_PORTS * (_SHARES + 1)
_OTHER_OFFSET = _STATUS + _NUM_OFFSETS * _STATUSES
_OTHER_PORT = _OTHER_OFFSET + _NUM_OFFSETS
_NEAR_SHARE = _OTHER_PORT + NUM_PORTS
_VIEW = _NEAR_SHARE + _SHARES + 1

# Behind the two views: what stands for both.
_TURN = 2 * _VIEW
_STUCK = _TURN + NUM_TILES + 1  # how probably the other hand has no tile to go on with
_SAFE_CARDS = _STUCK + _SHARES + 1  # tiles of the own hand to go on with
_FAR_CHANCE = _SAFE_CARDS + HAND_SIZE  # how probably the other hand misses all better ends
_FAR_CARDS = _FAR_CHANCE + len(_WAYS) * (_SHARES + 1)  # tiles of the own hand that reach them
NUM_ENTRIES = _FAR_CARDS + len(_WAYS) * HAND_SIZE

#: At most so many entries of an afterstate are active.
MOST_ACTIVE = 2 * (NUM_CELLS + 2 * NUM_PORTS + 2) + 3 + 2 * len(_WAYS)

_ONE = np.uint64(1)
_BYTE = 1 << NUM_PORTS


def _safe_tiles() -> NDArray[np.uint64]:
    """Return (8, 256): bits of the tiles that can carry an engine on from a port of a cell.

    The second index has a bit for each port that leads off the table.
    """
    table = np.zeros((NUM_PORTS, _BYTE), np.uint64)
    for laid, partners in enumerate(PARTNERS.tolist()):
        for port, partner in enumerate(partners):
            ways_off = np.arange(_BYTE) >> partner & 1
            table[port, ways_off == 0] |= np.uint64(1 << laid // NUM_ROTATIONS)
    return table


def _places_seen() -> NDArray[np.int16]:
    """Return (8, 36, 2): row and column of a cell in the image that carries a port to port 0."""
    table = np.zeros((NUM_PORTS, NUM_CELLS, 2), np.int16)
    for port in range(NUM_PORTS):
        for cell in range(NUM_CELLS):
            row, column = divmod(cell, SIZE)
            at = port
            if port % 2:
                at, column = (1 - port) % NUM_PORTS, SIZE - 1 - column
            for _ in range((NUM_PORTS - at) // 2 % NUM_ROTATIONS):
                row, column = column, SIZE - 1 - row
            table[port, cell] = row, column
    return table


_SAFE_TILES = _safe_tiles()
_PLACES_SEEN = _places_seen()


class Afterstate(NamedTuple):
    """What an afterstate consists of beside its rails.

    Attributes:
        mine: notch of the engine whose tile was just laid.
        theirs: notch of the other engine, which moves next.
        hand: bits of the placer's other tiles.
        unseen: bits of the tiles neither on the table nor in the placer's hand.
        covered: bits of the cells where tiles lie.
        held: how many tiles the other seat holds.
        turn: how many tiles lie.
    """

    mine: int
    theirs: int
    hand: np.uint64
    unseen: np.uint64
    covered: np.uint64
    held: int
    turn: int


@compiled
def _share(part: int, whole: int) -> int:
    return (_SHARES * part + whole // 2) // whole if whole > 0 else 0


@compiled
def _seen_port(port: int, own: int) -> int:
    """Return what a port is called in the image that carries port ``own`` to port 0."""
    return (own - port if own & 1 else port - own) & (NUM_PORTS - 1)


@compiled
def _safe_at(track: Record, notch: int) -> np.uint64:
    """Return the tiles that can carry an engine on from a notch, by these rails."""
    return np.uint64(_SAFE_TILES[notch & (NUM_PORTS - 1), track["off"][notch >> PORT_BITS]])


@compiled
def _write_ends(
    track: Record,
    notch: int,
    other: int,
    pool: np.uint64,
    base: int,
    active: NDArray[np.int32],
    count: int,
) -> int:
    """Write where the ports of an engine's cell lead; return the count behind."""
    own, cell = notch & (NUM_PORTS - 1), notch >> PORT_BITS
    num_pool = popcount(pool)
    for port in range(NUM_PORTS):
        if port == own:
            continue
        seen = _seen_port(port, own)
        rest = int(track["ends"][(cell << PORT_BITS) + port])
        if rest == OFF:
            end = _OFF_END
        elif rest >> PORT_BITS == cell:
            end = _BACK
        elif rest >> PORT_BITS == other >> PORT_BITS:
            end = _OTHERS
        else:
            end = _OTHERS + ways_on(track, rest)
            share = _share(popcount(pool & _safe_at(track, rest)), num_pool)
            active[count] = base + _FAR_SHARE + seen * (_SHARES + 1) + share
            count += 1
        active[count] = base + _END + seen * _ENDS + end
        count += 1
    return count


@compiled
def _write_cells(
    track: Record,
    notch: int,
    other: int,
    covered: np.uint64,
    base: int,
    active: NDArray[np.int32],
    count: int,
) -> int:
    """Write the table around an engine; return the count behind."""
    cell = notch >> PORT_BITS
    places = _PLACES_SEEN[notch & (NUM_PORTS - 1)]
    row, column = int(places[cell, 0]), int(places[cell, 1])
    active[count] = base + _CELL + SIZE * row + column
    count += 1
    middle = (SIZE - 1 - row) * _SPAN + SIZE - 1 - column
    for there in range(NUM_CELLS):
        offset = middle + int(places[there, 0]) * _SPAN + int(places[there, 1])
        status = 0
        if not (covered >> np.uint64(there)) & _ONE:
            status = 1 + int(BIT_COUNTS[track["off"][there]])
        active[count] = base + _STATUS + offset * _STATUSES + status
        count += 1
        if there == other >> PORT_BITS:
            active[count] = base + _OTHER_OFFSET + offset
            count += 1
    return count


@compiled
def _stuck_chance(safe: int, unseen: int, held: int) -> float:
    """Return how probably a hand of ``held`` of the unseen tiles has none of the safe ones."""
    chance = 1.0
    for card in range(held):
        chance *= max(0, unseen - safe - card) / (unseen - card)
    return chance


@compiled
def _tiles_reaching(track: Record, notch: int, ways: int) -> np.uint64:
    """Return the tiles that can carry an engine to an end with at least so many ways on."""
    own, cell = notch & (NUM_PORTS - 1), notch >> PORT_BITS
    poor = 0
    for port in range(NUM_PORTS):
        rest = int(track["ends"][(cell << PORT_BITS) + port])
        if rest == OFF or rest >> PORT_BITS == cell or ways_on(track, rest) < ways:
            poor |= 1 << port
    return np.uint64(_SAFE_TILES[own, poor])


@compiled
def _write_reach(
    track: Record, position: Afterstate, unseen: int, active: NDArray[np.int32], count: int
) -> int:
    """Write how well either hand can go on; return the count behind."""
    for nth in range(len(_WAYS)):
        reaching = _tiles_reaching(track, position.theirs, _WAYS[nth])
        fit = popcount(position.unseen & reaching)
        chance = _stuck_chance(fit, unseen, position.held)
        active[count] = _FAR_CHANCE + nth * (_SHARES + 1) + int(_SHARES * chance + 0.5)
        reaching = _tiles_reaching(track, position.mine, _WAYS[nth])
        active[count + 1] = _FAR_CARDS + nth * HAND_SIZE + popcount(position.hand & reaching)
        count += 2
    return count


@compiled
def write_active(track: Record, position: Afterstate, active: NDArray[np.int32]) -> int:
    """Write the active entries of an afterstate; return how many there are.

    Args:
        track: its rails.
        position: the rest of it; both engines are on the table and the other seat holds a tile.
        active: (`MOST_ACTIVE`,) written from the start.
    """
    mine, theirs = position.mine, position.theirs
    unseen = popcount(position.unseen)
    active[0] = _TURN + position.turn
    safe = popcount(position.unseen & _safe_at(track, theirs))
    chance = _stuck_chance(safe, unseen, position.held)
    active[1] = _STUCK + int(_SHARES * chance + 0.5)
    own_safe = _safe_at(track, mine)
    active[2] = _SAFE_CARDS + popcount(position.hand & own_safe)
    active[3] = _VIEW + _NEAR_SHARE + _share(safe, unseen)
    active[4] = _NEAR_SHARE + _share(popcount(position.unseen & own_safe), unseen)
    active[5] = _OTHER_PORT + _seen_port(theirs & (NUM_PORTS - 1), mine & (NUM_PORTS - 1))
    active[6] = _VIEW + _OTHER_PORT + _seen_port(mine & (NUM_PORTS - 1), theirs & (NUM_PORTS - 1))
    count = _write_reach(track, position, unseen, active, 7)
    count = _write_cells(track, mine, theirs, position.covered, 0, active, count)
    count = _write_cells(track, theirs, mine, position.covered, _VIEW, active, count)
    pool = position.unseen | position.hand
    count = _write_ends(track, mine, theirs, pool, 0, active, count)
    return _write_ends(track, theirs, mine, position.unseen, _VIEW, active, count)
