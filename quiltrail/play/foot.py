"""The foot of a picture: a panel below the board, with words about the game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quiltrail.render import PICTURE_UNITS, Canvas, RasterCanvas, Theme

_RULE = 0.4  # units


def with_foot(
    board: NDArray[np.uint8], paint: Callable[[Canvas], None], height: float, theme: Theme
) -> NDArray[np.uint8]:
    """Return a picture with a foot below it, (rows, columns, 3) uint8.

    Args:
        board: a square picture, (size, size, 3).
        paint: draws on the foot, which is as many units wide as the picture.
        height: of the foot, in units.
        theme: of both.
    """
    size = board.shape[1]
    foot = RasterCanvas(size, round(size * height / PICTURE_UNITS), theme, height=height)
    foot.fill(theme.panel)
    foot.rect(0, 0, foot.width, _RULE, theme.line)
    paint(foot)
    return np.concatenate([board, foot.pixels()])
