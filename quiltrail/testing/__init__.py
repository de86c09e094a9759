"""Checks that environments, ours and yours, do what learners rely on; no pytest needed.

| check | demands |
|---|---|
| `check_vector_env(native, scalar_factory)` | a batch says what `SyncVectorEnv` says |
| `check_masks(env)` | masks, legal list and what is accepted agree |
| `check_determinism(env)` | seed and actions decide everything |
| `check_snapshots(env)` | pickles, deep copies and states go on exactly as the game |

Each raises `CheckFailedError`, an AssertionError that names the first place that differs::

    import gymnasium as gym
    from quiltrail.testing import check_masks, check_vector_env

    check_masks(gym.make("mine/Game-v0"))
    check_vector_env(
        lambda n, mode: gym.make_vec(
            "mine/Game-v0", num_envs=n, autoreset_mode=mode, max_episode_steps=20
        ),
        lambda: gym.make("mine/Game-v0", max_episode_steps=20),
    )
"""

from quiltrail.core.errors import CheckFailedError
from quiltrail.testing.random_play import (
    play,
    random_action,
    random_actions,
    trajectory_digest,
)
from quiltrail.testing.same import arrays_in, assert_same, check
from quiltrail.testing.single import check_determinism, check_masks, check_snapshots
from quiltrail.testing.vector import (
    check_batch_size,
    check_fresh_arrays,
    check_lane_parity,
    check_partial_reset,
    check_vector_env,
)

__all__ = [
    "CheckFailedError",
    "arrays_in",
    "assert_same",
    "check",
    "check_batch_size",
    "check_determinism",
    "check_fresh_arrays",
    "check_lane_parity",
    "check_masks",
    "check_partial_reset",
    "check_snapshots",
    "check_vector_env",
    "play",
    "random_action",
    "random_actions",
    "trajectory_digest",
]
