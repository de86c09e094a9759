"""Patchwork's constants: quilt, shapes, points, dealing schedule, fabrics, action numbering.

Source: the published rules of Patchwork. The numbering of the shapes, the dealing
weights and the flat action numbering are ours.
"""

from __future__ import annotations

from quiltrail.core.actions import ActionCodec, ActionField, ActionKind

SIDE = 9
SQUARES = SIDE * SIDE
BLOCK_SIDE = 3
NUM_SLOTS = 3

# Every fixed orientation is a shape of its own; id = place in this table. Rows are split by "/".
SHAPES: tuple[tuple[str, str], ...] = (
    ("dot", "#"),
    ("I2h", "##"),
    ("I2v", "#/#"),
    ("I3h", "###"),
    ("I3v", "#/#/#"),
    ("c3_nw", "##/#."),
    ("c3_ne", "##/.#"),
    ("c3_sw", "#./##"),
    ("c3_se", ".#/##"),
    ("I4h", "####"),
    ("I4v", "#/#/#/#"),
    ("O", "##/##"),
    ("L0", "#./#./##"),
    ("L1", "###/#.."),
    ("L2", "##/.#/.#"),
    ("L3", "..#/###"),
    ("J0", ".#/.#/##"),
    ("J1", "#../###"),
    ("J2", "##/#./#."),
    ("J3", "###/..#"),
    ("T0", "###/.#."),
    ("T1", ".#/##/.#"),
    ("T2", ".#./###"),
    ("T3", "#./##/#."),
    ("Sh", ".##/##."),
    ("Sv", "#./##/.#"),
    ("Zh", "##./.##"),
    ("Zv", ".#/##/#."),
    ("I5h", "#####"),
    ("I5v", "#/#/#/#/#"),
    ("C5_nw", "###/#../#.."),
    ("C5_ne", "###/..#/..#"),
    ("C5_sw", "#../#../###"),
    ("C5_se", "..#/..#/###"),
    ("R23", "###/###"),
    ("R32", "##/##/##"),
    ("B33", "###/###/###"),
)
NUM_SHAPES = len(SHAPES)
SHAPE_NAMES = tuple(name for name, _ in SHAPES)
LONGEST = 5  # no shape's box is wider or higher
USED = -1  # stands in the tray for a patch that is sewn

# Points of a patch: its squares + UNIT_POINTS k^2 + COMBO_POINTS (n - 1) k.
UNIT_POINTS = 20
COMBO_POINTS = 10
MOST_UNITS = 10  # that one patch can fill: the 3 by 3 square between four blocks

# The deal. Weights by size class, ours; the big one grows by 1 every PATCHES_PER_LEVEL patches.
DEAL_TRIES = 20
LARGEST_SMALL = 3  # squares; also what a revive may hand out
LARGEST_MEDIUM = 4
SMALL_WEIGHT = 8
MEDIUM_WEIGHT = 4
FIRST_BIG_WEIGHT = 1
PATCHES_PER_LEVEL = 100

PLAYING, STUCK, ENDED = range(3)
PHASES = ("playing", "stuck", "ended")

REVIVE_OPEN, REVIVE_USED, REVIVE_DECLINED = range(3)

# Decoration: a patch's fabric follows from its shape; matching fabrics score nothing.
FABRICS = (
    "red gingham",
    "teal polka dot",
    "mustard stripe",
    "navy cross-stitch",
    "green floral",
    "plum diamond",
)
FABRIC_BITS = 3  # enough to number them

# Flat actions: (slot * 9 + row) * 9 + col, the square under the top-left corner of the patch's box.
REVIVE = NUM_SLOTS * SQUARES
FINISH = REVIVE + 1

_PLACE = ActionKind(
    "place",
    0,
    (
        ActionField("slot", tuple(range(NUM_SLOTS))),
        ActionField("row", tuple(range(SIDE))),
        ActionField("col", tuple(range(SIDE))),
    ),
)
CODEC = ActionCodec(_PLACE)
REVIVE_CODEC = ActionCodec(_PLACE, ActionKind("revive", REVIVE), ActionKind("finish", FINISH))


def cells_of(shape: int) -> list[tuple[int, int]]:
    """Return the squares of a shape as (row, col) from its box's corner, row by row."""
    rows = SHAPES[shape][1].split("/")
    return [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"]


def fabric_of(shape: int) -> int:
    """Return the fabric of a shape, an index into FABRICS."""
    return shape % len(FABRICS)
