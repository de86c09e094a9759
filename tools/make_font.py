"""Make quiltrail/render/font.npz: outlines of DejaVu Sans, regular and bold.

The file holds, for each style, the glyphs' outlines as quadratic curves, so that the canvas can
rasterise text at any size. Run it once after changing the characters; it needs fontTools and the
two font files (matplotlib ships both):

    python tools/make_font.py [FOLDER_WITH_DEJAVU_TTF]

Arrays, for style s in (regular, bold), coordinates in font units with y up:

    s_codes    (G,) uint32, the code points, ascending
    s_advances (G,) int16, widths
    s_starts   (G + 1,) int32, glyph g has the curves starts[g]:starts[g + 1]
    s_curves   (C, 3, 2) int16, start, control and end point of each curve
    metrics    (2,) int16, units per em and the height of a capital
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray

_FILES = {"regular": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}
# degree, plus-minus, middle dot, times, divide, dashes, ellipsis, arrows, minus, about, bounds,
# tick, cross, stars, circles
_EXTRA = (
    "\u00b0\u00b1\u00b7\u00d7\u00f7\u2013\u2014\u2026"
    "\u2190\u2191\u2192\u2193\u2212\u2248\u2264\u2265"
    "\u2713\u2717\u2605\u2606\u25cf\u25cb"
)
_CHARACTERS = sorted({*map(chr, range(0x20, 0x7F)), *_EXTRA})
_TARGET = Path(__file__).resolve().parent.parent / "quiltrail" / "render" / "font.npz"

Point = tuple[float, float]


class _CurvePen(BasePen):  # type: ignore[misc]  # fontTools is untyped
    """Collects an outline as quadratic curves; a line is a curve bent nowhere."""

    def __init__(self, glyphs: object) -> None:
        super().__init__(glyphs)
        self.curves: list[tuple[Point, Point, Point]] = []
        self._start: Point = (0, 0)
        self._at: Point = (0, 0)

    def _moveTo(self, point: Point) -> None:  # noqa: N802 (fontTools' name)
        self._start = self._at = point

    def _lineTo(self, point: Point) -> None:  # noqa: N802
        middle = ((self._at[0] + point[0]) / 2, (self._at[1] + point[1]) / 2)
        self._qCurveToOne(middle, point)

    def _qCurveToOne(self, control: Point, point: Point) -> None:  # noqa: N802
        self.curves.append((self._at, control, point))
        self._at = point

    def _closePath(self) -> None:  # noqa: N802
        if self._at != self._start:
            self._lineTo(self._start)


def _style_arrays(path: Path) -> tuple[dict[str, NDArray[np.generic]], list[int]]:
    """Return one style's arrays and its metrics."""
    font = TTFont(path)
    names, glyphs = font.getBestCmap(), font.getGlyphSet()
    missing = [one for one in _CHARACTERS if ord(one) not in names]
    if missing:
        raise SystemExit(f"{path.name} has no glyph for {missing}")
    advances, starts = [], [0]
    curves: list[tuple[Point, Point, Point]] = []
    for character in _CHARACTERS:
        name = names[ord(character)]
        pen = _CurvePen(glyphs)
        glyphs[name].draw(pen)
        curves += pen.curves
        starts.append(len(curves))
        advances.append(glyphs[name].width)
    arrays = {
        "codes": np.array([ord(one) for one in _CHARACTERS], np.uint32),
        "advances": np.array(advances, np.int16),
        "starts": np.array(starts, np.int32),
        "curves": np.rint(np.array(curves)).astype(np.int16),
    }
    capital = _CHARACTERS.index("H")
    heights = arrays["curves"][starts[capital] : starts[capital + 1], :, 1]
    return arrays, [font["head"].unitsPerEm, int(heights.max())]


def main() -> None:
    """Write the font file."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
    else:
        import matplotlib

        folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    arrays: dict[str, NDArray[np.generic]] = {}
    for style, file in _FILES.items():
        parts, metrics = _style_arrays(folder / file)
        arrays |= {f"{style}_{name}": part for name, part in parts.items()}
        arrays["metrics"] = np.array(metrics, np.int16)
    np.savez_compressed(_TARGET, **arrays)  # type: ignore[arg-type]
    print(f"{_TARGET}: {_TARGET.stat().st_size} bytes, {len(_CHARACTERS)} characters a style")


if __name__ == "__main__":
    main()
