"""Tinrail as PettingZoo's environments are used: ``tinrail_v0.env()``.

See `quiltrail.envs.tinrail.aec.TinrailAEC` for the game and the arguments.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from quiltrail.envs.aec_wrappers import OrderEnforcing, OutOfBounds
from quiltrail.envs.tinrail.aec import TinrailAEC as raw_env  # noqa: N813  (PettingZoo's name)


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """Return the environment behind PettingZoo's checks of bounds and order.

    Illegal actions are the game's own business: PettingZoo's TerminateIllegal would end the match
    without paying the other agent.
    """
    return OrderEnforcing(OutOfBounds(raw_env(**kwargs)))


__all__ = ["env", "raw_env"]
