"""Tinrail's constants: table, ports, tiles, results, score, action numbering.

Source: the published rules of Tinrail (gameboard.gg). The numbering of the 35 tiles, the deck of a
seed and the bots are ours; RULES says which tile has which number.
"""

from __future__ import annotations

from collections.abc import Iterator

from quiltrail.core.actions import ActionCodec, ActionField, ActionKind

SIZE = 6  # the table has 6 x 6 cells; cell = 6 * row + column
NUM_CELLS = SIZE * SIZE
NUM_PORTS = 8
NUM_STRANDS = NUM_PORTS // 2
NUM_ROTATIONS = 4
_PORTS_PER_TURN = 2  # a quarter-turn clockwise moves port p to p + 2
NUM_TILES = 35
NUM_PLACEMENTS = NUM_TILES * NUM_ROTATIONS
NUM_SEATS = 2
HAND_SIZE = 3
PILE_SIZE = NUM_TILES - NUM_SEATS * HAND_SIZE
NUM_ACTIONS = HAND_SIZE * NUM_ROTATIONS

#: Ports 0 to 7 run clockwise from the top left; ADJ[p] is the port that p meets across the edge.
ADJ = (5, 4, 7, 6, 1, 0, 3, 2)
#: Row and column step over the edges top, right, bottom, left; port p lies on edge p // 2.
EDGE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))

# A notch is a cell and the port an engine will enter it by: 8 * cell + port.
PORT_BITS = 3
NUM_NOTCHES = NUM_CELLS * NUM_PORTS
STARTS = (32 * NUM_PORTS + 4, 3 * NUM_PORTS + 0)
OFF = -1  # in place of a notch: off the table
EMPTY = -1  # in place of a tile: none

# The table turned by 180 degrees: cell -> 35 - cell, port -> port ^ 4, rotation -> rotation ^ 2.
HALF_TURN_PORT = 4

UNDECIDED, WIN_FIRST, WIN_SECOND, DRAW = range(4)
RESULTS = (None, "win0", "win1", "draw")

WIN_BASE, WIN_PER_TILE = 100, 5
DRAW_BASE, DRAW_PER_TILE = 50, 2
LOSS_PER_TILE = 2
EASY_NUMERATOR, EASY_DENOMINATOR = 3, 5  # x 0.6 against Easy

Strands = tuple[tuple[int, int], ...]


def turned(strands: Strands, rotation: int) -> Strands:
    """Return strands after ``rotation`` quarter-turns clockwise, pairs ascending and sorted."""
    shift = _PORTS_PER_TURN * rotation
    moved = [((a + shift) % NUM_PORTS, (b + shift) % NUM_PORTS) for a, b in strands]
    return tuple(sorted((min(pair), max(pair)) for pair in moved))


def _matchings(ports: tuple[int, ...]) -> Iterator[Strands]:
    if not ports:
        yield ()
        return
    first, *others = ports
    for partner in others:
        rest = tuple(port for port in others if port != partner)
        for strands in _matchings(rest):
            yield ((first, partner), *strands)


def _tiles() -> tuple[Strands, ...]:
    """Return the 35 tiles: of each class under rotation the smallest strands, ascending."""
    rotations = range(NUM_ROTATIONS)
    all_ports = tuple(range(NUM_PORTS))
    return tuple(sorted({min(turned(m, r) for r in rotations) for m in _matchings(all_ports)}))


TILES = _tiles()

CODEC = ActionCodec(
    ActionKind(
        "place",
        0,
        (
            ActionField("tileIndex", tuple(range(HAND_SIZE))),
            ActionField("rotation", tuple(range(NUM_ROTATIONS)), enumerated=True),
        ),
    ),
    extra_keys=True,
)
