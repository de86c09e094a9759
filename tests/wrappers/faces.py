"""Compare the faces of a transform: single, vector and SB3 environments say the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from quiltrail.testing import assert_same
from quiltrail.wrappers import Transform, apply_transforms
from quiltrail.wrappers.transform import row_of

ROWS = 3
LIMIT = 17


def make_single(env_id: str, make: Callable[[], list[Transform]]) -> Any:
    return apply_transforms(gym.make(env_id, max_episode_steps=LIMIT), *make())


def make_vector(env_id: str, make: Callable[[], list[Transform]]) -> Any:
    env = gym.make_vec(
        env_id,
        num_envs=ROWS,
        max_episode_steps=LIMIT,
        autoreset_mode=AutoresetMode.DISABLED,
    )
    return apply_transforms(env, *make())


def compare_faces(
    env_id: str, make: Callable[[], list[Transform]], steps: int = 40, illegal_share: float = 0.1
) -> Any:
    """Play a vector face and its single faces side by side; return the vector face."""
    vector = make_vector(env_id, make)
    singles = [make_single(env_id, make) for _ in range(ROWS)]
    rng = np.random.default_rng(0)
    seen, _ = vector.reset(seed=20)
    for row, single in enumerate(singles):
        assert_same(row_of(seen, row), single.reset(seed=20 + row)[0])
    for _ in range(steps):
        actions = choose(vector.action_masks(), rng, illegal_share)
        seen, rewards, terminated, truncated, infos = vector.step(actions)
        assert vector.single_observation_space.contains(row_of(seen, 0))
        for row, single in enumerate(singles):
            said = single.step(actions[row])
            assert single.observation_space.contains(said[0])
            assert_same(row_of(seen, row), said[0])
            assert (rewards[row], terminated[row], truncated[row]) == said[1:4]
            assert infos["action_mask"][row].tolist() == said[4]["action_mask"].tolist()
            assert single.action_masks().tolist() == vector.action_masks()[row].tolist()
        ended = terminated | truncated
        if ended.any():
            vector.reset(options={"reset_mask": ended})
            for row in np.flatnonzero(ended):
                singles[row].reset()
    return vector


def choose(
    masks: np.ndarray, rng: np.random.Generator, illegal_share: float
) -> np.ndarray[Any, np.dtype[np.int64]]:
    legal = (rng.random(masks.shape) * masks).argmax(axis=1)
    anything = rng.integers(masks.shape[1], size=len(masks))
    return np.where(rng.random(len(masks)) < illegal_share, anything, legal)
