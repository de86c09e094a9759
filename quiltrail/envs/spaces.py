"""Gymnasium spaces from an engine's declared layout."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from quiltrail.core.engine import Engine


def observation_space(engine: Engine) -> spaces.Dict:
    """Return the space of one game's observation: a Dict of bounded integer arrays."""
    return spaces.Dict(
        {
            one.name: spaces.Box(one.low, one.high, one.shape, np.dtype(one.dtype).type)
            for one in engine.fields
        }
    )


def action_space(engine: Engine) -> spaces.Discrete:
    """Return the space of one game's flat actions."""
    return spaces.Discrete(engine.num_actions)
