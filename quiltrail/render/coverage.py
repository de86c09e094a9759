"""Coverage: how much of each pixel a shape covers, from 0 to 1, in pixel coordinates.

Each function looks only at the pixels of a `Frame` around its shape and returns their shares,
(h, w) float32. Rectangles and circles come from signed distances, polygons and letters from exact
areas along each of a few scanlines in every pixel row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, hypot

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Edges = NDArray[np.float64]
#: Left, top, right and bottom of a rectangle.
Sides = tuple[float, float, float, float]

_HALF_PIXEL = 0.5
_SCANLINES = 16  # a pixel row
_SHORTEST = 1e-6  # pixels


@dataclass(frozen=True)
class Frame:
    """The pixels around a shape, cut to the picture; centres are columns x (w,), rows y (h, 1)."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether no pixel is left."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def x(self) -> Floats:
        """Pixel centres of the columns."""
        return _centres(self.left, self.right)

    @property
    def y(self) -> Floats:
        """Pixel centres of the rows."""
        return _centres(self.top, self.bottom)[:, None]


@lru_cache(maxsize=1024)
def _centres(first: int, end: int) -> Floats:
    centres = np.arange(first, end, dtype=np.float32) + np.float32(_HALF_PIXEL)
    centres.flags.writeable = False
    return centres


def frame_of(sides: Sides, size: tuple[int, int]) -> Frame:
    """Return the pixels that a rectangle touches, in a picture of ``size`` = (width, height)."""
    left, top, right, bottom = sides
    return Frame(
        max(floor(left - _HALF_PIXEL), 0),
        max(floor(top - _HALF_PIXEL), 0),
        min(ceil(right + _HALF_PIXEL), size[0]),
        min(ceil(bottom + _HALF_PIXEL), size[1]),
    )


def rect_coverage(frame: Frame, sides: Sides) -> Floats:
    """Return the exact shares of a rectangle with sharp corners."""
    left, top, right, bottom = sides
    across = _span(frame.x, left, right)
    down = _span(frame.y, top, bottom)
    shares: Floats = down * across
    return shares


def _span(centres: Floats, low: float, high: float) -> Floats:
    """Return how much of each pixel's length lies between low and high."""
    shares = np.minimum(centres + _HALF_PIXEL, high) - np.maximum(centres - _HALF_PIXEL, low)
    span: Floats = np.clip(shares, 0.0, 1.0).astype(np.float32)
    return span


def round_rect_distance(frame: Frame, sides: Sides, radius: float) -> Floats:
    """Return the signed distance (negative inside) to a rectangle with round corners."""
    left, top, right, bottom = sides
    half_width, half_height = (right - left) / 2, (bottom - top) / 2
    radius = min(radius, half_width, half_height)
    across = np.abs(frame.x - (left + right) / 2) - np.float32(half_width - radius)
    down = np.abs(frame.y - (top + bottom) / 2) - np.float32(half_height - radius)
    outside = np.hypot(np.maximum(across, 0.0), np.maximum(down, 0.0))
    inside = np.minimum(np.maximum(across, down), 0.0)
    distance: Floats = outside + inside - np.float32(radius)
    return distance


def circle_distance(frame: Frame, x: float, y: float, radius: float) -> Floats:
    """Return the signed distance to a circle."""
    distance: Floats = np.hypot(frame.x - np.float32(x), frame.y - np.float32(y))
    distance -= np.float32(radius)
    return distance


def shares_of(distance: Floats, outline: float | None = None) -> Floats:
    """Return the shares of what lies within a signed distance, or of an outline around it."""
    # Half a pixel outside the edge a pixel has no share, half a pixel inside its whole: next to the
    # exact area for an edge that is straight within the pixel, and much cheaper.
    shares: Floats
    if outline is None:
        shares = np.clip(np.float32(_HALF_PIXEL) - distance, 0.0, 1.0)
        return shares
    # An outline thinner than a pixel is drawn a pixel thick and as much fainter.
    reach = np.float32(max(outline, 1.0) / 2 + _HALF_PIXEL)
    shares = np.clip(reach - np.abs(distance), 0.0, 1.0)
    shares *= np.float32(min(outline, 1.0))
    return shares


def stroke_distance(
    frame: Frame, lines: Sequence[NDArray[np.float64]], half: float, butt: bool
) -> Floats:
    """Return the signed distance to lines (N, 2) each, ``half`` thick to either side."""
    distance = np.full((frame.bottom - frame.top, frame.right - frame.left), np.inf, np.float32)
    for line in lines:
        segments = [_Segment(*start, *end) for start, end in pairwise(line.tolist())]
        length = sum(segment.length for segment in segments)
        place = 0.0
        for segment in segments:
            # Distances make round ends by themselves. A butt end cuts off what lies behind the
            # line's last point, of every segment within reach of it.
            ends = []
            if butt and place < half:
                ends.append(segments[0].backwards())
            place += segment.length
            if butt and length - place < half:
                ends.append(segments[-1])
            _take_segment(frame, distance, segment, half, ends)
    return distance


@dataclass(frozen=True)
class _Segment:
    """A straight piece of a line."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def length(self) -> float:
        # A point has no direction, but has to give one to divide by.
        return max(hypot(self.x1 - self.x0, self.y1 - self.y0), _SHORTEST)

    def backwards(self) -> _Segment:
        return _Segment(self.x1, self.y1, self.x0, self.y0)

    def along(self, frame: Frame) -> Floats:
        """How far each pixel lies in the segment's direction, from its start."""
        dx = np.float32((self.x1 - self.x0) / self.length)
        dy = np.float32((self.y1 - self.y0) / self.length)
        result: Floats = (frame.x - np.float32(self.x0)) * dx + (frame.y - np.float32(self.y0)) * dy
        return result

    def aside(self, frame: Frame) -> Floats:
        """How far each pixel lies to a side of the segment's straight line."""
        dx = np.float32((self.x1 - self.x0) / self.length)
        dy = np.float32((self.y1 - self.y0) / self.length)
        result: Floats = (frame.x - np.float32(self.x0)) * dy - (frame.y - np.float32(self.y0)) * dx
        return result


def _take_segment(
    frame: Frame, distance: Floats, segment: _Segment, half: float, ends: Sequence[_Segment]
) -> None:
    """Lower distances to those of one segment, within its own box; cut it off behind ``ends``."""
    sides = (
        min(segment.x0, segment.x1) - half,
        min(segment.y0, segment.y1) - half,
        max(segment.x0, segment.x1) + half,
        max(segment.y0, segment.y1) + half,
    )
    near = frame_of(sides, (frame.right, frame.bottom))
    near = Frame(max(near.left, frame.left), max(near.top, frame.top), near.right, near.bottom)
    if near.empty:
        return
    along = segment.along(near)
    beyond = along - np.clip(along, 0.0, np.float32(segment.length))
    found = np.hypot(beyond, segment.aside(near)) - np.float32(half)
    for end in ends:
        found = np.maximum(found, end.along(near) - np.float32(end.length))
    part = distance[
        near.top - frame.top : near.bottom - frame.top,
        near.left - frame.left : near.right - frame.left,
    ]
    np.minimum(part, found, out=part)


def edges_coverage(frame: Frame, edges: Edges) -> Floats:
    """Return the shares of what closed edges (E, 2, 2) enclose.

    On each scanline every crossing adds, from itself on to the right, plus or minus one by the
    edge's direction; the running sum, averaged over a pixel row's scanlines, is the share. Contours
    may be nested (holes) or apart; where they overlap, the rim of the overlap is not exact.
    """
    height, width = frame.bottom - frame.top, frame.right - frame.left
    lines = frame.top + (np.arange(height * _SCANLINES) + _HALF_PIXEL) / _SCANLINES
    x0, y0, x1, y1 = edges.reshape(-1, 4).T
    down = (y0[:, None] <= lines) & (lines < y1[:, None])
    up = (y1[:, None] <= lines) & (lines < y0[:, None])
    edge, line = np.nonzero(down | up)
    # Level edges cross no scanline; their slope only must not divide by zero.
    slope = (x1 - x0) / np.where(y1 == y0, 1.0, y1 - y0)
    cross = x0[edge] + (lines[line] - y0[edge]) * slope[edge] - frame.left
    cross = np.clip(cross, 0.0, width)
    step = np.where(down[edge, line], 1.0, -1.0) / _SCANLINES
    column = np.minimum(cross.astype(np.int64), width - 1)
    part = cross - column
    cell = line // _SCANLINES * (width + 1) + column
    total = height * (width + 1)
    steps = np.bincount(cell, step * (1.0 - part), total)
    steps += np.bincount(cell + 1, step * part, total)
    winding = np.cumsum(steps.reshape(height, width + 1), axis=1)[:, :width]
    shares: Floats = np.minimum(np.abs(winding), 1.0).astype(np.float32)
    return shares
