"""Tinrail as text and as a picture, always in table coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rules import (
    HAND_SIZE,
    NUM_CELLS,
    NUM_ROTATIONS,
    NUM_SEATS,
    RESULTS,
    SIZE,
    TILES,
    turned,
)
from quiltrail.envs.tinrail.text import SEAT_NAMES
from quiltrail.envs.tinrail.tracks import Placement, last_placement
from quiltrail.render import Canvas, Color, Point, Theme, mix
from quiltrail.render.canvas import Cap, Dash

_ENDINGS = {"win0": "first player wins", "win1": "second player wins", "draw": "draw"}

# Text: a cell is four lines of five characters, its ports around the rim.
_PORT_PLACES = ((0, 1), (0, 3), (1, 4), (2, 4), (3, 3), (3, 1), (2, 0), (1, 0))
_TEXT_HEIGHT, _TEXT_WIDTH = 4, 5
_STRAND_LETTERS = "abcd"

# Picture: units.
_BOARD_LEFT, _BOARD_TOP, _CELL = 4.0, 13.0, 11.2
_BOARD_SIDE = SIZE * _CELL
_HAND_LEFT, _HAND_TILE, _HAND_PITCH = 77.0, 18.0, 22.0
_LEGEND_TOP = 85.5
_BED, _STEEL, _GAP = 0.2, 0.125, 0.065  # line widths, shares of a cell
_SLEEPERS = (0.03, 0.055)  # along the track: wood, then none
_RIDE = 0.11
_RIM = 1.0  # units that an engine may stick out of its cell
_OUTER, _INNER = 1 / 3, 2 / 3  # where the two ports of an edge lie
_BEND = 0.3  # how deep a track reaches that returns to its own edge


def ansi(engine: Engine, row: int) -> str:
    """Return the position as text: letters a to d join the ports of a tile, 1 and 2 are engines."""
    view = engine.view(row)
    rule = "+".join(["", *["-" * _TEXT_WIDTH] * SIZE, ""])
    lines = [_headline(view), rule]
    for first in range(0, NUM_CELLS, SIZE):
        cells = [_cell_text(view, cell) for cell in range(first, first + SIZE)]
        lines += ["|".join(["", *parts, ""]) for parts in zip(*cells, strict=True)]
        lines.append(rule)
    for place, rotations in enumerate(view["hand"]):
        shown = "   ".join(
            f"{rotation}: {_strands_text(strands)}" for rotation, strands in enumerate(rotations)
        )
        lines.append(f"tile {place}  rotation {shown}")
    return "\n".join(lines) + "\n"


def _headline(view: dict[str, Any]) -> str:
    if view["result"] is not None:
        state = f"ended: {_ENDINGS[view['result']]}"
    else:
        state = f"{SEAT_NAMES[view['toMove']]} player to move"
    first, second = view["tilesSurvived"]
    return (
        f"placed {view['tilesPlaced']}  pile {view['pileLength']}  "
        f"survived {first} and {second}  {state}"
    )


def _cell_text(view: dict[str, Any], cell: int) -> list[str]:
    """Return the lines of one cell."""
    marks = [[" "] * _TEXT_WIDTH for _ in range(_TEXT_HEIGHT)]
    for letter, pair in zip(_STRAND_LETTERS, view["table"].get(str(cell), []), strict=False):
        for port in pair:
            line, column = _PORT_PLACES[port]
            marks[line][column] = letter
    for seat, engine in enumerate(view["engines"]):
        if engine is not None and engine["cell"] == cell:
            line, column = _PORT_PLACES[engine["port"]]
            marks[line][column] = str(seat + 1)
    return ["".join(line) for line in marks]


def _strands_text(strands: list[list[int]]) -> str:
    return " ".join(f"{a}{b}" for a, b in strands)


def paint(canvas: Canvas, engine: Engine, row: int) -> None:
    """Draw table, rails and engines; the last ride is drawn in its player's colour."""
    view = engine.view(row)
    canvas.stamp(_paint_backdrop, 0.0, 0.0, canvas.width, canvas.height)
    _draw_header(canvas, view)
    for cell, laid in enumerate(engine.state["table"][row].tolist()):
        if laid >= 0:
            canvas.stamp(paint_tile, *_corner(cell), _CELL, _CELL, laid)
    last = last_placement(engine.state[row])
    if last is not None:
        _draw_last(canvas, last)
    for seat, notch in enumerate(view["engines"]):
        if notch is not None:
            draw_engine(canvas, seat, notch["cell"], notch["port"])
    _draw_hand(canvas, engine, row, view)
    _draw_legend(canvas, engine, row, view)


def _paint_backdrop(canvas: Canvas) -> None:
    """Draw the empty table and the places of the hand."""
    theme = canvas.theme
    side = _BOARD_SIDE + 3.0
    canvas.panel(_BOARD_LEFT - 1.5, _BOARD_TOP - 1.5, side, side, radius=2.5)
    for cell in range(NUM_CELLS):
        x, y = _corner(cell)
        canvas.rect(x + 0.2, y + 0.2, _CELL - 0.4, _CELL - 0.4, theme.well, radius=0.8)
    for place in range(HAND_SIZE):
        y = _BOARD_TOP + place * _HAND_PITCH
        canvas.rect(_HAND_LEFT, y, _HAND_TILE, _HAND_TILE, theme.well, radius=1.6)


def _corner(cell: int) -> Point:
    return _BOARD_LEFT + _CELL * (cell % SIZE), _BOARD_TOP + _CELL * (cell // SIZE)


def _draw_header(canvas: Canvas, view: dict[str, Any]) -> None:
    theme = canvas.theme
    canvas.text(f"Tile {view['tilesPlaced']}", 5, 7, 4.2, theme.ink, align="left", bold=True)
    if view["result"] is not None:
        words, color = _ENDINGS[view["result"]], theme.ink
        if view["result"] != "draw":
            color = theme.players[RESULTS.index(view["result"]) - 1]
    else:
        words = f"{SEAT_NAMES[view['toMove']]} player's turn"
        color = theme.players[view["toMove"]]
    canvas.fitted_text(words.capitalize(), 95, 7, 4.2, 62, color, align="right", bold=True)


def _draw_last(canvas: Canvas, last: Placement) -> None:
    """Outline the last tile and draw the rides it set off."""
    theme = canvas.theme
    x, y = _corner(last.cell)
    color = theme.players[last.seat]
    canvas.rect(x, y, _CELL, _CELL, color, radius=0.9, outline=0.6)
    for seat, ride in last.rides.items():
        for cell, port, way_out in ride.passages:
            ports = sorted((port, way_out))
            canvas.stamp(_paint_ride, *_corner(cell), _CELL, _CELL, seat, *ports)


def _paint_ride(canvas: Canvas, seat: int, a: int, b: int) -> None:
    _draw_track(canvas, (a, b), _RIDE, canvas.theme.players[seat])


def draw_engine(canvas: Canvas, seat: int, cell: int, port: int) -> None:
    """Draw a seat's engine at its notch, over what lies in the cell."""
    x, y = _corner(cell)
    side = _CELL + 2 * _RIM
    canvas.stamp(_paint_engine, x - _RIM, y - _RIM, side, side, seat, port)


def _paint_engine(canvas: Canvas, seat: int, port: int) -> None:
    """Draw an engine at its notch: a wedge that points into the cell it will enter."""
    theme = canvas.theme
    forward = np.array(inward(port), float)
    aside = np.array([-forward[1], forward[0]])
    base = _RIM + _CELL * np.array(port_point(port))
    for reach, half, color in ((4.1, 2.5, theme.ink), (3.3, 1.85, theme.players[seat])):
        back = base - 0.5 * forward * (reach - 3.3)
        shape = [back + half * aside, back - half * aside, base + reach * forward]
        canvas.polygon([(float(a), float(b)) for a, b in shape], color=color)
    label = base + 1.15 * forward
    canvas.text(str(seat + 1), float(label[0]), float(label[1]), 1.7, theme.panel, bold=True)


def _draw_hand(canvas: Canvas, engine: Engine, row: int, view: dict[str, Any]) -> None:
    """Draw the mover's tiles at rotation 0, numbered as in the action."""
    theme = canvas.theme
    if view["toMove"] is None:
        return
    for place, tile in enumerate(engine.state["hands"][row, view["toMove"]].tolist()):
        y = _BOARD_TOP + place * _HAND_PITCH
        if tile >= 0:
            canvas.stamp(paint_tile, _HAND_LEFT, y, _HAND_TILE, _HAND_TILE, NUM_ROTATIONS * tile)
            canvas.text(str(place), _HAND_LEFT - 2.2, y + _HAND_TILE / 2, 2.6, theme.muted)


def _draw_legend(canvas: Canvas, engine: Engine, row: int, view: dict[str, Any]) -> None:
    """Say for each engine how long it has survived, and how long the pile is."""
    theme = canvas.theme
    game = engine.state[row]
    for seat in range(NUM_SEATS):
        y = _LEGEND_TOP + 5.6 * seat
        riding = view["engines"][seat] is not None
        canvas.circle(6.5, y, 1.8, theme.players[seat], outline=None if riding else 0.5)
        is_you = game["opponent"] != BOTH_SEATS and game["seat"] == seat
        words = f"{SEAT_NAMES[seat]}{' (you)' if is_you else ''}"
        words += f": {view['tilesSurvived'][seat]} tiles{'' if riding else ', out'}"
        canvas.text(words, 10.5, y, 2.8, theme.ink, align="left")
    canvas.text(f"pile {view['pileLength']}", 95, _LEGEND_TOP, 2.8, theme.muted, align="right")
    if view["result"] is not None:
        points = f"score {engine.score[row]}"
        canvas.text(points, 95, _LEGEND_TOP + 5.6, 2.8, theme.ink, align="right", bold=True)


def paint_tile(canvas: Canvas, laid: int) -> None:
    """Draw a tile with its four tracks: bed, sleepers, steel, and the gap between two rails."""
    theme = canvas.theme
    side = canvas.width
    tile, rotation = divmod(laid, NUM_ROTATIONS)
    inset = 0.02 * side
    inner = side - 2 * inset
    canvas.rect(inset, inset, inner, inner, theme.panel, radius=0.08 * side)
    canvas.rect(inset, inset, inner, inner, theme.line, radius=0.08 * side, outline=inset)
    for paint_part in (_paint_bed, _paint_rails):
        for strand in turned(TILES[tile], rotation):
            canvas.stamp(paint_part, 0.0, 0.0, side, side, *sorted(strand))


def _paint_bed(canvas: Canvas, a: int, b: int) -> None:
    _draw_track(canvas, (a, b), _BED, _bed_color(canvas.theme))


def _paint_rails(canvas: Canvas, a: int, b: int) -> None:
    theme = canvas.theme
    _draw_track(canvas, (a, b), _BED, theme.wood, dash=_SLEEPERS)
    _draw_track(canvas, (a, b), _STEEL, theme.rail)
    _draw_track(canvas, (a, b), _GAP, _bed_color(theme))


def _bed_color(theme: Theme) -> Color:
    return mix(theme.wood, theme.panel, 0.7)


def _draw_track(
    canvas: Canvas, strand: tuple[int, int], width: float, color: Color, dash: Dash | None = None
) -> None:
    """Draw a smooth track between two ports of a cell, the canvas; lengths are shares of it."""
    side = canvas.width
    points = [(side * x, side * y) for x, y in track_curve(*strand)]
    parts = None if dash is None else (dash[0] * side, dash[1] * side)
    cap: Cap = "butt" if dash else "round"  # round ends join the curves without a hairline
    for start, control, end in zip(points[:-1:2], points[1::2], points[2::2], strict=True):
        canvas.curve(start, control, end, width * side, color, cap=cap, dash=parts)


def track_curve(a: int, b: int) -> list[Point]:
    """Return a track as quadratic curves in a unit cell: start, control, end, control, end, ..

    It leaves both ports at a right angle to their edges.
    """
    start, end = port_point(a), port_point(b)
    first, last = inward(a), inward(b)
    if a // 2 != b // 2 and (a // 2 - b // 2) % 2 == 1:  # neighbouring edges: one bend
        corner = (
            start[0] if first[0] == 0 else end[0],
            start[1] if first[1] == 0 else end[1],
        )
        return [start, corner, end]
    depth = _BEND if a // 2 == b // 2 else 1 / 4
    one = (start[0] + depth * first[0], start[1] + depth * first[1])
    other = (end[0] + depth * last[0], end[1] + depth * last[1])
    middle = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
    return [start, one, middle, other, end]


def port_point(port: int) -> Point:
    """Return where a port lies on the rim of a unit cell."""
    along = (_OUTER, _INNER)[port % 2]
    return ((along, 0.0), (1.0, along), (1.0 - along, 1.0), (0.0, 1.0 - along))[port // 2]


def inward(port: int) -> tuple[int, int]:
    """Return the direction from a port into its cell."""
    return ((0, 1), (-1, 0), (0, -1), (1, 0))[port // 2]


def cell_at(x: float, y: float) -> int | None:
    """Return the cell under a point of the picture, None beside the table."""
    across, down = int((x - _BOARD_LEFT) // _CELL), int((y - _BOARD_TOP) // _CELL)
    return SIZE * down + across if 0 <= across < SIZE and 0 <= down < SIZE else None


def hand_place_at(x: float, y: float) -> int | None:
    """Return the place of the hand under a point of the picture, None beside it."""
    if not _HAND_LEFT <= x < _HAND_LEFT + _HAND_TILE:
        return None
    place, rest = divmod(y - _BOARD_TOP, _HAND_PITCH)
    return int(place) if 0 <= place < HAND_SIZE and rest < _HAND_TILE else None


def draw_held(canvas: Canvas, place: int, tile: int, rotation: int, cell: int) -> None:
    """Draw a tile of the hand as it would lie in a cell, and mark it in the hand, turned."""
    laid, accent = NUM_ROTATIONS * tile + rotation, canvas.theme.accent
    canvas.stamp(paint_tile, *_corner(cell), _CELL, _CELL, laid)
    canvas.rect(*_corner(cell), _CELL, _CELL, accent, radius=0.9, outline=0.8)
    y = _BOARD_TOP + place * _HAND_PITCH
    canvas.stamp(paint_tile, _HAND_LEFT, y, _HAND_TILE, _HAND_TILE, laid)
    canvas.rect(_HAND_LEFT, y, _HAND_TILE, _HAND_TILE, accent, radius=1.6, outline=0.9)
