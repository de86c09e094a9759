"""Rails: where every track ends, kept up to date, so that a ride is a look-up.

For an empty cell, ``ends[8 * cell + port]`` is the notch where an engine that leaves the cell by
that port comes to rest, or OFF. Laying a tile joins four pairs of such ends and changes at most
eight entries; nothing is ever traced. ``off[cell]`` has bit ``port`` set where the end is OFF.

A placement can be tried and taken back: `lay` writes a log, `take_back` undoes it. Kernels pass the
record of a match's rails about, one pointer, and not its arrays, seven words each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record
from quiltrail.core.jit import compiled
from quiltrail.envs.tinrail.rules import (
    ADJ,
    EDGE_STEPS,
    EMPTY,
    NUM_CELLS,
    NUM_NOTCHES,
    NUM_PLACEMENTS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_STRANDS,
    OFF,
    PORT_BITS,
    SIZE,
    TILES,
    turned,
)

#: What is kept beside a match.
RAILS = np.dtype(
    [
        ("tiles", np.uint64),  # bit t for a tile t on the table
        ("ends", np.int16, (NUM_NOTCHES,)),
        ("off", np.int16, (NUM_CELLS,)),
        ("log", np.int16, (2 * NUM_STRANDS, 2)),  # entries of ends the last `lay` changed, before
    ],
    align=True,
)


def _partners() -> NDArray[np.int16]:
    """Return (140, 8): the other end of each port's strand, for 4 * tile + rotation."""
    table = np.zeros((NUM_PLACEMENTS, NUM_PORTS), np.int16)
    for tile, strands in enumerate(TILES):
        for rotation in range(NUM_ROTATIONS):
            for a, b in turned(strands, rotation):
                table[NUM_ROTATIONS * tile + rotation, [a, b]] = b, a
    return table


def _distinct_rotations() -> NDArray[np.int64]:
    """Return (35,): how many rotations of each tile differ, 1, 2 or 4; they come first."""
    rotations = range(NUM_ROTATIONS)
    return np.array([len({turned(strands, r) for r in rotations}) for strands in TILES])


def neighbour(cell: int, port: int) -> int:
    """Return the notch beyond the edge at ``port``, or OFF at the edge of the table."""
    row_step, column_step = EDGE_STEPS[port // 2]
    row, column = cell // SIZE + row_step, cell % SIZE + column_step
    if not (0 <= row < SIZE and 0 <= column < SIZE):
        return OFF
    return NUM_PORTS * (SIZE * row + column) + ADJ[port]


def _open_rails() -> NDArray[np.void]:
    """Return (1,) RAILS: those of the empty table."""
    rails = np.zeros(1, RAILS)
    for notch in range(NUM_NOTCHES):
        cell, port = divmod(notch, NUM_PORTS)
        rails["ends"][0, notch] = neighbour(cell, port)
        rails["off"][0, cell] |= (neighbour(cell, port) == OFF) << port
    return rails


def _bit_counts() -> NDArray[np.int16]:
    return np.array([bits.bit_count() for bits in range(1 << NUM_PORTS)], np.int16)


PARTNERS = _partners()
DISTINCT_ROTATIONS = _distinct_rotations()
BIT_COUNTS = _bit_counts()  # of a byte
_OPEN_RAILS = _open_rails()
_OPEN_ENDS = _OPEN_RAILS["ends"][0].copy()
_OPEN_OFF = _OPEN_RAILS["off"][0].copy()
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def _redirect(track: Record, notch: int, end: int, count: int) -> int:
    """Give a notch a new end; return how many entries the log has then."""
    track["log"][count, 0] = notch
    track["log"][count, 1] = track["ends"][notch]
    _set_end(track, notch, end)
    return count + 1


@compiled
def _set_end(track: Record, notch: int, end: int) -> None:
    track["ends"][notch] = end
    bit = 1 << (notch & (NUM_PORTS - 1))
    if end == OFF:
        track["off"][notch >> PORT_BITS] |= bit
    else:
        track["off"][notch >> PORT_BITS] &= ~bit


@compiled
def lay(track: Record, cell: int, laid: int) -> int:
    """Lay a tile (4 * tile + rotation) in an empty cell; return the length of the log.

    Beyond both ports of a strand there is a track; from now on each ends where the other does.
    A track that comes back to the same cell is met again by another strand and joined on.
    """
    base = cell << PORT_BITS
    ends = track["ends"]
    count = 0
    for port in range(NUM_PORTS):
        partner = int(PARTNERS[laid, port])
        if partner < port:
            continue
        one, other = int(ends[base + port]), int(ends[base + partner])
        if one == base + partner:
            continue  # the strand closes a circle, which no engine can enter
        if one != OFF:
            count = _redirect(track, one, other, count)
        if other != OFF:
            count = _redirect(track, other, one, count)
    return count


@compiled
def take_back(track: Record, count: int) -> None:
    """Undo a placement of `lay`."""
    for entry in range(count - 1, -1, -1):
        _set_end(track, int(track["log"][entry, 0]), int(track["log"][entry, 1]))


@compiled
def put_down(track: Record, cell: int, laid: int) -> None:
    """Lay a tile for good."""
    track["tiles"] |= _ONE << np.uint64(laid // NUM_ROTATIONS)
    lay(track, cell, laid)


@compiled
def rebuild(track: Record, table: NDArray[np.int16]) -> None:
    """Find the rails of a table (36,) of 4 * tile + rotation or EMPTY."""
    track["tiles"] = _ZERO
    track["ends"][:] = _OPEN_ENDS
    track["off"][:] = _OPEN_OFF
    for cell in range(NUM_CELLS):
        if table[cell] != EMPTY:
            put_down(track, cell, int(table[cell]))


@compiled
def _ride(track: Record, notch: int, laid: int) -> int:
    """Return where an engine comes to rest that rides over a tile about to be laid in its cell.

    A ride crosses the tile once for every strand at most. One that would go on for ever, which no
    play can bring about, counts as off the table.
    """
    cell = notch >> PORT_BITS
    base = cell << PORT_BITS
    for _ in range(NUM_STRANDS):
        rest = int(track["ends"][base + PARTNERS[laid, notch - base]])
        if rest >> PORT_BITS != cell:
            return rest
        notch = rest
    return OFF


@compiled
def _meets(track: Record, notch: int, other: int, laid: int) -> bool:
    """Return whether an engine's ride leaves the tile by the port the other engine enters by.

    Exactly then the two rides have a strand in common, in opposite directions: the one is the
    other backwards from there on.
    """
    cell = notch >> PORT_BITS
    base = cell << PORT_BITS
    for _ in range(NUM_STRANDS):
        way_out = base + int(PARTNERS[laid, notch - base])
        if way_out == other:
            return True
        notch = int(track["ends"][way_out])
        if notch >> PORT_BITS != cell:
            return False
    return False


@compiled
def after(track: Record, notch: int, other: int, cell: int, laid: int) -> int:
    """Return where the engine at ``notch`` is once a tile is laid in ``cell``.

    Ask before laying it. ``other`` is the notch of the other engine; both are eliminated where
    they meet head on. An engine that does not face the cell stays where it is.
    """
    if notch >> PORT_BITS != cell:
        return notch
    if other >> PORT_BITS == cell and _meets(track, notch, other, laid):
        return OFF
    return _ride(track, notch, laid)


@compiled
def ways_on(track: Record, rest: int) -> int:
    """Return 1 + the number of exits of an engine that came to rest at a notch by these rails.

    Exits are the ports, other than its own, that do not lead off the table. By its own port the
    rails lead back to where it came from, so that port never counts as off.
    """
    return NUM_PORTS - int(BIT_COUNTS[track["off"][rest >> PORT_BITS]])
