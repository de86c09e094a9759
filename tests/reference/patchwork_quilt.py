"""The quilt of Patchwork, slowly: a set of squares, and shapes drawn as pictures.

Rules: the published text and RULES, section "Patchwork".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

Square = tuple[int, int]  # (row, col), row 0 at the top
Cells = frozenset[Square]

SIDE = 9
BLOCK = 3
UNIT_POINTS = 20
COMBO_POINTS = 10

SQUARES = [(row, col) for row in range(SIDE) for col in range(SIDE)]

# One line a shape, its rows separated by "/"; the line number is the shape's id.
_SHAPE_TABLE = """
    dot    #
    I2h    ##
    I2v    #/#
    I3h    ###
    I3v    #/#/#
    c3_nw  ##/#.
    c3_ne  ##/.#
    c3_sw  #./##
    c3_se  .#/##
    I4h    ####
    I4v    #/#/#/#
    O      ##/##
    L0     #./#./##
    L1     ###/#..
    L2     ##/.#/.#
    L3     ..#/###
    J0     .#/.#/##
    J1     #../###
    J2     ##/#./#.
    J3     ###/..#
    T0     ###/.#.
    T1     .#/##/.#
    T2     .#./###
    T3     #./##/#.
    Sh     .##/##.
    Sv     #./##/.#
    Zh     ##./.##
    Zv     .#/##/#.
    I5h    #####
    I5v    #/#/#/#/#
    C5_nw  ###/#../#..
    C5_ne  ###/..#/..#
    C5_sw  #../#../###
    C5_se  ..#/..#/###
    R23    ###/###
    R32    ##/##/##
    B33    ###/###/###
"""


def _shapes() -> dict[str, Cells]:
    """Read the shape table: name to cells, in id order."""
    shapes = {}
    for line in _SHAPE_TABLE.split("\n"):
        if line.strip():
            name, picture = line.split()
            shapes[name] = filled_squares(picture.split("/"))
    return shapes


def filled_squares(rows: list[str] | tuple[str, ...]) -> Cells:
    """Return the squares marked `#` in a picture."""
    return frozenset(
        (row, col) for row, line in enumerate(rows) for col, mark in enumerate(line) if mark == "#"
    )


def _units() -> dict[str, Cells]:
    """Return the 27 units by name: row0-8, col0-8, block0-8 (row-major)."""
    units = {f"row{row}": frozenset(s for s in SQUARES if s[0] == row) for row in range(SIDE)}
    units |= {f"col{col}": frozenset(s for s in SQUARES if s[1] == col) for col in range(SIDE)}
    for block in range(SIDE):
        corner = divmod(block, BLOCK)
        units[f"block{block}"] = frozenset(
            (row, col) for row, col in SQUARES if (row // BLOCK, col // BLOCK) == corner
        )
    return units


SHAPES = _shapes()
NAMES = list(SHAPES)
UNITS = _units()


def weight(name: str, sewn: int) -> int:
    """Return the dealing weight of a shape after `sewn` patches."""
    size = len(SHAPES[name])
    if size <= 3:
        return 8
    if size == 4:
        return 4
    return 1 + sewn // 100


@cache
def covered_squares(name: str, row: int, col: int) -> Cells:
    """Return the squares of a patch whose bounding box has its top-left corner at (row, col)."""
    return frozenset((row + dr, col + dc) for dr, dc in SHAPES[name])


@cache
def inside(squares: Cells) -> bool:
    """Tell whether no square hangs over the rim."""
    return all(0 <= row < SIDE and 0 <= col < SIDE for row, col in squares)


def fits_at(quilt: Cells, name: str, row: int, col: int) -> bool:
    """Tell whether the patch may be sewn with its corner at (row, col)."""
    squares = covered_squares(name, row, col)
    return inside(squares) and quilt.isdisjoint(squares)


def fits_somewhere(quilt: Cells, name: str) -> bool:
    """Tell whether the patch, by itself, has a place on the quilt."""
    return any(fits_at(quilt, name, row, col) for row, col in SQUARES)


@dataclass(frozen=True)
class Stitching:
    """What one placement did to the quilt and what it paid."""

    quilt: Cells  # after stitching
    units: tuple[str, ...]  # rows, then columns, then blocks
    removed: int  # squares stitched away
    streak: int  # clearing patches in a row, this one included; 0 if it cleared nothing
    points: int


def sew(quilt: Cells, squares: Cells, streak: int) -> Stitching:
    """Sew `squares` onto a quilt, stitch every full unit away at once and count the points."""
    sewn = quilt | squares
    units = tuple(name for name, unit in UNITS.items() if unit <= sewn)
    stitched: Cells = frozenset().union(*(UNITS[name] for name in units))
    k = len(units)
    n = streak + 1 if k > 0 else 0
    points = len(squares) + UNIT_POINTS * k * k
    if n > 1:
        points += COMBO_POINTS * (n - 1) * k
    return Stitching(sewn - stitched, units, len(stitched), n, points)
