"""SolvableInfo: tell whether a Patchrook position can still be completed without lifting."""

from __future__ import annotations

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.solver import solvable
from quiltrail.envs.vector import Observations
from quiltrail.wrappers.transform import Transform


class SolvableInfo(Transform):
    """Add ``info["solvable"]``: whether some cover keeps every patch that lies on the quilt.

    It comes from the exact solver and is meant for metrics. A learner that sees it is given the
    puzzle's answer, so it is in no observation and only on request.

    Raises:
        OptionError: on binding, if the game is not Patchrook.
    """

    def bind(self, engine: Engine) -> None:
        """Refuse other games."""
        if not isinstance(engine, PatchrookEngine):
            raise OptionError(f"SolvableInfo is for patchrook, got {engine.game}")

    def infos(self, engine: Engine) -> Observations:
        """Return ``solvable``, (B,) bool; False once the run has ended."""
        return {"solvable": solvable(engine)}
