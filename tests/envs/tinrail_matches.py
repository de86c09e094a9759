"""Two agents at PettingZoo's loop: what the tests of Tinrail's turn-by-turn form share."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from quiltrail.envs import tinrail_v0

FIRST, SECOND = "player_0", "player_1"


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play_match(env: Any, rng: np.random.Generator, illegal_share: float = 0.0) -> dict[str, float]:
    """Play one match by PettingZoo's loop; return each agent's sum of rewards from `last`."""
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        returns[agent] += reward
        if terminated or truncated:
            env.step(None)
        elif rng.random() < illegal_share:
            env.step(11)
        else:
            env.step(choose(observation["action_mask"], rng))
    return returns


def losing_env() -> Any:
    """Return an environment in which the second player has just lost by an illegal action."""
    env = tinrail_v0.raw_env(on_refusal="lose")
    env.reset(seed=0)
    env.step(2)
    env.step(12)
    return env


def copies(env: Any) -> Iterator[Any]:
    yield copy.deepcopy(env)
    yield pickle.loads(pickle.dumps(env))
