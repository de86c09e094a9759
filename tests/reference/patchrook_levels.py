"""Referee of procedural Patchrook: every quilt made slowly from its level (docs/levels.md)."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from math import inf, log2
from typing import Any, NamedTuple

from tests.reference.levels import LevelChoice, part
from tests.reference.mulberry32 import Mulberry32
from tests.reference.patchrook import MAX_SIDE, PatchrookReference
from tests.reference.patchrook_quilts import (
    CUT_OUT,
    LABELS,
    Cell,
    Orientation,
    Quilt,
    coordinate_key,
    covered_squares,
    flipped,
    normalized,
    orientations,
    patches_of,
    row_major,
    sewn,
    turned,
)

SIZES = (3, 4, 5)
SHAPES: dict[str, str] = {
    "I3": "###",
    "L3": "#./##",
    "I4": "####",
    "O4": "##/##",
    "T4": "###/.#.",
    "L4": "#../###",
    "S4": ".##/##.",
    "F": ".##/##./.#.",
    "I": "#####",
    "L": "####/#...",
    "N": "##../.###",
    "P": "###/##.",
    "T": "###/.#./.#.",
    "U": "#.#/###",
    "V": "#../#../###",
    "W": "#../##./.##",
    "X": ".#./###/.#.",
    "Y": "####/.#..",
    "Z": "##./.#./.##",
}

Squares = frozenset[Cell]


class Family(NamedTuple):
    """Which quilts levels stand for."""

    size: tuple[int, int] = (3, 5)
    cutouts: tuple[int, int] = (0, 4)
    patches: tuple[int, int] = (3, 6)


@cache
def _shape_table() -> dict[str, int]:
    """Return the number of each shape, from 1, by the key of its first orientation."""
    table = {}
    for number, drawing in enumerate(SHAPES.values(), start=1):
        rows = enumerate(drawing.split("/"))
        cells = [(x, y) for y, row in rows for x, mark in enumerate(row) if mark == "#"]
        table[coordinate_key(orientations(cells)[0])] = number
    return table


@cache
def _shape_and_orientation(outline: Orientation) -> tuple[int, int]:
    """Return the shape number and the orientation of a patch moved to the top left."""
    choices = orientations(outline)
    return _shape_table()[coordinate_key(choices[0])], choices.index(outline)


def shape_and_orientation(cells: Squares) -> tuple[int, int]:
    """Return the number of a patch's shape, and which of its orientations it has."""
    return _shape_and_orientation(row_major(normalized(cells)))


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four squares around a square."""
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def hangs_together(squares: Squares) -> bool:
    """Tell whether one can walk from any square to any other."""
    if not squares:
        return False
    reached = {min(squares)}
    while True:
        wider = reached | {near for cell in reached for near in neighbours(cell)} & squares
        if wider == reached:
            return reached == squares
        reached = wider


@lru_cache(maxsize=100_000)
def patches_at_first(squares: Squares) -> tuple[Squares, ...]:
    """Return every patch that covers the first square, by shape number and orientation."""
    first = row_major(squares)[0]
    grown = {frozenset([first])}
    found: set[Squares] = set()
    for size in range(2, max(SIZES) + 1):
        grown = {
            patch | {near}
            for patch in grown
            for cell in patch
            for near in neighbours(cell)
            if near in squares and near not in patch
        }
        if size in SIZES:
            found |= grown
    return tuple(sorted(found, key=shape_and_orientation))


@lru_cache(maxsize=400_000)
def count_partitions(squares: Squares, patches: int) -> int:
    """Return in how many ways the squares fall into so many patches."""
    if not min(SIZES) * patches <= len(squares) <= max(SIZES) * patches:
        return 0
    if not squares:
        return 1
    return sum(count_partitions(squares - one, patches - 1) for one in patches_at_first(squares))


def all_partitions(squares: Squares, patches: int) -> Iterator[tuple[Squares, ...]]:
    """Yield every partition into so many patches, in order."""
    if not squares and patches == 0:
        yield ()
    if squares and patches > 0:
        for one in patches_at_first(squares):
            for rest in all_partitions(squares - one, patches - 1):
                yield (one, *rest)


def partition(squares: Squares, patches: int, number: int) -> list[Squares]:
    """Return partition ``number`` without listing those before."""
    if not squares:
        return []
    for one in patches_at_first(squares):
        count = count_partitions(squares - one, patches - 1)
        if number < count:
            return [one, *partition(squares - one, patches - 1, number)]
        number -= count
    raise AssertionError("there are fewer partitions")


def _between(stream: Mulberry32, bounds: tuple[int, int]) -> int:
    return bounds[0] + stream.below(bounds[1] - bounds[0] + 1)


def draw_board(stream: Mulberry32, family: Family) -> tuple[int, int, int, Squares] | None:
    """Return patches, width, height and usable squares, or None for a board that is no good."""
    patches = _between(stream, family.patches)
    width, height = _between(stream, family.size), _between(stream, family.size)
    cut_outs = _between(stream, family.cutouts)
    squares = [(x, y) for y in range(height) for x in range(width)]
    left = len(squares) - cut_outs
    if not min(SIZES) * patches <= left <= max(SIZES) * patches:
        return None
    for at in range(cut_outs):
        other = at + stream.below(len(squares) - at)
        squares[at], squares[other] = squares[other], squares[at]
    usable = frozenset(squares[cut_outs:])
    columns, rows = {x for x, _ in usable}, {y for _, y in usable}
    reaches = {0, width - 1} <= columns and {0, height - 1} <= rows
    if not reaches or not hangs_together(usable) or count_partitions(usable, patches) == 0:
        return None
    return patches, width, height, usable


@cache
def level_quilt(level: int, family: Family) -> Quilt:
    """Return the quilt of a level."""
    stream = Mulberry32(level)
    drawn = None
    while drawn is None:
        drawn = draw_board(stream, family)
    patches, width, height, usable = drawn
    number = stream.below(count_partitions(usable, patches))
    letters = list(LABELS[:patches])
    marks = {
        cell: letter
        for letter, cells in zip(letters, partition(usable, patches, number), strict=True)
        for cell in cells
    }
    rows = tuple("".join(marks.get((x, y), CUT_OUT) for x in range(width)) for y in range(height))
    labels = list(letters)
    stream.shuffle(labels)
    tray_order = list(letters)
    stream.shuffle(tray_order)
    named = patches_of(rows, labels)
    initial = {label: stream.below(len(named[label])) for label in letters}
    return sewn(rows, labels, tray_order, initial)


def word_of(squares: Squares) -> int:
    """Return the squares as a number, bit 5 * y + x, moved to the top left."""
    return sum(1 << (MAX_SIDE * y + x) for x, y in normalized(squares))


def part_of(quilt: Quilt) -> str:
    """Return whether a quilt is for training or for testing."""
    views = []
    for side in (set(quilt.usable), flipped(quilt.usable)):
        for _ in range(4):
            views.append(word_of(frozenset(side)))
            side = turned(side)
    shapes = sorted(
        _shape_table()[coordinate_key(choices[0])] for choices in quilt.patches.values()
    )
    digits = [0] * (len(LABELS) - len(shapes)) + shapes
    packed = [digits[at] * 1024 + digits[at + 1] * 32 + digits[at + 2] for at in (0, 3)]
    return part([min(views), *packed])


def chance_to_finish(quilt: Quilt) -> Fraction:
    """Return the chance that random placement finishes, by every position it can come to."""
    return _chances(quilt)[frozenset(quilt.usable), tuple(sorted(quilt.patches))]


def _chances(quilt: Quilt) -> dict[Any, Fraction]:
    """Return the chance from each position: empty squares and patches in the tray."""
    fits = {
        label: [
            squares
            for cells in choices
            for x, y in quilt.usable
            if (squares := covered_squares(cells, x, y)) <= quilt.usable
        ]
        for label, choices in quilt.patches.items()
    }
    known: dict[Any, Fraction] = {(frozenset(), ()): Fraction(1)}

    def chance(empty: Squares, tray: tuple[str, ...]) -> Fraction:
        if (empty, tray) not in known:
            later = [
                chance(empty - squares, tuple(one for one in tray if one != label))
                for label in tray
                for squares in fits[label]
                if squares <= empty
            ]
            known[empty, tray] = sum(later, Fraction(0)) / len(later) if later else Fraction(0)
        return known[empty, tray]

    chance(frozenset(quilt.usable), tuple(sorted(quilt.patches)))
    return known


def difficulty(quilt: Quilt) -> float:
    """Return -log2 of that chance."""
    chance = chance_to_finish(quilt)
    return log2(chance.denominator) - log2(chance.numerator) if chance else inf


class PatchrookLevelsReference(PatchrookReference):
    """One run over procedural quilts.

    Args:
        seed: taken modulo 2**32.
        family: which quilts levels stand for.
        start_level: the first level of the set.
        num_levels: how many there are, 0 for all.
        split: "train", "test" or None.
        one_board: whether completing a quilt ends the run.
        max_covers: the most covers of a quilt, None for any number.
        difficulty_range: at least the first, below the second; None for any.
        level: the first quilt's level; None for the stream's choice.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        family: Family = Family(),  # noqa: B008 (it is immutable)
        start_level: int = 0,
        num_levels: int = 0,
        split: str | None = None,
        one_board: bool = False,
        max_covers: int | None = None,
        difficulty_range: tuple[float, float] | None = None,
        level: int | None = None,
    ) -> None:
        self.family = family
        self.split = split
        self.one_board = one_board
        self.max_covers = max_covers
        self.difficulty_range = difficulty_range
        self.choice = LevelChoice(seed, start_level, num_levels, self._is_wanted)
        self.given_level = level
        super().__init__(seed)

    def view(self) -> dict[str, Any]:
        return {**super().view(), "level": self.level}

    def _is_wanted(self, level: int) -> bool:
        quilt = level_quilt(level, self.family)
        if self.split not in (None, part_of(quilt)):
            return False
        if self.max_covers is not None and len(_covers(level, self.family)) > self.max_covers:
            return False
        if self.difficulty_range is None:
            return True
        low, high = self.difficulty_range
        return low <= _difficulty(level, self.family) < high

    def _spread(self, quilt_number: int) -> None:
        """Start a quilt on an empty board; where a quilt comes from is all that differs."""
        given, self.given_level = self.given_level, None
        self.level = self.choice.next_level() if given is None else given
        self.quilt_number = quilt_number
        self.quilt = level_quilt(self.level, self.family)
        self.placements = {}
        self.last_quilt_points = 0
        self.phase = "playing"

    def _test_for_cover(self) -> None:
        super()._test_for_cover()
        if self.one_board and self.phase == "cleared":
            self.phase = "ended"


@cache
def _covers(level: int, family: Family) -> list[Any]:
    reference = PatchrookLevelsReference(0, family=family, level=level)
    return reference.covers()


@cache
def _difficulty(level: int, family: Family) -> float:
    return difficulty(level_quilt(level, family))
