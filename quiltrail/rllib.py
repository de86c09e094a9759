"""RLlib's door: environments for its new API stack, and PPO with action masks.

Needs ``pip install 'quiltrail[rllib]'``. Importing it without Ray says so.
"""

from quiltrail.core.extras import require

require("rllib", "ray.rllib", "torch")

from quiltrail.train.rllib import (  # noqa: E402  (said first what is missing)
    AECMultiAgentEnv,
    MaskedPPOModule,
    make_env,
    register_rllib,
    register_rllib_multi_agent,
)

__all__ = [
    "AECMultiAgentEnv",
    "MaskedPPOModule",
    "make_env",
    "register_rllib",
    "register_rllib_multi_agent",
]
