"""Time small environments of other packages as `benchmarks.engines` times ours.

    python -m benchmarks.peers [--num-envs 64] [--steps 200] [--repeats 3]

Steps per second of CPU time, one process, one thread, best of some repeats after a warm-up;
actions are drawn outside the clock. They are other games: what is compared is what a step of a
small environment costs where.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo.classic import connect_four_v3

_WARM_UP = 20


def best_rate(step: Callable[[], int], steps: int, repeats: int) -> float:
    """Return the best rate; ``step`` makes one call and returns nanoseconds of CPU time."""
    for _ in range(_WARM_UP):
        step()
    return max(steps / (sum(step() for _ in range(steps)) / 1e9) for _ in range(repeats))


def gymnasium_step(env_id: str, num_envs: int, mode: str) -> Callable[[], int]:
    """Return a timed step of a vector environment of Gymnasium."""
    envs: Any = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode=mode)
    envs.reset(seed=0)

    def step() -> int:
        actions = envs.action_space.sample()
        start = time.process_time_ns()
        envs.step(actions)
        return time.process_time_ns() - start

    return step


def pettingzoo_step() -> Callable[[], int]:
    """Return a timed step of PettingZoo's Connect Four, with last() and resets inside."""
    env: Any = connect_four_v3.env()
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def step() -> int:
        start = time.process_time_ns()
        observation, _, terminated, truncated, _ = env.last()
        spent = time.process_time_ns() - start
        legal = np.flatnonzero(observation["action_mask"])
        over = terminated or truncated
        action = None if over else int(rng.choice(legal))
        start = time.process_time_ns()
        env.step(action)
        if not env.agents:
            env.reset()
        return spent + time.process_time_ns() - start

    return step


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print("| environment | rows | M steps/s |\n|---|---|---|")
    for env_id, mode in (
        ("CartPole-v1", "vector_entry_point"),
        ("CartPole-v1", "sync"),
        ("FrozenLake-v1", "sync"),
        ("Blackjack-v1", "sync"),
    ):
        step = gymnasium_step(env_id, given.num_envs, mode)
        rate = best_rate(step, given.steps, given.repeats) * given.num_envs / 1e6
        print(f"| Gymnasium {env_id}, {mode} | {given.num_envs} | {rate:.3f} |")
    rate = best_rate(pettingzoo_step(), 10 * given.steps, given.repeats) / 1e6
    print(f"| PettingZoo connect_four_v3 | 1 | {rate:.4f} |")


if __name__ == "__main__":
    main()
