"""Patchwork, slowly and plainly: the quilt is a set of squares, every question is asked anew.

Rules: the published text and RULES, sections "All games" and "Patchwork".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.reference.mulberry32 import Mulberry32

Square = tuple[int, int]  # (row, col), row 0 at the top
Cells = frozenset[Square]

SIDE = 9
BLOCK = 3
TRAY_SIZE = 3
MAX_SETS = 20
REVIVE_MAX_SQUARES = 3
UNIT_POINTS = 20
COMBO_POINTS = 10

SQUARES = [(row, col) for row in range(SIDE) for col in range(SIDE)]
REVIVE_INDEX = TRAY_SIZE * SIDE * SIDE
FINISH_INDEX = REVIVE_INDEX + 1

ACCEPTED = "accepted"
FIELDS = {
    "place": {"slot": range(TRAY_SIZE), "row": range(SIDE), "col": range(SIDE)},
    "revive": {},
    "finish": {},
}

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


@dataclass(frozen=True)
class Position:
    """Where a game starts: by default a new game.

    An empty tray means that a set is dealt first. The stream of `seed` is untouched so far.
    `draws`, if given, are the shapes the dealer draws instead of asking the stream.
    """

    board: tuple[str, ...] = ("." * SIDE,) * SIDE
    tray: tuple[str | None, ...] = (None,) * TRAY_SIZE
    streak: int = 0
    score: int = 0
    sewn: int = 0
    seed: int = 0
    revive: bool = False
    draws: tuple[str, ...] | None = None


class PatchworkReference:
    """Referee one game of Patchwork."""

    def __init__(self, seed: int = 0, revive: bool = False) -> None:
        """Start a new game and deal its first set."""
        self._begin(Position(seed=seed, revive=revive))

    @classmethod
    def from_position(cls, position: Position) -> PatchworkReference:
        """Start from a given position instead of an empty quilt; `turn` starts at its `sewn`."""
        game = cls.__new__(cls)
        game._begin(position)
        return game

    def _begin(self, position: Position) -> None:
        if type(position.seed) is not int:
            raise TypeError(f"a seed is an int, got {position.seed!r}")
        self.stream = Mulberry32(position.seed)
        self.draws = None if position.draws is None else list(position.draws)
        self.quilt = filled_squares(position.board)
        self.tray = list(position.tray)
        self.streak = position.streak
        self.sewn = position.sewn
        self.turn = position.sewn
        self.revive = position.revive
        self.revive_used = False
        self.last_stitching: Stitching | None = None
        self._score = position.score
        self._sets_drawn = 0
        self._settle()

    # What a player sees.

    @property
    def score(self) -> int:
        """The points so far."""
        return self._score

    @property
    def ended(self) -> bool:
        """Whether the game is over."""
        return self.phase == "ended"

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return every legal action in ascending order of its index."""
        if self.phase == "playing":
            return [
                {"type": "place", "slot": slot, "row": row, "col": col}
                for slot, name in enumerate(self.tray)
                for row, col in SQUARES
                if name is not None and fits_at(self.quilt, name, row, col)
            ]
        if self.phase == "stuck":
            return [{"type": "revive"}, {"type": "finish"}]
        return []

    def view(self) -> dict[str, Any]:
        """Return the published observation."""
        return {
            "quilt": [
                "".join("#" if (row, col) in self.quilt else "." for col in range(SIDE))
                for row in range(SIDE)
            ],
            "tray": [None if name is None else _published_patch(name) for name in self.tray],
            "streak": self.streak,
            "patchesSewn": self.sewn,
            "score": self.score,
            "reviveUsed": self.revive_used,
            "phase": self.phase,
            "turn": self.turn,
            "legalActions": self.legal_actions(),
        }

    def units_cleared(self) -> list[str]:
        """Return the units that the last placement stitched away."""
        return [] if self.last_stitching is None else list(self.last_stitching.units)

    def sets_drawn(self) -> int:
        """Return how many whole sets the last deal drew; 0 before any deal."""
        return self._sets_drawn

    # What a player does.

    def play(self, action: object) -> str:
        """Play an action; return "accepted", or the refusal's name with nothing changed."""
        refusal = self._refusal(action)
        if refusal is not None:
            return refusal
        assert isinstance(action, dict)
        if action["type"] == "place":
            self._place(action["slot"], action["row"], action["col"])
        if action["type"] == "revive":
            self._revive()
        if action["type"] == "finish":
            self.phase = "ended"
        self.turn += 1
        return ACCEPTED

    def _refusal(self, action: object) -> str | None:
        malformed = _grammar_fault(action, revive=self.revive)
        if malformed is not None:
            return malformed
        assert isinstance(action, dict)
        if self.phase == "ended":
            return "run-ended"
        if (action["type"] == "place") != (self.phase == "playing"):
            return "wrong-phase"
        if action["type"] == "place":
            return self._placement_fault(action["slot"], action["row"], action["col"])
        return None

    def _placement_fault(self, slot: int, row: int, col: int) -> str | None:
        name = self.tray[slot]
        if name is None:
            return "not-in-tray"
        squares = covered_squares(name, row, col)
        if not inside(squares):
            return "out-of-bounds"
        if squares & self.quilt:
            return "overlap"
        return None

    def _place(self, slot: int, row: int, col: int) -> None:
        name = self.tray[slot]
        assert name is not None
        stitching = sew(self.quilt, covered_squares(name, row, col), self.streak)
        self.last_stitching = stitching
        self.quilt = stitching.quilt
        self.streak = stitching.streak
        self._score += stitching.points
        self.sewn += 1
        self.tray[slot] = None
        self._settle()

    def _revive(self) -> None:
        small = [
            name
            for name in NAMES
            if len(SHAPES[name]) <= REVIVE_MAX_SQUARES and fits_somewhere(self.quilt, name)
        ]
        self.tray = [self._draw(small) for _ in range(TRAY_SIZE)]
        self.revive_used = True
        self._settle()

    # What the table does.

    def _settle(self) -> None:
        """Deal if the tray is empty, then see whether the game can go on."""
        if self._patches_left() == []:
            self._deal()
        if self._some_patch_fits():
            self.phase = "playing"
        elif self.revive and not self.revive_used:
            self.phase = "stuck"
        else:
            self.phase = "ended"

    def _deal(self) -> None:
        """Draw whole sets until one holds a patch that fits; keep the last one allowed anyway."""
        self._sets_drawn = 0
        while self._sets_drawn < MAX_SETS:
            self.tray = [self._draw(NAMES) for _ in range(TRAY_SIZE)]
            self._sets_drawn += 1
            if self._some_patch_fits():
                return

    def _patches_left(self) -> list[str]:
        return [name for name in self.tray if name is not None]

    def _some_patch_fits(self) -> bool:
        return any(fits_somewhere(self.quilt, name) for name in self._patches_left())

    def _draw(self, names: list[str]) -> str:
        """Draw one of `names`, which are in id order, by the dealing weights."""
        if self.draws is not None:
            return self.draws.pop(0)
        x = self.stream.below(sum(weight(name, self.sewn) for name in names))
        for name in names:
            if x < weight(name, self.sewn):
                return name
            x -= weight(name, self.sewn)
        raise AssertionError("a draw lies below the total weight")

    # The two spellings of an action.

    @staticmethod
    def encode(action: dict[str, Any]) -> int:
        """Return the flat index of a well-formed action.

        Raises:
            ValueError: if the action breaks the grammar.
        """
        fault = _grammar_fault(action, revive=True)
        if fault is not None:
            raise ValueError(f"{action!r} is no action: {fault}")
        if action["type"] == "revive":
            return REVIVE_INDEX
        if action["type"] == "finish":
            return FINISH_INDEX
        index: int = (action["slot"] * SIDE + action["row"]) * SIDE + action["col"]
        return index

    @staticmethod
    def decode(index: int) -> dict[str, Any]:
        """Return the action with this flat index.

        Raises:
            ValueError: if no action has it.
        """
        if index not in range(FINISH_INDEX + 1):
            raise ValueError(f"no action has index {index}; indices are 0 to {FINISH_INDEX}")
        if index == REVIVE_INDEX:
            return {"type": "revive"}
        if index == FINISH_INDEX:
            return {"type": "finish"}
        slot, square = divmod(index, SIDE * SIDE)
        row, col = divmod(square, SIDE)
        return {"type": "place", "slot": slot, "row": row, "col": col}


def _published_patch(name: str) -> dict[str, Any]:
    """Return a tray patch as view() shows it, cells row by row."""
    return {"shape": NAMES.index(name), "cells": [list(cell) for cell in sorted(SHAPES[name])]}


def _grammar_fault(action: object, *, revive: bool) -> str | None:
    """Name the first way in which an action breaks the JSON grammar, or return None."""
    if not isinstance(action, dict):
        return "not-an-object"
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in FIELDS or (kind != "place" and not revive):
        return "unknown-type"
    fields = FIELDS[kind]
    if any(key not in action for key in fields):
        return "missing-field"
    if any(key != "type" and key not in fields for key in action):
        return "extra-field"
    if any(type(action[key]) is not int or action[key] not in fields[key] for key in fields):
        return "bad-value"
    return None
