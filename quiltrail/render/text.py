"""Text: the outlines of an embedded font, DejaVu Sans, regular and bold.

Outlines instead of bitmaps, so that one small file gives sharp letters at every size, and the same
letters in a vector file. The licence is font_license.txt beside the file, which
tools/make_font.py makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_UNKNOWN = "?"


@dataclass(frozen=True)
class Font:
    """One style. Coordinates are in capital heights: a capital is 1 high, y runs down from its top.

    Attributes:
        advances: width of each character.
        curves: for each character (C, 3, 2) float64: start, control, end of its quadratic curves.
    """

    advances: dict[str, float]
    curves: dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Glyph:
    """One character of a laid-out text: its name and where its left end is, capital heights."""

    character: str
    x: float


@cache
def load_font(bold: bool) -> Font:
    """Return a style of the embedded font."""
    style = "bold" if bold else "regular"
    with (files(__package__) / "font.npz").open("rb") as file, np.load(file) as arrays:
        capital = float(arrays["metrics"][1])
        characters = [chr(code) for code in arrays[f"{style}_codes"]]
        advances = (arrays[f"{style}_advances"] / capital).tolist()
        starts = arrays[f"{style}_starts"]
        # In the font, y runs up from the foot of the letters.
        curves = arrays[f"{style}_curves"] / np.array([capital, -capital]) + np.array([0.0, 1.0])
    outlines = [curves[start:end] for start, end in pairwise(starts)]
    return Font(
        dict(zip(characters, advances, strict=True)), dict(zip(characters, outlines, strict=True))
    )


@lru_cache(maxsize=1024)
def layout(string: str, bold: bool) -> tuple[tuple[Glyph, ...], float]:
    """Return a text's characters with their places, and its width, in capital heights."""
    font = load_font(bold)
    glyphs, x = [], 0.0
    for wanted in string:
        character = wanted if wanted in font.advances else _UNKNOWN
        glyphs.append(Glyph(character, x))
        x += font.advances[character]
    return tuple(glyphs), x


def text_width(string: str, size: float, bold: bool) -> float:
    """Return how wide a text is whose capitals are ``size`` high."""
    return layout(string, bold)[1] * size


def flatten(curves: NDArray[np.float64], pieces: int) -> NDArray[np.float64]:
    """Return quadratic curves (C, 3, 2) as straight edges (C * pieces, 2, 2)."""
    t = np.linspace(0.0, 1.0, pieces + 1)[:, None]
    start, control, end = (curves[:, None, index] for index in range(3))
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return np.stack([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 2, 2)
