"""Patches: groups of squares cut from one cloth, with seams around and stitches along them."""

from __future__ import annotations

from collections.abc import Iterable

from quiltrail.render.canvas import Canvas, Point
from quiltrail.render.fabrics import paint_fabric
from quiltrail.render.themes import luminance, mix

#: Squares as (column, row).
Cells = tuple[tuple[int, int], ...]
_Corner = tuple[int, int]

_SEAM = 0.07  # thickness, in squares
_STITCH_INSET = 0.13
_STITCH = (0.16, 0.12)
_STITCH_THICKNESS = 0.035
_BRIGHT = 0.4

# Along each side of a square with the square at the right hand: (from corner, to corner).
_SIDES = (
    ((0, 0), (1, 0), (0, -1)),
    ((1, 0), (1, 1), (1, 0)),
    ((1, 1), (0, 1), (0, 1)),
    ((0, 1), (0, 0), (-1, 0)),
)


def draw_patch(
    canvas: Canvas, cells: Iterable[tuple[int, int]], x: float, y: float, side: float, fabric: int
) -> None:
    """Draw squares (column, row), counted from (x, y) and ``side`` units wide, as one patch.

    It is a stamp, kept by its shape and fabric; see `Canvas.stamp`.
    """
    squares = sorted(cells)
    left, top = min(c for c, _ in squares), min(r for _, r in squares)
    shape = tuple((column - left, row - top) for column, row in squares)
    columns, rows = 1 + max(c for c, _ in shape), 1 + max(r for _, r in shape)
    canvas.stamp(
        _paint_patch,
        x + left * side,
        y + top * side,
        columns * side,
        rows * side,
        shape,
        columns,
        fabric,
    )


def _paint_patch(canvas: Canvas, cells: Cells, columns: int, fabric: int) -> None:
    """Fill a canvas ``columns`` squares wide with a patch."""
    side = canvas.width / columns
    cloth = canvas.theme.fabrics[fabric]
    loops = outlines(cells)
    ground = [[(x * side, y * side) for x, y in loop] for loop in loops]
    canvas.polygon(*ground, color=cloth.cloth)  # no gap between squares, however they are scaled
    for column, row in cells:
        canvas.stamp(paint_fabric, column * side, row * side, side, side, fabric)
    edge = mix(min(cloth.cloth, cloth.thread, key=luminance), (0, 0, 0), 0.4)
    stitch = cloth.thread if luminance(cloth.cloth) < _BRIGHT else edge
    for loop in loops:
        seam = [(px * side, py * side) for px, py in inset(loop, _SEAM / 2)]
        canvas.line([*seam, seam[0]], _SEAM * side, edge)
        run = [(px * side, py * side) for px, py in inset(loop, _STITCH_INSET)]
        dash = (_STITCH[0] * side, _STITCH[1] * side)
        canvas.line([*run, run[0]], _STITCH_THICKNESS * side, stitch, cap="butt", dash=dash)


def outlines(cells: Iterable[tuple[int, int]]) -> list[list[_Corner]]:
    """Return the outlines of a group of squares: corners in turn, the squares at the right hand.

    Outer outlines run clockwise (y down), those of holes the other way. Where two squares meet at
    a corner only, the outline stays with its square.
    """
    squares = set(cells)
    ways: dict[_Corner, list[_Corner]] = {}
    for column, row in sorted(squares):
        for (x0, y0), (x1, y1), (dx, dy) in _SIDES:
            if (column + dx, row + dy) not in squares:
                start, end = (column + x0, row + y0), (column + x1, row + y1)
                ways.setdefault(start, []).append(end)
    loops = []
    while ways:
        loops.append(_without_straight_corners(_walk(ways)))
    return loops


def _walk(ways: dict[_Corner, list[_Corner]]) -> list[_Corner]:
    """Take one closed walk out of the sides, turning right where there is a choice."""
    first = at = min(ways)
    loop = []
    heading = (0, 0)
    while True:
        ends = ways[at]
        right = (at[0] - heading[1], at[1] + heading[0])
        end = right if right in ends else ends[0]
        ends.remove(end)
        if not ends:
            del ways[at]
        loop.append(at)
        heading = (end[0] - at[0], end[1] - at[1])
        at = end
        if at == first:
            return loop


def _without_straight_corners(loop: list[_Corner]) -> list[_Corner]:
    """Drop the corners at which an outline goes straight on."""
    turns = []
    for index, (x, y) in enumerate(loop):
        (px, py), (nx, ny) = loop[index - 1], loop[(index + 1) % len(loop)]
        if (x - px, y - py) != (nx - x, ny - y):
            turns.append((x, y))
    return turns


def inset(loop: list[_Corner], depth: float) -> list[Point]:
    """Return an outline moved to its inside, squares long."""
    moved = []
    for index, (x, y) in enumerate(loop):
        before, after = loop[index - 1], loop[(index + 1) % len(loop)]
        into, out = _heading(before, (x, y)), _heading((x, y), after)
        moved.append((x - depth * (into[1] + out[1]), y + depth * (into[0] + out[0])))
    return moved


def _heading(start: _Corner, end: _Corner) -> _Corner:
    """Return the unit step from a corner to another in line with it."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = abs(dx) + abs(dy)
    return dx // length, dy // length
