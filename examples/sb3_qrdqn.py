"""QR-DQN of sb3-contrib, which has no masks: an illegal action ends the episode, at a price."""

from __future__ import annotations

import argparse

import gymnasium as gym
import torch
from sb3_contrib import QRDQN
from stable_baselines3.common.monitor import Monitor

import quiltrail  # noqa: F401  (registers the ids)
from quiltrail.wrappers import RefusalPolicy, RewardScale, apply_transforms


def main() -> None:
    """Train for some steps and say what the last episodes brought."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("id", nargs="?", default="quiltrail/Sunpleat-v0")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--policy", default="end", choices=("ignore", "penalise", "end"))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    env = gym.make(arguments.id, max_episode_steps=64)
    refusal = RefusalPolicy(arguments.policy, penalty=100.0)
    env = Monitor(apply_transforms(env, refusal, RewardScale(0.01)))
    model = QRDQN(
        "MultiInputPolicy",
        env,
        learning_starts=500,
        buffer_size=20_000,
        seed=arguments.seed,
        device="cpu",
    )
    model.learn(arguments.steps)
    last = env.get_episode_rewards()[-100:]
    print(
        f"episodes {len(env.get_episode_rewards())}, mean of the last: {sum(last) / len(last):.2f}"
    )


if __name__ == "__main__":
    main()
