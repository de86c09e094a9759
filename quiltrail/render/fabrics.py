"""Six fabrics, each a square of cloth with its own pattern; squares side by side match.

`paint_fabric` paints one square and is meant to be stamped:
``canvas.stamp(paint_fabric, x, y, side, side, fabric)``.
"""

from __future__ import annotations

from collections.abc import Callable

from quiltrail.render.canvas import Canvas
from quiltrail.render.themes import Color, mix

NUM_FABRICS = 6


def paint_fabric(canvas: Canvas, fabric: int) -> None:
    """Cover a canvas with fabric 0 to 5 of its theme: a square of cloth."""
    cloth = canvas.theme.fabrics[fabric]
    canvas.fill(cloth.cloth)
    _PATTERNS[cloth.pattern](canvas, cloth.cloth, cloth.thread)


def _gingham(canvas: Canvas, cloth: Color, thread: Color) -> None:
    """Checks: half-tone bands both ways, full tone where they cross."""
    side = canvas.width
    band, half = side / 4, mix(cloth, thread, 0.5)
    for place in (0.5, 2.5):
        canvas.rect(place * band, 0.0, band, side, half)
        canvas.rect(0.0, place * band, side, band, half)
    for column in (0.5, 2.5):
        for row in (0.5, 2.5):
            canvas.rect(column * band, row * band, band, band, thread)


def _dots(canvas: Canvas, cloth: Color, thread: Color) -> None:
    side = canvas.width
    for x, y in ((0.25, 0.25), (0.75, 0.75)):
        canvas.circle(x * side, y * side, 0.13 * side, thread)
    for x, y in ((0.75, 0.25), (0.25, 0.75)):
        canvas.circle(x * side, y * side, 0.06 * side, thread)


def _stripes(canvas: Canvas, cloth: Color, thread: Color) -> None:
    side = canvas.width
    for offset in (-0.75, -0.25, 0.25, 0.75):
        start, end = (offset * side, side), (offset * side + side, 0.0)
        far = ((start[0] - side, start[1] + side), (end[0] + side, end[1] - side))
        canvas.line(far, 0.16 * side, thread, cap="butt")


def _cross_stitch(canvas: Canvas, cloth: Color, thread: Color) -> None:
    side = canvas.width
    arm = 0.13 * side
    for x, y in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)):
        cx, cy = x * side, y * side
        for slant in (1, -1):
            ends = ((cx - arm, cy - slant * arm), (cx + arm, cy + slant * arm))
            canvas.line(ends, 0.075 * side, thread)


def _floral(canvas: Canvas, cloth: Color, thread: Color) -> None:
    side = canvas.width
    heart = canvas.theme.accent
    for x, y, petal in ((0.32, 0.34, 0.105), (0.76, 0.74, 0.075)):
        cx, cy = x * side, y * side
        for dx, dy in ((0.0, -1.0), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)):
            reach = 1.25 * petal * side
            canvas.circle(cx + dx * reach, cy + dy * reach, petal * side, thread)
        canvas.circle(cx, cy, 0.8 * petal * side, heart)
    leaf = mix(cloth, (0, 40, 0), 0.45)
    canvas.line(((0.72 * side, 0.2 * side), (0.84 * side, 0.3 * side)), 0.09 * side, leaf)
    canvas.line(((0.2 * side, 0.84 * side), (0.3 * side, 0.74 * side)), 0.09 * side, leaf)


def _diamond(canvas: Canvas, cloth: Color, thread: Color) -> None:
    side = canvas.width
    middle = side / 2
    light = mix(cloth, thread, 0.45)
    diamond = ((middle, 0.0), (side, middle), (middle, side), (0.0, middle))
    canvas.polygon(diamond, color=light)
    reach = 0.2 * side
    inner = (
        (middle, middle - reach),
        (middle + reach, middle),
        (middle, middle + reach),
        (middle - reach, middle),
    )
    canvas.polygon(inner, color=thread)


_PATTERNS: dict[str, Callable[[Canvas, Color, Color], None]] = {
    "gingham": _gingham,
    "dots": _dots,
    "stripes": _stripes,
    "cross-stitch": _cross_stitch,
    "floral": _floral,
    "diamond": _diamond,
}
