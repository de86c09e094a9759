"""Masks: lines and letters as shares of pixels, kept for their next use.

A stamp is painted twice (see `quiltrail.render.raster`) and the words of a picture hardly change,
so both are worth keeping. Coordinates are pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor

import numpy as np

from quiltrail.render.canvas import Point
from quiltrail.render.coverage import (
    Floats,
    Frame,
    edges_coverage,
    frame_of,
    shares_of,
    stroke_distance,
)
from quiltrail.render.curves import dashes
from quiltrail.render.text import flatten, layout, load_font

GLYPH_PHASES = 4  # a letter starts at a whole pixel or at one of these parts of it
_CAPITAL_A_PIECE = 16  # pixels: so much larger, a curve takes one more straight piece
_MOST_MORE_PIECES = 6
_MOST_LINES = 64
_MOST_TEXTS = 1024
_MOST_GLYPHS = 4096


@dataclass(frozen=True)
class Mask:
    """Shares of the pixels, the first at a column and row from where the mask is laid.

    A letter or a text is laid at its left end and the top of its capitals.
    """

    left: int
    top: int
    shares: Floats


@lru_cache(maxsize=_MOST_LINES)
def line_mask(
    points: tuple[Point, ...],
    half: float,
    butt: bool,
    dash: tuple[float, float] | None,
    size: tuple[int, int],
) -> Mask | None:
    """Return a line in pixels, ``half`` thick to either side; None if it lies outside."""
    whole = np.array(points, np.float64)
    pieces = [whole] if dash is None else dashes(whole, *dash)
    if not pieces:
        return None
    every = np.concatenate(pieces)
    low, high = every.min(axis=0) - half, every.max(axis=0) + half
    frame = frame_of((*low, *high), size)
    if frame.empty:
        return None
    return Mask(frame.left, frame.top, shares_of(stroke_distance(frame, pieces, half, butt)))


@lru_cache(maxsize=_MOST_TEXTS)
def text_mask(string: str, bold: bool, capital: float, phase: int) -> Mask | None:
    """Return a line of text whose capitals are so many pixels high; None for blanks alone."""
    placed = []
    for glyph in layout(string, bold)[0]:
        at = phase + round(glyph.x * capital * GLYPH_PHASES)
        mask = _glyph_mask(glyph.character, bold, capital, at % GLYPH_PHASES)
        if mask is not None:
            placed.append((at // GLYPH_PHASES + mask.left, mask.top, mask.shares))
    if not placed:
        return None
    left, top = min(part[0] for part in placed), min(part[1] for part in placed)
    wide = max(x + shares.shape[1] for x, _, shares in placed) - left
    high = max(y + shares.shape[0] for _, y, shares in placed) - top
    whole = np.zeros((high, wide), np.float32)
    for x, y, shares in placed:  # where two letters meet, both cover
        part = whole[y - top : y - top + shares.shape[0], x - left : x - left + shares.shape[1]]
        part += shares
    return Mask(left, top, np.minimum(whole, 1.0, out=whole))


@lru_cache(maxsize=_MOST_GLYPHS)
def _glyph_mask(character: str, bold: bool, capital: float, phase: int) -> Mask | None:
    """Return a letter whose capitals are so many pixels high; None for a blank."""
    curves = load_font(bold).curves[character]
    if not len(curves):
        return None
    pieces = 2 + min(ceil(capital / _CAPITAL_A_PIECE), _MOST_MORE_PIECES)
    edges = flatten(curves, pieces) * capital
    edges[:, :, 0] += phase / GLYPH_PHASES
    low, high = edges.min(axis=(0, 1)), edges.max(axis=(0, 1))
    left, top = floor(low[0]), floor(low[1])
    edges -= np.array([left, top])
    frame = Frame(0, 0, ceil(high[0]) - left + 1, ceil(high[1]) - top + 1)
    return Mask(left, top, edges_coverage(frame, edges))
