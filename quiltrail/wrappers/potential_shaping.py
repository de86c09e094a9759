"""Potential-based reward shaping, which leaves the optimal policies as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.array_types import Rows
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.wrappers.transform import Transform

Potential = Callable[[Engine], NDArray[np.float64]]


class PotentialShaping(Transform):
    """Add ``gamma * phi(after) - phi(before)`` to each reward; phi is 0 where the game has ended.

    Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999.

    Args:
        potential: phi of every row of an engine, (B,) float64.
        gamma: the learner's discount, 0 to 1.
        uses_solver: whether phi knows exact solutions; runs with it have to say so.
    """

    def __init__(self, potential: Potential, gamma: float, *, uses_solver: bool = False) -> None:
        if not 0 <= gamma <= 1:
            raise OptionError(f"gamma is a number from 0 to 1, got {shown(gamma)}")
        self.potential = potential
        self.gamma = gamma
        self.uses_solver = uses_solver
        self._before = np.zeros(0)

    def bind(self, engine: Engine) -> None:
        """Take the potentials of the games that are there."""
        self._before = self._now(engine)

    def begin(self, engine: Engine, rows: Rows) -> None:
        """Take the potentials of fresh games."""
        self._before[rows] = self._now(engine)[rows]

    def rewards(self, engine: Engine, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the change of potential of the step just made."""
        now = self._now(engine)
        shaped: NDArray[np.float64] = rewards + self.gamma * now - self._before
        self._before = now
        return shaped

    def _now(self, engine: Engine) -> NDArray[np.float64]:
        return np.where(engine.terminated, 0.0, self.potential(engine))
