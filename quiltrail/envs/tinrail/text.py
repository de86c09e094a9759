"""Tinrail in words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from quiltrail.core.array_types import Record
from quiltrail.core.engine import Engine
from quiltrail.envs.tinrail.match import tiles_survived
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rules import (
    DRAW,
    EMPTY,
    NUM_PLACEMENTS,
    NUM_PORTS,
    NUM_ROTATIONS,
    NUM_TILES,
    OFF,
    PILE_SIZE,
    SIZE,
    TILES,
    UNDECIDED,
    WIN_FIRST,
    turned,
)
from quiltrail.envs.wording import Wording, cells_text

SEAT_NAMES = ("first", "second")

WORDING = Wording(
    title="Tinrail",
    goal=(
        "Two engines ride on one table of rails; keep yours on it longer than your opponent's. "
        "You win when the other engine is out and yours is not, whoever laid the tile."
    ),
    scoring=(
        "Paid once, at the end. Tiles survived is the number of placements, by either side, after "
        "which your engine was still on the table. A win pays 100 + 5 for each, a draw 50 + 2 for "
        "each, a loss 2 for each. Against Easy that is multiplied by 0.6 and rounded down."
    ),
    rules=(
        "The table has 6 x 6 cells, cell = row * 6 + column, row 0 at the top. A cell has eight "
        "ports, clockwise from the top left: 0 and 1 on the top edge, 2 and 3 right, 4 and 5 "
        "bottom (from right to left), 6 and 7 left (from bottom to top). Port p meets port "
        "[5,4,7,6,1,0,3,2][p] of the neighbour across its edge. A tile joins its eight ports by "
        "four strands, written [a,b]; strands do not touch each other. There are 35 tiles, no two "
        "alike under rotation, each once. Rotation r is r quarter-turns clockwise: [a,b] becomes "
        "[(a+2r)%8,(b+2r)%8]. "
        "An engine waits at an empty cell, with the port by which it will enter. "
        'PLACE: {"type":"place","tileIndex":0,"rotation":0} lays a tile of your hand in the cell '
        "your engine faces; you have to, and every tile at every rotation is legal, also one that "
        "puts you out. Every engine facing that cell then rides: in by its port, out by the "
        "strand's other end, across the edge, on over laid tiles, until it rests before an empty "
        "cell or leaves the table and is out. Engines that ride one strand in opposite directions "
        "are both out. If one engine is out the other wins; both out at once is a draw, and so is "
        "a table with all 35 tiles laid. After your placement you draw a tile while there are any. "
        "The first player starts at cell 32, port 4, the second at cell 3, port 0. Your opponent "
        "answers within your action, so you always see your own turn or the end. The opponent's "
        "hand and the order of the pile are hidden. A refused action changes nothing."
    ),
    credit=(
        "The rules are those of Tinrail, published by gameboard.gg; this package is independent "
        "of it. The deck of a seed and both bots' play are this package's own: the same seed plays "
        "differently there."
    ),
    choices={"opponent": ("wise", "easy")},
)


def observe(engine: Engine, row: int) -> str:
    """Return the table, both engines and the own hand at all rotations, as lines of text."""
    game = engine.state[row]
    alone = game["opponent"] == BOTH_SEATS
    seat = int(game["to_move"] if alone else game["seat"])
    return "\n".join(_lines(game, seat))


def _lines(game: Record, seat: int) -> Iterator[str]:
    yield _status(int(game["result"]), seat)
    yield f"Tiles laid: {game['turn']} of {NUM_TILES}; in the pile: {PILE_SIZE - game['drawn']}."
    for who, one in (("Your", seat), ("The opponent's", 1 - seat)):
        where = _place_of(int(game["notches"][one]))
        yield f"{who} engine {where}; tiles survived: {tiles_survived(game, one)}."
    yield "Laid tiles, strands as they lie:" if game["turn"] else "No tile lies on the table."
    for cell, laid in enumerate(game["table"].tolist()):
        if laid != EMPTY:
            yield f"cell {cell}: {_strands_text(laid)}"
    if game["result"] == UNDECIDED:
        for index, tile in enumerate(game["hands"][seat].tolist()):
            if tile != EMPTY:
                yield from _tile_lines(index, tile)


@lru_cache(maxsize=NUM_PLACEMENTS)
def _strands_text(laid: int) -> str:
    tile, rotation = divmod(laid, NUM_ROTATIONS)
    return cells_text(turned(TILES[tile], rotation))


def _tile_lines(index: int, tile: int) -> Iterator[str]:
    yield f"Hand, tileIndex {index}:"
    for rotation in range(NUM_ROTATIONS):
        yield f"  rotation {rotation}: {_strands_text(NUM_ROTATIONS * tile + rotation)}"


def _status(result: int, seat: int) -> str:
    you = f"You are the {SEAT_NAMES[seat]} player."
    if result == UNDECIDED:
        return f"{you} It is your turn."
    if result == DRAW:
        return f"{you} The match has ended in a draw."
    return f"{you} The match has ended: you have {'won' if result == WIN_FIRST + seat else 'lost'}."


def _place_of(notch: int) -> str:
    if notch == OFF:
        return "is off the table"
    cell, port = divmod(notch, NUM_PORTS)
    row, column = divmod(cell, SIZE)
    return f"faces cell {cell} (row {row}, column {column}), entering by port {port}"
