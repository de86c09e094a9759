"""Colours as people with each kind of colour blindness see them, and distances between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quiltrail.render import Color

# Source: G. Machado et al., "A Physiologically-based Model for Simulation of Color Vision
# Deficiency" (2009), severity 1, in linear RGB.
VISIONS: dict[str, NDArray[np.float64]] = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}

_XYZ_OF_RGB = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def least_distance(colors: Sequence[Color], vision: str) -> float:
    """Return the smallest CIE76 distance between two of the colours; 2 is barely visible."""
    lab = np.array([_lab(color, VISIONS[vision]) for color in colors])
    distances = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    return float(distances[np.triu_indices(len(colors), 1)].min())


def _lab(color: Color, vision: NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.array(color) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    xyz = _XYZ_OF_RGB @ np.clip(vision @ linear, 0, 1) / _WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
