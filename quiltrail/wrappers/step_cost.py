"""StepCost: make every step cost something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.wrappers.transform import Transform


class StepCost(Transform):
    """Subtract ``cost``, a finite number from 0 on, from the reward of every step.

    Where fewer steps are better anyway, this makes the difference easier to learn.
    """

    def __init__(self, cost: float) -> None:
        if not 0 <= cost < float("inf"):
            raise OptionError(f"cost is a finite number from 0 on, got {shown(cost)}")
        self.cost = cost

    def rewards(self, engine: Engine, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Charge for the step just made."""
        return rewards - self.cost
