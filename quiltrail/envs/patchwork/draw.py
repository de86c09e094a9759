"""Patchwork as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from quiltrail.core.engine import Engine
from quiltrail.core.legality import indices
from quiltrail.envs.patchwork.rules import (
    BLOCK_SIDE,
    FABRICS,
    LONGEST,
    NUM_SLOTS,
    REVIVE,
    SIDE,
    SQUARES,
    USED,
    cells_of,
    fabric_of,
)
from quiltrail.envs.patchwork.tables import (
    BOXES,
    COVERED,
    UNIT_WORDS,
    UNITS,
    Unit,
    words_as_squares,
)
from quiltrail.render import Canvas, Color
from quiltrail.render.patches import draw_patch

_QUILT_X, _QUILT_Y, _SQUARE = 3.5, 14.0, 7.4
_QUILT_SIDE = SIDE * _SQUARE
_TRAY_X, _WELL, _WELL_GAP = 74.0, 21.0, 1.8
_FOOT_Y = 91.0
_BOARD_RIM = 1.2
_DROP = 0.7
_OUTLINE = 0.9


def completed_units(engine: Engine, row: int, action: int | None = None) -> list[int]:
    """Return the units, as indices into `UNITS`, that a placement would complete.

    Those of one flat action; without one, those that any legal placement would complete.
    """
    game = engine.state[row]
    actions = indices(engine.legal[row]) if action is None else [action]
    places = [divmod(one, SQUARES) for one in actions if one < REVIVE]
    if not places:
        return []
    covered = np.array([COVERED[game["tray"][slot], anchor] for slot, anchor in places])
    missing = UNIT_WORDS & ~game["quilt"]
    fills = ((covered[:, None] & missing) == missing).all(axis=2)
    return [int(unit) for unit in np.flatnonzero(fills.any(axis=0))]


def _fabric_grid(engine: Engine, row: int) -> dict[tuple[int, int], int]:
    """Return the fabric of every filled square (row, col)."""
    game = engine.state[row]
    grid = dict.fromkeys(words_as_squares(game["quilt"]), 0)
    for bit, plane in enumerate(game["fabric"]):
        for square in words_as_squares(plane):
            grid[square] |= 1 << bit
    return grid


def ansi(engine: Engine, row: int) -> str:
    """Return the position as text: quilt, tray, and the units one placement would complete.

    A letter is a filled square or a patch, the first letter of its fabric. A row that one legal
    placement would complete has "<" behind it, a column "^" below it; blocks are listed.
    """
    view = engine.view(row)
    fillable = [UNITS[unit] for unit in completed_units(engine, row)]
    lines = [
        f"score {view['score']}  sewn {view['patchesSewn']}  streak {view['streak']}  "
        f"{view['phase']}{'  revived' if view['reviveUsed'] else ''}"
    ]
    grid = _fabric_grid(engine, row)
    for r in range(SIDE):
        if r % BLOCK_SIDE == 0:
            lines.append(_ruled("-" * SIDE, "+"))
        marks = "".join(_letter(grid[r, c]) if (r, c) in grid else "." for c in range(SIDE))
        lines.append(_ruled(marks, "|") + (" <" if (r, 0, 1, SIDE) in fillable else ""))
    lines.append(_ruled("-" * SIDE, "+"))
    columns = "".join("^" if (0, c, SIDE, 1) in fillable else " " for c in range(SIDE))
    lines.append(_ruled(columns, " ").rstrip())
    blocks = [f"({r}, {c})" for r, c, rows, cols in fillable if rows == cols]
    lines.append(f"blocks to complete: {', '.join(blocks) or 'none'}")
    return "\n".join([*lines, *_tray_lines(engine, row)]) + "\n"


def _ruled(marks: str, rule: str) -> str:
    """Return nine marks with a rule around each three."""
    thirds = [marks[c : c + BLOCK_SIDE] for c in range(0, SIDE, BLOCK_SIDE)]
    return rule + rule.join(thirds) + rule


def _tray_lines(engine: Engine, row: int) -> list[str]:
    """Return the tray: under each slot's number its patch."""
    lines = ["".join(f"{slot:<{LONGEST + 2}}" for slot in range(NUM_SLOTS)).rstrip()]
    patches = [_patch_rows(shape) for shape in engine.state["tray"][row].tolist()]
    for r in range(max(map(len, patches))):
        parts = [rows[r] if r < len(rows) else "" for rows in patches]
        lines.append("".join(f"{part:<{LONGEST + 2}}" for part in parts).rstrip())
    return lines


def _patch_rows(shape: int) -> list[str]:
    if shape == USED:
        return ["sewn"]
    height, width = BOXES[shape].tolist()
    cells, letter = cells_of(shape), _letter(fabric_of(shape))
    return [
        "".join(letter if (r, c) in cells else " " for c in range(width)) for r in range(height)
    ]


def _letter(fabric: int) -> str:
    return FABRICS[fabric][0].upper()


def paint(canvas: Canvas, engine: Engine, row: int, action: int | None = None) -> None:
    """Draw quilt and tray; outline in gold the units that a placement would complete.

    Args:
        canvas: where to draw.
        engine: the games.
        row: the game.
        action: a flat placement to preview, legal now: its squares are tinted and only its units
            are outlined. Without one, every unit that some legal placement would complete is.
    """
    view = engine.view(row)
    canvas.stamp(_paint_backdrop, 0.0, 0.0, canvas.width, canvas.height)
    for (r, c), fabric in _fabric_grid(engine, row).items():
        x, y = _corner(r, c)
        draw_patch(canvas, [(0, 0)], x, y, _SQUARE, fabric)
    if action is not None:
        _tint_placement(canvas, engine, row, action)
    for unit in completed_units(engine, row, action):
        _outline_unit(canvas, UNITS[unit])
    _draw_tray(canvas, engine, row)
    _draw_header(canvas, view)
    _draw_foot(canvas, view)


def _paint_backdrop(canvas: Canvas) -> None:
    """Draw what never changes: the empty quilt and the three empty wells of the tray."""
    theme = canvas.theme
    canvas.fill(theme.page)
    side, rimmed = _QUILT_SIDE, _QUILT_SIDE + 2 * _BOARD_RIM
    x, y = _QUILT_X - _BOARD_RIM, _QUILT_Y - _BOARD_RIM
    canvas.panel(x, y, rimmed, rimmed, radius=1.8, drop=_DROP)
    for r in range(SIDE):
        for c in range(SIDE):
            x, y = _corner(r, c)
            canvas.rect(x + 0.25, y + 0.25, _SQUARE - 0.5, _SQUARE - 0.5, theme.well, radius=0.8)
    for at in range(BLOCK_SIDE, SIDE, BLOCK_SIDE):
        x, y = _corner(at, at)
        canvas.line(((x, _QUILT_Y), (x, _QUILT_Y + side)), 0.6, theme.muted)
        canvas.line(((_QUILT_X, y), (_QUILT_X + side, y)), 0.6, theme.muted)
    for slot in range(NUM_SLOTS):
        canvas.panel(_TRAY_X, _well_y(slot), _WELL, _WELL, radius=2.0, drop=_DROP)


def _corner(row: int, col: int) -> tuple[float, float]:
    return _QUILT_X + col * _SQUARE, _QUILT_Y + row * _SQUARE


def _well_y(slot: int) -> float:
    return _QUILT_Y - _BOARD_RIM + slot * (_WELL + _WELL_GAP)


def _tint_placement(canvas: Canvas, engine: Engine, row: int, action: int) -> None:
    """Tint the squares that a placement would cover."""
    slot, anchor = divmod(action, SQUARES)
    covered = COVERED[engine.state["tray"][row, slot], anchor]
    _tint(canvas, words_as_squares(covered), canvas.theme.accent)


def _outline_unit(canvas: Canvas, unit: Unit) -> None:
    row, col, rows, cols = unit
    x, y = _corner(row, col)
    size = (cols * _SQUARE - _OUTLINE, rows * _SQUARE - _OUTLINE)
    inset = _OUTLINE / 2
    accent = canvas.theme.accent
    canvas.rect(x + inset, y + inset, *size, accent, radius=1.0, outline=_OUTLINE)


def _draw_tray(canvas: Canvas, engine: Engine, row: int) -> None:
    """Draw the patches; one that fits nowhere is faded and crossed out."""
    for slot, shape in enumerate(engine.state["tray"][row].tolist()):
        if shape == USED:
            continue
        height, width = BOXES[shape].tolist()
        side = (_WELL - 2.0) / LONGEST
        x = _TRAY_X + (_WELL - width * side) / 2
        y = _well_y(slot) + (_WELL - height * side) / 2
        draw_patch(canvas, [(c, r) for r, c in cells_of(shape)], x, y, side, fabric_of(shape))
        slot_mask = engine.mask[row, slot * SQUARES : (slot + 1) * SQUARES]
        if engine.terminated[row] or not slot_mask.any():
            canvas.stamp(_paint_no_room, _TRAY_X, _well_y(slot), _WELL, _WELL)


def _paint_no_room(canvas: Canvas) -> None:
    """Cover a well with a cross, for a patch without a place."""
    theme, side = canvas.theme, canvas.width
    near, far = 0.2 * side, 0.8 * side
    canvas.line(((near, near), (far, far)), 0.12 * side, theme.panel)
    canvas.line(((near, far), (far, near)), 0.12 * side, theme.panel)
    canvas.line(((near, near), (far, far)), 0.06 * side, theme.bad)
    canvas.line(((near, far), (far, near)), 0.06 * side, theme.bad)


def _draw_header(canvas: Canvas, view: dict[str, Any]) -> None:
    theme = canvas.theme
    right = canvas.width - _QUILT_X
    score, sewn = f"Score {view['score']}", f"{view['patchesSewn']} sewn"
    canvas.fitted_text(score, _QUILT_X, 7, 5, 58, theme.ink, align="left", bold=True)
    canvas.fitted_text(sewn, right, 7, 4.4, 30, theme.muted, align="right")


def _draw_foot(canvas: Canvas, view: dict[str, Any]) -> None:
    """Write what keeps the player from going on, or the streak."""
    theme = canvas.theme
    words = {"stuck": "Stuck: revive or finish", "ended": "No patch fits: the end"}
    if view["phase"] in words:
        text = words[view["phase"]]
        canvas.fitted_text(text, _QUILT_X, _FOOT_Y, 4.4, 64, theme.bad, align="left", bold=True)
    elif view["streak"]:
        text = f"{view['streak']} in a row"
        canvas.fitted_text(text, _QUILT_X, _FOOT_Y, 4.4, 64, theme.good, align="left", bold=True)
    if view["reviveUsed"]:
        right = canvas.width - _QUILT_X
        canvas.fitted_text("revived", right, _FOOT_Y, 4.0, 24, theme.muted, align="right")


def square_at(x: float, y: float) -> tuple[int, int] | None:
    """Return the square (row, col) of the quilt under a point of the picture, None beside it."""
    row, col = int((y - _QUILT_Y) // _SQUARE), int((x - _QUILT_X) // _SQUARE)
    return (row, col) if 0 <= row < SIDE and 0 <= col < SIDE else None


def slot_at(x: float, y: float) -> int | None:
    """Return the slot of the tray under a point of the picture, None beside it."""
    inside = _TRAY_X <= x < _TRAY_X + _WELL
    found = [slot for slot in range(NUM_SLOTS) if 0 <= y - _well_y(slot) < _WELL]
    return found[0] if inside and found else None


def _tint(canvas: Canvas, squares: Iterable[tuple[int, int]], color: Color) -> None:
    """Tint squares (row, col) of the quilt."""
    for r, c in squares:
        x, y = _corner(r, c)
        canvas.rect(x, y, _SQUARE, _SQUARE, color, alpha=0.45)


def draw_held(canvas: Canvas, slot: int, misfit: Iterable[tuple[int, int]]) -> None:
    """Tint squares (row, col) where a patch does not fit, and outline its slot as chosen."""
    accent, bad = canvas.theme.accent, canvas.theme.bad
    _tint(canvas, misfit, bad)
    canvas.rect(_TRAY_X, _well_y(slot), _WELL, _WELL, accent, radius=2.0, outline=_OUTLINE)
