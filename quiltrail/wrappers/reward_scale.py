"""RewardScale: multiply rewards by a constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.wrappers.transform import Transform


class RewardScale(Transform):
    """Multiply every reward by ``factor``, a finite number above 0."""

    def __init__(self, factor: float) -> None:
        if not 0 < factor < float("inf"):
            raise OptionError(f"factor is a finite number above 0, got {shown(factor)}")
        self.factor = factor

    def rewards(self, engine: Engine, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scale the rewards of the step just made."""
        return rewards * self.factor
