"""Curves as points, and lines cut into dashes, in units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_CURVE_PIECES = 16


def curve_points(
    start: tuple[float, float], control: tuple[float, float], end: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return points along a quadratic curve, both ends included."""
    points = []
    for step in range(_CURVE_PIECES + 1):
        t = step / _CURVE_PIECES
        first, middle, last = (1 - t) ** 2, 2 * t * (1 - t), t * t
        points.append(
            (
                first * start[0] + middle * control[0] + last * end[0],
                first * start[1] + middle * control[1] + last * end[1],
            )
        )
    return points


def dashes(points: Points, drawn: float, left_out: float) -> list[Points]:
    """Return the drawn pieces of a line (N, 2), the first dash at its start."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    places = np.concatenate([[0.0], np.cumsum(steps)])
    total, period = places[-1], drawn + left_out
    pieces = []
    for begin in np.arange(0.0, total, period):
        finish = min(begin + drawn, total)
        inner = places[(places > begin) & (places < finish)]
        at = np.concatenate([[begin], inner, [finish]])
        pieces.append(
            np.stack([np.interp(at, places, points[:, axis]) for axis in range(2)], axis=1)
        )
    return pieces
