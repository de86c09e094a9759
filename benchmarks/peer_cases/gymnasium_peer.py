"""Gymnasium's CartPole: the environment that everybody has timed."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from clock import Play, Stopwatch
from reporting import PeerCase, report, sampled_play

_STEPS = 2000


def _single() -> Play:
    """Return a play of one environment, resets included."""
    env = gym.make("CartPole-v1")
    env.action_space.seed(0)
    actions = [int(env.action_space.sample()) for _ in range(_STEPS)]

    def play(watch: Stopwatch) -> int:
        env.reset(seed=0)
        with watch:
            for action in actions:
                _, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()
        return _STEPS

    return play


def _batch(mode: str, num_envs: int) -> Play:
    """Return a play of a vector environment."""
    envs: Any = gym.make_vec("CartPole-v1", num_envs=num_envs, vectorization_mode=mode)
    envs.reset(seed=0)
    return sampled_play(envs.step, envs.action_space.sample, num_envs)


if __name__ == "__main__":
    report(
        [
            PeerCase("CartPole-v1", "single", 1, False, _single),
            PeerCase("CartPole-v1", "SyncVectorEnv", 64, False, lambda: _batch("sync", 64)),
            *(
                PeerCase(
                    *("CartPole-v1", "native vector", size, False),
                    lambda size=size: _batch("vector_entry_point", size),
                )
                for size in (64, 1024, 4096)
            ),
        ]
    )
