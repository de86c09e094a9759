"""Patchrook as text and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from quiltrail.core.actions import JsonAction
from quiltrail.core.engine import Engine
from quiltrail.envs.patchrook.rules import BOARD_SIZE, LABELS
from quiltrail.envs.patchrook.shapes import covered_cells
from quiltrail.render import PICTURE_UNITS, Canvas, draw_patch
from quiltrail.render.patches import outlines

_MARGIN = 4.0
_TOP = 14.0
_BOARD_SIDE = 58.0
_SQUARE = _BOARD_SIDE / BOARD_SIZE
_TRAY_LEFT = 66.0
_TRAY_BOTTOM = 96.0
_TRAY_COLUMNS, _TRAY_ROWS = 2, 3
_WIDEST_TRAY_SQUARE = 4.6
_LABEL_ROOM = 6.0
_CARD_TOP = 78.0


def ansi(engine: Engine, row: int) -> str:
    """Return the position as text: the board, then the patches in the tray as first turned."""
    view = engine.view(row)
    lines = [
        f"quilt {view['quilt']}  {view['phase']}  turn {view['turn']}  score {view['score']}",
        *view["board"],
    ]
    drawings = [_drawing(view, label) for label in view["tray"]]
    if drawings:
        widths = [max(map(len, drawing)) for drawing in drawings]
        lines.append("tray")
        for parts in zip_longest(*drawings, fillvalue=""):
            padded = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
            lines.append("   ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def _drawing(view: dict[str, Any], label: str) -> list[str]:
    """Return a patch in its initial orientation, drawn with its letter."""
    cells = _initial_cells(view, label)
    width, height = _extent(cells)
    rows = (range(width) for _ in range(height))
    return [
        "".join(label if (x, y) in cells else " " for x in columns)
        for y, columns in enumerate(rows)
    ]


def _initial_cells(view: dict[str, Any], label: str) -> list[tuple[int, int]]:
    turned = view["patches"][label]["orientations"][view["initialOrientations"][label]]
    return [(x, y) for x, y in turned]


def _extent(cells: list[tuple[int, int]]) -> tuple[int, int]:
    return max(x for x, _ in cells) + 1, max(y for _, y in cells) + 1


def paint(canvas: Canvas, engine: Engine, row: int) -> None:
    """Draw the quilt with its patches, beside it the tray, below it what has happened."""
    view = engine.view(row)
    usable = tuple(view["usable"])
    canvas.stamp(_paint_backdrop, 0.0, 0.0, canvas.width, canvas.height, usable, view["width"])
    _draw_header(canvas, view)
    _draw_placements(canvas, view)
    _draw_tray(canvas, view)
    completed = engine.success is not None and bool(engine.success[row])
    _draw_card(canvas, view, completed)


def _paint_backdrop(canvas: Canvas, usable: tuple[bool, ...], width: int) -> None:
    """Draw the panels and the usable squares of an empty quilt."""
    theme = canvas.theme
    tray = (
        _TRAY_LEFT - 1,
        _TOP - 2,
        canvas.width - _MARGIN - _TRAY_LEFT + 2,
        _TRAY_BOTTOM - _TOP + 3,
    )
    board = (_MARGIN - 2, _TOP - 2, _BOARD_SIDE + 4, _BOARD_SIDE + 4)
    card = (_MARGIN - 2, _CARD_TOP, _BOARD_SIDE + 4, _TRAY_BOTTOM + 1 - _CARD_TOP)
    for box in (tray, board, card):
        canvas.panel(*box, radius=3.0)
    left, top = _corner(width, len(usable) // width)
    for square, is_usable in enumerate(usable):
        if is_usable:
            y, x = divmod(square, width)
            corner = (left + x * _SQUARE, top + y * _SQUARE)
            canvas.rect(*corner, _SQUARE, _SQUARE, theme.line)
            canvas.rect(corner[0] + 0.3, corner[1] + 0.3, _SQUARE - 0.6, _SQUARE - 0.6, theme.well)


def _draw_header(canvas: Canvas, view: dict[str, Any]) -> None:
    ink = canvas.theme.ink
    quilt, score = f"Quilt {view['quilt']}", f"Score {view['score']}"
    canvas.fitted_text(quilt, _MARGIN + 1, 7.5, 5, 40, ink, align="left", bold=True)
    canvas.fitted_text(score, 95, 7.5, 5, 48, ink, align="right", bold=True)


def _draw_placements(canvas: Canvas, view: dict[str, Any]) -> None:
    left, top = _corner(view["width"], view["height"])
    for label, at in view["placements"].items():
        cells = squares_under(view, label, at)
        draw_patch(canvas, cells, left, top, _SQUARE, LABELS.index(label))
        _draw_label(canvas, label, left + at["x"] * _SQUARE, top + at["y"] * _SQUARE, _SQUARE)


def squares_under(
    view: dict[str, Any], label: str, at: Mapping[str, int]
) -> tuple[tuple[int, int], ...]:
    """Return the squares that a patch covers; ``at`` has its orientation and its button's x, y."""
    turned = view["patches"][label]["orientations"][at["orientation"]]
    return covered_cells(tuple((x, y) for x, y in turned), at["x"], at["y"])


def _corner(width: int, height: int) -> tuple[float, float]:
    """Return the top left corner of a board that lies in the middle of its panel."""
    return (
        _MARGIN + (_BOARD_SIDE - width * _SQUARE) / 2,
        _TOP + (_BOARD_SIDE - height * _SQUARE) / 2,
    )


def _draw_label(canvas: Canvas, label: str, x: float, y: float, side: float) -> None:
    """Draw a letter on a button, in the middle of a square."""
    size = 0.56 * side
    inset = (side - size) / 2
    canvas.stamp(_paint_button, x + inset, y + inset, size, size, label)


def _paint_button(canvas: Canvas, label: str) -> None:
    """Draw a round button that fills the canvas, with a letter."""
    theme = canvas.theme
    middle = canvas.width / 2
    canvas.circle(middle, middle, middle, theme.ink)
    canvas.circle(middle, middle, 0.88 * middle, theme.panel)
    canvas.text(label, middle, middle, 0.56 * canvas.width, theme.ink, bold=True)


def _draw_tray(canvas: Canvas, view: dict[str, Any]) -> None:
    """Draw the tray; a place whose patch lies on the quilt stays empty."""
    width = (canvas.width - _MARGIN - _TRAY_LEFT) / _TRAY_COLUMNS
    height = (_TRAY_BOTTOM - _TOP) / _TRAY_ROWS
    for slot, label in enumerate(view["trayOrder"]):
        down, across = divmod(slot, _TRAY_COLUMNS)
        left, top = _TRAY_LEFT + across * width, _TOP + down * height
        canvas.text(label, left + width / 2, top + 4.5, 3.2, canvas.theme.muted, bold=True)
        if label in view["tray"]:
            cells = _initial_cells(view, label)
            columns, rows = _extent(cells)
            room = (width - 2.0, height - _LABEL_ROOM - 2.0)
            side = min(_WIDEST_TRAY_SQUARE, room[0] / columns, room[1] / rows)
            x = left + (width - columns * side) / 2
            y = top + _LABEL_ROOM + (room[1] - rows * side) / 2
            draw_patch(canvas, cells, x, y, side, LABELS.index(label))


def _draw_card(canvas: Canvas, view: dict[str, Any], completed: bool) -> None:
    """Write the phase and the number of actions below the quilt.

    ``completed`` says that the run has ended because its one quilt is covered.
    """
    theme = canvas.theme
    middle = _MARGIN + _BOARD_SIDE / 2
    words, color = {
        "playing": (f"{len(view['tray'])} to place", theme.ink),
        "cleared": (f"Cleared +{view['lastQuiltPoints']}", theme.good),
        "ended": ("Banked", theme.ink),
    }["cleared" if completed else view["phase"]]
    canvas.fitted_text(words, middle, _CARD_TOP + 5.8, 4.6, _BOARD_SIDE - 8, color, bold=True)
    turns = f"turn {view['turn']}"
    canvas.fitted_text(turns, middle, _CARD_TOP + 13.0, 3.2, _BOARD_SIDE - 8, theme.muted)


def square_at(view: dict[str, Any], x: float, y: float) -> tuple[int, int] | None:
    """Return the square (x, y) of the board under a point of the picture, None beside it."""
    left, top = _corner(view["width"], view["height"])
    across, down = int((x - left) // _SQUARE), int((y - top) // _SQUARE)
    inside = 0 <= across < view["width"] and 0 <= down < view["height"]
    return (across, down) if inside else None


def slot_at(x: float, y: float) -> int | None:
    """Return the place of the tray under a point of the picture, None beside it."""
    width = (PICTURE_UNITS - _MARGIN - _TRAY_LEFT) / _TRAY_COLUMNS
    height = (_TRAY_BOTTOM - _TOP) / _TRAY_ROWS
    across, down = int((x - _TRAY_LEFT) // width), int((y - _TOP) // height)
    inside = 0 <= across < _TRAY_COLUMNS and 0 <= down < _TRAY_ROWS
    return down * _TRAY_COLUMNS + across if inside else None


def draw_held(canvas: Canvas, view: dict[str, Any], place: JsonAction, fits: bool) -> None:
    """Draw a patch as an action would place it, and whether it fits there."""
    theme = canvas.theme
    left, top = _corner(view["width"], view["height"])
    label, x, y = place["patchId"], place["x"], place["y"]
    cells = squares_under(view, label, place)
    draw_patch(canvas, cells, left, top, _SQUARE, LABELS.index(label))
    color = theme.accent if fits else theme.bad
    for loop in outlines(cells):
        rim = [(left + cx * _SQUARE, top + cy * _SQUARE) for cx, cy in loop]
        canvas.line([*rim, rim[0]], 1.2, color)
    _draw_label(canvas, label, left + x * _SQUARE, top + y * _SQUARE, _SQUARE)
