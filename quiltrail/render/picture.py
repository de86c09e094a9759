"""Whole pictures: a paint function and its arguments become an array or a vector file."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quiltrail.render.canvas import Canvas
from quiltrail.render.raster import RasterCanvas
from quiltrail.render.svg import SvgCanvas
from quiltrail.render.themes import LIGHT, Theme

DEFAULT_SIZE = 512

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LINE_HEIGHT = 1.9  # of a capital
_COLUMN_WIDTH = 0.85
_MARGIN = 4.0
_LARGEST_TEXT = 3.0


def raster(
    paint: Callable[..., None], *args: object, size: int = DEFAULT_SIZE, theme: Theme = LIGHT
) -> NDArray[np.uint8]:
    """Return what ``paint(canvas, *args)`` draws, (size, size, 3) uint8."""
    canvas = RasterCanvas(size, size, theme)
    canvas.fill(theme.page)
    paint(canvas, *args)
    return canvas.pixels()


def vector(
    paint: Callable[..., None], *args: object, size: int = DEFAULT_SIZE, theme: Theme = LIGHT
) -> str:
    """Return what ``paint(canvas, *args)`` draws as an SVG file ``size`` pixels wide and high."""
    canvas = SvgCanvas(theme)
    canvas.fill(theme.page)
    paint(canvas, *args)
    return canvas.document(size)


def paint_text(canvas: Canvas, text: str) -> None:
    """Write lines of text in columns of equal width, as large as they fit."""
    lines = _ESCAPES.sub("", text).expandtabs().splitlines() or [""]
    columns = max(1, *map(len, lines))
    size = min(
        _LARGEST_TEXT,
        (canvas.width - 2 * _MARGIN) / (columns * _COLUMN_WIDTH),
        (canvas.height - 2 * _MARGIN) / (len(lines) * _LINE_HEIGHT),
    )
    for number, line in enumerate(lines):
        y = _MARGIN + (number + 0.5) * _LINE_HEIGHT * size
        for column, character in enumerate(line):
            if not character.isspace():
                x = _MARGIN + (column + 0.5) * _COLUMN_WIDTH * size
                canvas.text(character, x, y, size, canvas.theme.ink)
