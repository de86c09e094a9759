"""Where quilts come from: the source an engine asks for each of them, and the published one.

Source: the published rules of Patchrook for the order of quilts; the draws are ours (RULES,
"Patchrook").
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Record, Rows, StateArray
from quiltrail.core.boards import BoardSource
from quiltrail.core.errors import demand
from quiltrail.core.jit import compiled
from quiltrail.core.mulberry32 import advance, below, jump, mix, shuffle
from quiltrail.envs.patchrook import rules
from quiltrail.envs.patchrook.rules import (
    CUT_OUT,
    FIRST_REPEATED_STAGE,
    LABELS,
    MAX_PATCHES,
    NUM_STAGES,
    TEMPLATES,
)
from quiltrail.envs.patchrook.shapes import (
    NO_SHAPE,
    ORIENTATION_COUNTS,
    Cell,
    bits_of,
    cells_drawn,
    shape_of,
)

#: What a quilt is; part of every game's record, written by a `QuiltSource`.
QUILT_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("cursor", np.uint32),  # of the stream that deals quilts, behind this quilt's draws
    ("stage", np.int8),  # place in the published order (rules.STAGE_TEMPLATES), -1 outside it
    ("width", np.int8),
    ("height", np.int8),
    ("usable", np.uint32),  # bit 5 * y + x for every square that is no cut-out
    ("num_patches", np.int8),
    ("shape", np.int8, (MAX_PATCHES,)),  # shape id of patch A, B, ..; 0 behind the last
    ("tray_order", np.int8, (MAX_PATCHES,)),  # patch numbers; -1 behind the last
    ("initial", np.int8, (MAX_PATCHES,)),  # initial orientations; -1 behind the last
)

_NUM_TURNS = 4
_NUM_TRANSFORMS = 2 * _NUM_TURNS


class QuiltSource(BoardSource):
    """A sequence of quilts for every game seed: it writes `QUILT_FIELDS`."""

    @abstractmethod
    def check_run(self, game: Record, points: int, turns: int) -> None:
        """Raise `StateError` unless a run can be at this quilt with this score and turn.

        Args:
            game: a record of a quilt that `check_board` let pass.
            points: what the run had scored when this quilt began.
            turns: the fewest turns since then.
        """


@compiled
def letter_patches(
    quilt: Record, shapes: NDArray[np.int8], count: int, cursor: np.uint64
) -> np.uint64:
    """Draw letters, tray order and initial orientations; return the cursor behind the draws.

    Args:
        quilt: where to write them; a record with those of `QUILT_FIELDS`.
        shapes: (6,) the shapes of the base patches; base patch i gets the i-th drawn letter.
        count: how many patches there are.
        cursor: of the stream that deals quilts.
    """
    labels = np.arange(MAX_PATCHES)
    tray_order = np.arange(MAX_PATCHES)
    cursor = shuffle(labels, count, cursor)
    cursor = shuffle(tray_order, count, cursor)
    quilt["num_patches"] = count
    for patch in range(MAX_PATCHES):
        quilt["shape"][labels[patch]] = shapes[patch]
        quilt["tray_order"][patch] = tray_order[patch] if patch < count else -1
        quilt["initial"][patch] = -1
    for patch in range(count):
        cursor = advance(cursor)
        quilt["initial"][patch] = below(mix(cursor), ORIENTATION_COUNTS[quilt["shape"][patch]])
    return cursor


@compiled
def _leave_patches(quilt: Record, shapes: NDArray[np.int8], count: int) -> None:
    """Write patches as the template letters them, in this order, none of them turned."""
    quilt["num_patches"] = count
    for patch in range(MAX_PATCHES):
        quilt["shape"][patch] = shapes[patch]
        quilt["tray_order"][patch] = patch if patch < count else -1
        quilt["initial"][patch] = 0 if patch < count else -1


@compiled
def stage_of(quilt: int) -> int:
    """Return the stage of a quilt, numbered from 1."""
    if quilt <= FIRST_REPEATED_STAGE:
        return quilt - 1
    return FIRST_REPEATED_STAGE + (quilt - 1 - FIRST_REPEATED_STAGE) % _PERIOD


@compiled
def _total_before(quilt: int, per_stage: NDArray[np.int64]) -> int:
    """Return the sum over all quilts before this one of what each costs or brings."""
    total = 0
    for stage in range(min(quilt - 1, FIRST_REPEATED_STAGE)):
        total += per_stage[stage]
    repeated = max(quilt - 1 - FIRST_REPEATED_STAGE, 0)
    for stage in range(_PERIOD):
        times = (repeated + _PERIOD - 1 - stage) // _PERIOD
        total += times * per_stage[FIRST_REPEATED_STAGE + stage]
    return total


def _quilt_after(points: int) -> int | None:
    """Return the quilt that a run from quilt 1 faces with these points, None if there is none."""
    in_period = int(STAGE_AWARDS[FIRST_REPEATED_STAGE:].sum())
    once = int(STAGE_AWARDS[:FIRST_REPEATED_STAGE].sum())
    periods = max(points - once, 0) // in_period
    for quilt in range(1, NUM_STAGES + 1):
        number = quilt + _PERIOD * periods
        if _total_before(number, STAGE_AWARDS) == points:
            return number
    return None


@compiled
def _deal_quilt(game: Record) -> None:
    """Write a quilt: board transform, labels, tray order, initial orientations, as drawn."""
    stage = stage_of(game["quilt"])
    template = _STAGE_TEMPLATES[stage]
    count = _PATCH_COUNTS[template]
    cursor = jump(np.uint64(game["seed"]), _total_before(game["quilt"], _STAGE_DRAWS))
    transform = 0
    if _STAGE_DRAWS[stage] > 0:
        cursor = advance(cursor)
        transform = below(mix(cursor), _NUM_TRANSFORMS)
        cursor = letter_patches(game, _SHAPES[template], count, cursor)
    else:
        _leave_patches(game, _SHAPES[template], count)
    game["stage"] = stage
    game["width"] = _WIDTHS[template, transform]
    game["height"] = _HEIGHTS[template, transform]
    game["usable"] = _USABLE[template, transform]
    game["cursor"] = cursor


@compiled
def _deal_rows(state: StateArray, rows: Rows) -> None:
    for row in rows:
        _deal_quilt(state[row])


class PublishedQuilts(QuiltSource):
    """The published order of templates, varied by the game seed; the lesson never varies.

    The draws of a quilt begin where those of all quilts before it end, so any quilt of any seed
    is dealt without the ones before it.
    """

    settings: Mapping[str, Any] = {}

    def deal(self, state: StateArray, rows: Rows, *, fresh: bool) -> None:
        """Write the quilts of some rows; nothing depends on the quilt before."""
        _deal_rows(state, rows)

    def check_board(self, game: Record) -> None:
        """Raise `StateError` unless this is the quilt of its seed and number."""
        expected = np.array([game])
        _deal_rows(expected, np.array([0]))
        for name, *_ in QUILT_FIELDS:
            right = expected[0][name]
            demand(
                np.array_equal(game[name], right),
                name,
                f"is {right.tolist()} on quilt {game['quilt']} of seed {game['seed']}",
            )

    def check_run(self, game: Record, points: int, turns: int) -> None:
        """Raise `StateError` unless the points are the awards of the quilts since some start."""
        quilt = int(game["quilt"])
        began = _quilt_after(int(_total_before(quilt, STAGE_AWARDS)) - points)
        if began is None or began > quilt:
            began = 0
        demand(began > 0, "score", "is the sum of the awards of the quilts since some start")
        turns += int(_total_before(quilt, _STAGE_TURNS) - _total_before(began, _STAGE_TURNS))
        demand(game["turn"] >= turns, "turn", f"is at least {turns} here")


def _transformed(cell: Cell, width: int, height: int, transform: int) -> Cell:
    """Return where a square goes: mirrored left-right from 4 on, then turned clockwise."""
    x, y = cell
    if transform >= _NUM_TURNS:
        x = width - 1 - x
    for _ in range(transform % _NUM_TURNS):
        x, y = height - 1 - y, x
        width, height = height, width
    return x, y


def _boards() -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.uint32]]:
    """Return width, height and usable squares, each (templates, transforms)."""
    sizes = (len(TEMPLATES), _NUM_TRANSFORMS)
    widths, heights = np.zeros(sizes, np.int8), np.zeros(sizes, np.int8)
    usable = np.zeros(sizes, np.uint32)
    for t, template in enumerate(TEMPLATES):
        height, width = len(template.rows), len(template.rows[0])
        cut_out = set(cells_drawn(template.rows, CUT_OUT))
        cells = [(x, y) for y in range(height) for x in range(width) if (x, y) not in cut_out]
        for transform in range(_NUM_TRANSFORMS):
            swapped = transform % 2 == 1
            widths[t, transform] = height if swapped else width
            heights[t, transform] = width if swapped else height
            moved = (_transformed(cell, width, height, transform) for cell in cells)
            usable[t, transform] = bits_of(moved)
    return widths, heights, usable


def _shapes() -> NDArray[np.int8]:
    """Return the shape ids of each template's patches in drawing order, 0 behind the last."""
    table = np.full((len(TEMPLATES), MAX_PATCHES), NO_SHAPE, np.int8)
    for t, template in enumerate(TEMPLATES):
        for patch, label in enumerate(LABELS):
            cells = cells_drawn(template.rows, label)
            if cells:
                table[t, patch] = shape_of(cells)
    return table


def _awards() -> NDArray[np.int64]:
    squares = [int(words[0]).bit_count() for words in _USABLE]
    by_template: NDArray[np.int64] = (
        rules.AWARD_BASE
        + rules.AWARD_PER_SQUARE * np.array(squares, np.int64)
        + rules.AWARD_PER_PATCH * _PATCH_COUNTS
    )
    return by_template[_STAGE_TEMPLATES]


def _draws() -> NDArray[np.int64]:
    """Return the draws of each stage: 1 + (p - 1) + (p - 1) + p, the lesson's none."""
    draws: NDArray[np.int64] = 3 * _PATCH_COUNTS[_STAGE_TEMPLATES] - 1
    draws[0] = 0
    return draws


_PERIOD = NUM_STAGES - FIRST_REPEATED_STAGE
_STAGE_TEMPLATES = np.array(rules.STAGE_TEMPLATES, np.int64)
_WIDTHS, _HEIGHTS, _USABLE = _boards()
_SHAPES = _shapes()
_PATCH_COUNTS = (_SHAPES != NO_SHAPE).sum(axis=1)
#: (8,) for each stage: the award, the draws it takes, the fewest turns to clear it and go on.
STAGE_AWARDS = _awards()
_STAGE_DRAWS = _draws()
_STAGE_TURNS = _PATCH_COUNTS[_STAGE_TEMPLATES] + 1
