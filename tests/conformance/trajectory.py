"""Print a hash of everything some seeded play of every id says; run as a program."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import gymnasium as gym
import numpy as np

from quiltrail.envs import GAMES

STEPS = 120


def digest(env_id: str) -> str:
    """Return a hash of views, observations, rewards, masks and infos along seeded play."""
    env = gym.make(f"quiltrail:{env_id}")
    rng = np.random.default_rng(17)
    total = hashlib.sha256()
    _take(total, env.reset(seed=17))
    for _ in range(STEPS):
        action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        said = env.step(action)
        _take(total, said)
        total.update(json.dumps(env.unwrapped.view(), sort_keys=True).encode())
        if said[2] or said[3]:
            _take(total, env.reset())
    return total.hexdigest()


def _take(total: Any, value: Any) -> None:
    if isinstance(value, dict):
        for name in sorted(value):
            total.update(name.encode())
            _take(total, value[name])
    elif isinstance(value, (tuple, list)):
        for one in value:
            _take(total, one)
    elif isinstance(value, np.ndarray):
        total.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    else:
        total.update(repr(value).encode())


if __name__ == "__main__":
    print(json.dumps({spec.id: digest(spec.id) for spec in GAMES}))
