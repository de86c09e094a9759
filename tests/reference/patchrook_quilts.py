"""Quilts of Patchrook, slowly: orientations, templates under their transforms, exact covers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from tests.reference.mulberry32 import Mulberry32

LABELS = ("A", "B", "C", "D", "E", "F")
CUT_OUT = "#"

TEMPLATES: dict[str, tuple[str, ...]] = {
    "lesson": ("AAA", "BBC", "BCC"),
    "small_a": ("AABB", "CABB", "CCCC", "DDDD"),
    "small_b": ("AAAB", "CDBB", "CDDD", "CCCD"),
    "medium": ("AAABC", "DEBBC", "DEEBC", "DDEEC"),
    "large_a": ("AAAAA", "BBBCC", "BCCCD", "BEDDD", "EEEED"),
    "large_b": ("AAAAB", "ACBBB", "CCCBD", "ECEDD", "EEEDD"),
    "cut_corner": ("AABB#", "AACBB", "DDCCC", "DEEFC", "DEFFF"),
}
FIRST_QUILTS = ("lesson", "small_a", "small_b", "medium", "medium")
REPEATED_QUILTS = ("large_a", "large_b", "cut_corner")

Cell = tuple[int, int]
Orientation = tuple[Cell, ...]


class Place(NamedTuple):
    """A patch laid down: its orientation and the square under its button."""

    orientation: int
    x: int
    y: int


Cover = dict[str, Place]
Fit = tuple[str, Place, set[Cell]]


def row_major(cells: Iterable[Cell]) -> Orientation:
    """Return the cells by row, and by column within a row."""
    return tuple(sorted(cells, key=lambda cell: (cell[1], cell[0])))


def normalized(cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells shifted so that the smallest x and the smallest y are 0."""
    cells = set(cells)
    left = min(x for x, _ in cells)
    top = min(y for _, y in cells)
    return {(x - left, y - top) for x, y in cells}


def flipped(cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells mirrored left to right."""
    return {(-x, y) for x, y in cells}


def turned(cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells after one clockwise quarter-turn."""
    return {(-y, x) for x, y in cells}


def coordinate_key(orientation: Orientation) -> str:
    """Return the string by which orientations are told apart and ordered."""
    return ";".join(f"{x},{y}" for x, y in orientation)


def orientations(cells: Iterable[Cell]) -> list[Orientation]:
    """Return every different orientation of a patch, in the published order."""
    cells = set(cells)
    found: dict[str, Orientation] = {}
    for side in (cells, flipped(cells)):
        for _ in range(4):
            orientation = row_major(normalized(side))
            found[coordinate_key(orientation)] = orientation
            side = turned(side)
    return [found[key] for key in sorted(found)]


def button(orientation: Iterable[Cell]) -> Cell:
    """Return the leftmost cell of the topmost row."""
    return row_major(orientation)[0]


def covered_squares(orientation: Iterable[Cell], x: int, y: int) -> frozenset[Cell]:
    """Return the squares under a patch whose button lies on (x, y)."""
    return _covered_squares(tuple(orientation), x, y)


@cache
def _covered_squares(cells: Orientation, x: int, y: int) -> frozenset[Cell]:
    anchor_x, anchor_y = button(cells)
    return frozenset((x + cell_x - anchor_x, y + cell_y - anchor_y) for cell_x, cell_y in cells)


@cache
def rectangle(width: int, height: int) -> frozenset[Cell]:
    """Return every square of a board, cut-outs too."""
    return frozenset((x, y) for y in range(height) for x in range(width))


@cache
def usable_spots(usable: frozenset[Cell], orientation: Orientation) -> Orientation:
    """Return the squares, row by row, that can take the button on an empty board."""
    spots = row_major(usable)
    return tuple(spot for spot in spots if covered_squares(orientation, *spot) <= usable)


@dataclass(frozen=True)
class Quilt:
    """Everything about a quilt that play never changes."""

    width: int
    height: int
    usable: frozenset[Cell]
    patches: dict[str, list[Orientation]]
    tray_order: tuple[str, ...]
    initial_orientations: dict[str, int]

    @property
    def award(self) -> int:
        """Return the points for completing this quilt."""
        return 150 + 10 * len(self.usable) + 20 * len(self.patches)


def template_name(quilt_number: int) -> str:
    """Return which template quilt 1, 2, 3, .. uses."""
    if quilt_number <= len(FIRST_QUILTS):
        return FIRST_QUILTS[quilt_number - 1]
    return REPEATED_QUILTS[(quilt_number - len(FIRST_QUILTS) - 1) % len(REPEATED_QUILTS)]


def squares_of(rows: Iterable[str]) -> dict[str, set[Cell]]:
    """Return the squares of every letter of a drawing, letters ascending, cut-outs left out."""
    squares: dict[str, set[Cell]] = {}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter != CUT_OUT:
                squares.setdefault(letter, set()).add((x, y))
    return dict(sorted(squares.items()))


def transformed(rows: Iterable[str], transform: int) -> tuple[str, ...]:
    """Return a drawing under whole-board transform 0 .. 7: flip from 4 on, then turns."""
    drawing = list(rows)
    if transform >= 4:
        drawing = [row[::-1] for row in drawing]
    for _ in range(transform % 4):
        drawing = ["".join(column) for column in zip(*drawing[::-1], strict=True)]
    return tuple(drawing)


def draws_for(quilt_number: int) -> int:
    """Return how many random draws the creation of a quilt takes."""
    if quilt_number == 1:
        return 0
    return 3 * len(squares_of(TEMPLATES[template_name(quilt_number)])) - 1


def make_quilt(quilt_number: int, stream: Mulberry32) -> Quilt:
    """Create quilt ``quilt_number`` with the next draws of ``stream``."""
    rows = TEMPLATES[template_name(quilt_number)]
    base_letters = list(squares_of(rows))
    if quilt_number == 1:
        return sewn(rows, base_letters, base_letters, dict.fromkeys(base_letters, 0))
    rows = transformed(rows, stream.below(8))
    labels = list(base_letters)
    stream.shuffle(labels)
    tray_order = list(base_letters)
    stream.shuffle(tray_order)
    patches = patches_of(rows, labels)
    initial = {label: stream.below(len(patches[label])) for label in base_letters}
    return sewn(rows, labels, tray_order, initial)


def patches_of(rows: tuple[str, ...], labels: list[str]) -> dict[str, list[Orientation]]:
    """Return the orientations of every patch; base patch i is called ``labels[i]``."""
    shapes = squares_of(rows).values()
    named = {label: orientations(cells) for label, cells in zip(labels, shapes, strict=True)}
    return dict(sorted(named.items()))


def sewn(
    rows: tuple[str, ...], labels: list[str], tray_order: list[str], initial: dict[str, int]
) -> Quilt:
    return Quilt(
        width=len(rows[0]),
        height=len(rows),
        usable=frozenset().union(*squares_of(rows).values()),
        patches=patches_of(rows, labels),
        tray_order=tuple(tray_order),
        initial_orientations=initial,
    )


def all_covers(usable: Iterable[Cell], patches: dict[str, list[Orientation]]) -> list[Cover]:
    """Return every way to lay all patches so that each usable square is covered once."""
    usable = set(usable)
    covers = _covers_of(usable, list(_every_fit(usable, patches)))
    return [cover for cover in covers if len(cover) == len(patches)]


def _every_fit(usable: set[Cell], patches: dict[str, list[Orientation]]) -> Iterator[Fit]:
    """Yield every place of every patch on the empty board, with the squares it covers."""
    for label, choices in patches.items():
        for index, orientation in enumerate(choices):
            for x, y in row_major(usable):
                squares = covered_squares(orientation, x, y)
                if squares <= usable:
                    yield label, Place(index, x, y), squares


def _covers_of(empty: set[Cell], fits: list[Fit]) -> Iterator[Cover]:
    """Yield the covers of the empty squares: some patch has to cover the first of them."""
    if not empty:
        yield {}
        return
    first = button(empty)
    for label, place, squares in fits:
        if first in squares and squares <= empty:
            others = [fit for fit in fits if fit[0] != label]
            for cover in _covers_of(empty - squares, others):
                yield {label: place, **cover}
