"""Tinrail in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quiltrail.core.engine import Engine
from quiltrail.envs.tinrail.match import BOTH_SEATS
from quiltrail.envs.tinrail.rules import NUM_TILES, SIZE
from quiltrail.envs.wording import Wording, cells_text

_TITLES = ("first", "second")

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
    return "\n".join(_lines(engine.view(row), seat))


def _lines(view: dict[str, Any], seat: int) -> Iterator[str]:
    yield _status(view, seat)
    yield f"Tiles laid: {view['tilesPlaced']} of {NUM_TILES}; in the pile: {view['pileLength']}."
    for who, one in (("Your", seat), ("The opponent's", 1 - seat)):
        yield (
            f"{who} engine {_place_of(view['engines'][one])}; "
            f"tiles survived: {view['tilesSurvived'][one]}."
        )
    yield "Laid tiles, strands as they lie:" if view["table"] else "No tile lies on the table."
    for cell, strands in view["table"].items():
        yield f"cell {cell}: {cells_text(strands)}"
    for index, rotations in enumerate(view["hand"]):
        yield f"Hand, tileIndex {index}:"
        for rotation, strands in enumerate(rotations):
            yield f"  rotation {rotation}: {cells_text(strands)}"


def _status(view: dict[str, Any], seat: int) -> str:
    you = f"You are the {_TITLES[seat]} player."
    if view["result"] is None:
        return f"{you} It is your turn."
    if view["result"] == "draw":
        return f"{you} The match has ended in a draw."
    won = view["result"] == f"win{seat}"
    return f"{you} The match has ended: you have {'won' if won else 'lost'}."


def _place_of(notch: dict[str, int] | None) -> str:
    if notch is None:
        return "is off the table"
    row, column = divmod(notch["cell"], SIZE)
    return f"faces cell {notch['cell']} (row {row}, column {column}), entering by {notch['port']}"
