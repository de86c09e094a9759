"""Whole pictures: a paint function and its arguments become an array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quiltrail.render.raster import RasterCanvas
from quiltrail.render.themes import LIGHT, Theme

DEFAULT_SIZE = 512


def raster(
    paint: Callable[..., None], *args: object, size: int = DEFAULT_SIZE, theme: Theme = LIGHT
) -> NDArray[np.uint8]:
    """Return what ``paint(canvas, *args)`` draws, (size, size, 3) uint8."""
    canvas = RasterCanvas(size, size, theme)
    canvas.fill(theme.page)
    paint(canvas, *args)
    return canvas.pixels()
