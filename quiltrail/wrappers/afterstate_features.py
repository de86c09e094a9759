"""AfterstateFeatures: show a Tinrail learner what each of its actions leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.tinrail.afterstates import AFTERSTATE, FIELDS, look_ahead_rows
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.wrappers.transform import Observations, Transform

NEED_TRACING = ("table", "hand", "unseen", "pile")


class AfterstateFeatures(Transform):
    """Add, for each action, the class of its outcome and both engines' places and exits after it.

    All of it is public, or follows from the own hand, and spares a network the tracing of rails:

    | field | shape | meaning |
    |---|---|---|
    | `after_outcome` | (12, 4) | one-hot: the match goes on, win, loss, draw |
    | `after_engines` | (12, 88) | own, then opponent's place, coded as in `engines` |
    | `after_exits` | (12, 16) | ports by which they could ride on from there |

    Rows of actions that are not legal, and all rows after the end, are zeros. Everything is seen
    from the observer's own side, as the rest of the observation.

    Args:
        alone: leave out ``table``, ``hand``, ``unseen`` and ``pile``. They are of use only to a
            network that can trace rails or count tiles; a small one learns faster without.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self._left_out = NEED_TRACING if alone else ()

    def bind(self, engine: Engine) -> None:
        """Demand a Tinrail engine.

        Raises:
            OptionError: if it plays another game.
        """
        if not isinstance(engine, TinrailEngine):
            raise OptionError(f"AfterstateFeatures looks ahead in tinrail, not in {engine.game}")

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Dict:
        """Return the space with the three fields added."""
        added = {one.name: spaces.Box(one.low, one.high, one.shape, np.int8) for one in FIELDS}
        return spaces.Dict({**self._kept(space.spaces), **added})

    def observations(self, engine: Engine, observations: Observations) -> Observations:
        """Return the observations with the three fields added."""
        seen = np.zeros(engine.num_games, AFTERSTATE)
        look_ahead_rows(engine.state, engine.derived, seen)
        added = {one.name: np.ascontiguousarray(seen[one.name]) for one in FIELDS}
        return {**self._kept(observations), **added}

    def _kept(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {name: part for name, part in fields.items() if name not in self._left_out}
