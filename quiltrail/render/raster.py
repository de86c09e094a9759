"""RasterCanvas: a canvas of pixels, numpy only, anti-aliased.

Pixels lie in rows of 3 * width bytes; a shape is blended over its own box only, and stamps are
kept (see `Canvas.stamp`), so that a picture of a few dozen shapes takes a few hundred microseconds.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from quiltrail.render.canvas import (
    PICTURE_UNITS,
    Box,
    Canvas,
    Ink,
    Lettering,
    Painter,
    Pen,
    Point,
)
from quiltrail.render.coverage import (
    Floats,
    Frame,
    Sides,
    circle_distance,
    edges_coverage,
    frame_of,
    rect_coverage,
    round_rect_distance,
    shares_of,
)
from quiltrail.render.curves import curve_points
from quiltrail.render.masks import GLYPH_PHASES, Mask, line_mask, text_mask
from quiltrail.render.text import text_width
from quiltrail.render.themes import Color, Theme

Bytes = NDArray[np.uint8]

_CHANNELS = 3
_ROUNDING = np.float32(0.5)
_OPAQUE = 255
_MOST_STAMPS = 1024
_MOST_ROWS = 1024


class RasterCanvas(Canvas):
    """A canvas of ``pixels_wide`` by ``pixels_high`` pixels.

    Args:
        pixels_wide: columns.
        pixels_high: rows.
        theme: its colours.
        width: units across; the default is a game's picture.
        height: units down.
    """

    def __init__(
        self,
        pixels_wide: int,
        pixels_high: int,
        theme: Theme,
        width: float = PICTURE_UNITS,
        height: float = PICTURE_UNITS,
    ) -> None:
        super().__init__(width, height, theme)
        self._size = (pixels_wide, pixels_high)
        self._scale_x = pixels_wide / width
        self._scale_y = pixels_high / height
        self._scale = (self._scale_x + self._scale_y) / 2
        self._rows: Bytes = np.zeros((pixels_high, pixels_wide * _CHANNELS), np.uint8)

    def pixels(self) -> Bytes:
        """Return the picture, (rows, columns, 3) uint8; live, not a copy."""
        return self._rows.reshape(self._size[1], self._size[0], _CHANNELS)

    def _rect(self, box: Box, radius: float, ink: Ink) -> None:
        sides = self._sides(box)
        line, margin = self._outline(ink)
        if line is None and radius <= 0.0:
            self._sharp_rect(sides, ink)
            return
        left, top, right, bottom = sides
        grown = (left - margin, top - margin, right + margin, bottom + margin)
        frame = frame_of(grown, self._size)
        if not frame.empty:
            distance = round_rect_distance(frame, sides, radius * self._scale)
            self._blend(frame, shares_of(distance, line), ink.color, ink.alpha)

    def _circle(self, center: Point, radius: float, ink: Ink) -> None:
        x, y, reach = self._in_pixels(center, radius)
        line, margin = self._outline(ink)
        around = reach + margin
        frame = frame_of((x - around, y - around, x + around, y + around), self._size)
        if not frame.empty:
            distance = circle_distance(frame, x, y, reach)
            self._blend(frame, shares_of(distance, line), ink.color, ink.alpha)

    def _polygon(self, contours: Sequence[Sequence[Point]], ink: Ink) -> None:
        scale = np.array([self._scale_x, self._scale_y])
        rings = [np.asarray(contour, np.float64) * scale for contour in contours]
        edges = np.concatenate(
            [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings]
        )
        low, high = edges.min(axis=(0, 1)), edges.max(axis=(0, 1))
        frame = frame_of((*low, *high), self._size)
        if not frame.empty:
            self._blend(frame, edges_coverage(frame, edges), ink.color, ink.alpha)

    def _line(self, points: Sequence[Point], pen: Pen) -> None:
        thick, dash = pen.thickness * self._scale, pen.dash
        mask = line_mask(
            tuple((x * self._scale_x, y * self._scale_y) for x, y in points),
            max(thick, 1.0) / 2,
            pen.cap == "butt",
            None if dash is None else (dash[0] * self._scale, dash[1] * self._scale),
            self._size,
        )
        if mask is not None:  # a line thinner than a pixel is a pixel wide and fainter
            self._blend_mask(mask, 0, 0, pen.color, pen.alpha * min(thick, 1.0))

    def _curve(self, start: Point, control: Point, end: Point, pen: Pen) -> None:
        self._line(curve_points(start, control, end), pen)

    def _gradient(self, box: Box, top: Color, bottom: Color) -> None:
        left, low, right, high = self._sides(box)
        frame = self._whole_frame(round(left), round(low), round(right), round(high))
        if frame.empty:
            return
        share = np.clip((frame.y - np.float32(low)) / np.float32(high - low), 0.0, 1.0)
        first, last = np.array(top, np.float32), np.array(bottom, np.float32)
        colors = (first + (last - first) * share + _ROUNDING).astype(np.uint8)
        self._part(frame)[:] = np.tile(colors, (1, frame.right - frame.left))

    def _text(self, string: str, place: Point, size: float, lettering: Lettering) -> None:
        x, y, capital = self._in_pixels(place, size)
        left = x - lettering.before * text_width(string, capital, lettering.bold)
        at = round(left * GLYPH_PHASES)
        mask = text_mask(string, lettering.bold, round(capital, 2), at % GLYPH_PHASES)
        if mask is not None:
            top = round(y - capital / 2)
            self._blend_mask(mask, at // GLYPH_PHASES, top, lettering.color, lettering.alpha)

    def _stamp(self, painter: Painter, args: tuple[Hashable, ...], box: Box) -> None:
        left, top, right, bottom = map(round, self._sides(box))
        if right <= left or bottom <= top:
            return
        pixels, units = (right - left, bottom - top), (box.width, box.height)
        stamp = _stamp_of(painter, args, self.theme, pixels, units)
        if stamp is not None:
            self._print(stamp, left + stamp.left, top + stamp.top)

    def _sides(self, box: Box) -> Sides:
        """Return left, top, right and bottom of a rectangle in pixels."""
        return (
            box.x * self._scale_x,
            box.y * self._scale_y,
            (box.x + box.width) * self._scale_x,
            (box.y + box.height) * self._scale_y,
        )

    def _outline(self, ink: Ink) -> tuple[float | None, float]:
        """Return how thick an outline is in pixels, and how far it sticks out."""
        if ink.outline is None:
            return None, 0.0
        line = ink.outline * self._scale
        return line, max(line, 1.0) / 2

    def _in_pixels(self, place: Point, length: float) -> tuple[float, float, float]:
        """Return x and y of a place, and a length, in pixels."""
        return place[0] * self._scale_x, place[1] * self._scale_y, length * self._scale

    def _whole_frame(self, left: int, top: int, right: int, bottom: int) -> Frame:
        """Return whole pixels, cut to the picture."""
        return Frame(
            max(left, 0), max(top, 0), min(right, self._size[0]), min(bottom, self._size[1])
        )

    def _sharp_rect(self, sides: Sides, ink: Ink) -> None:
        """Blend the rim of a rectangle and set its inside, which is faster."""
        left, top, right, bottom = sides
        inner = self._whole_frame(ceil(left), ceil(top), floor(right), floor(bottom))
        outer = self._whole_frame(floor(left), floor(top), ceil(right), ceil(bottom))
        if outer.empty:
            return
        if inner.empty or ink.alpha < 1.0:
            self._blend(outer, rect_coverage(outer, sides), ink.color, ink.alpha)
            return
        self._part(inner)[:] = np.tile(np.array(ink.color, np.uint8), inner.right - inner.left)
        for frame in (  # the rim: rows above and below, then columns beside
            Frame(outer.left, outer.top, outer.right, inner.top),
            Frame(outer.left, inner.bottom, outer.right, outer.bottom),
            Frame(outer.left, inner.top, inner.left, inner.bottom),
            Frame(inner.right, inner.top, outer.right, inner.bottom),
        ):
            if not frame.empty:
                self._blend(frame, rect_coverage(frame, sides), ink.color)

    def _part(self, frame: Frame) -> Bytes:
        columns = slice(frame.left * _CHANNELS, frame.right * _CHANNELS)
        return self._rows[frame.top : frame.bottom, columns]

    def _blend(self, frame: Frame, shares: Floats, color: Color, alpha: float = 1.0) -> None:
        """Move the pixels of a frame towards a colour by their shares (h, w)."""
        if alpha < 1.0:
            shares = shares * np.float32(alpha)
        part = self._part(frame)
        change = _color_row(color, frame.right - frame.left) - part
        change *= np.repeat(shares, _CHANNELS, axis=1)
        change += part
        change += _ROUNDING
        part[:] = change.astype(np.uint8)

    def _blend_mask(self, mask: Mask, column: int, row: int, color: Color, alpha: float) -> None:
        left, top = column + mask.left, row + mask.top
        height, width = mask.shares.shape
        frame = self._whole_frame(left, top, left + width, top + height)
        if not frame.empty:
            shares = mask.shares[
                frame.top - top : frame.bottom - top, frame.left - left : frame.right - left
            ]
            self._blend(frame, shares, color, alpha)

    def _print(self, stamp: _Stamp, left: int, top: int) -> None:
        """Lay a kept picture over the pixels."""
        height, width = stamp.inks.shape[0], stamp.inks.shape[1] // _CHANNELS
        frame = self._whole_frame(left, top, left + width, top + height)
        if frame.empty:
            return
        rows = slice(frame.top - top, frame.bottom - top)
        columns = slice((frame.left - left) * _CHANNELS, (frame.right - left) * _CHANNELS)
        part = self._part(frame)
        if stamp.keeps is None:
            part[:] = stamp.inks[rows, columns]
            return
        kept = part * stamp.keeps[rows, columns]  # uint16
        kept += _OPAQUE // 2  # so that the division rounds
        kept //= _OPAQUE
        kept += stamp.inks[rows, columns]
        part[:] = kept


@dataclass(frozen=True)
class _Stamp:
    """A kept picture without its empty rim.

    Attributes:
        left: pixels of rim at the left.
        top: pixels of rim above.
        inks: (h, 3 w) uint8, colours times their opacity.
        keeps: (h, 3 w) uint16, 0 to 255, how much of what lies below stays; None for nothing.
    """

    left: int
    top: int
    inks: Bytes
    keeps: NDArray[np.uint16] | None


@lru_cache(maxsize=_MOST_ROWS)
def _color_row(color: Color, pixels: int) -> Floats:
    """Return a colour over and over, (3 * pixels,) float32."""
    row: Floats = np.tile(np.array(color, np.float32), pixels)
    row.flags.writeable = False
    return row


@lru_cache(maxsize=_MOST_STAMPS)
def _stamp_of(
    painter: Painter,
    args: tuple[Hashable, ...],
    theme: Theme,
    pixels: tuple[int, int],
    units: tuple[float, float],
) -> _Stamp | None:
    """Return a painter's picture; None if it is empty.

    Painted on black and on white: black shows the ink, the difference what shines through.
    """
    on_black = RasterCanvas(*pixels, theme, *units)
    on_white = RasterCanvas(*pixels, theme, *units)
    on_white.fill((_OPAQUE, _OPAQUE, _OPAQUE))
    painter(on_black, *args)
    painter(on_white, *args)
    inks = on_black._rows
    keeps: NDArray[np.uint16] = on_white._rows.astype(np.uint16) - inks
    painted: NDArray[np.bool_]
    painted = keeps.reshape(pixels[1], pixels[0], _CHANNELS).min(axis=2) < _OPAQUE
    if not painted.any():
        return None
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    inner = np.s_[top:bottom, left * _CHANNELS : right * _CHANNELS]
    opaque = not keeps[inner].any()
    return _Stamp(int(left), int(top), inks[inner].copy(), None if opaque else keeps[inner].copy())
