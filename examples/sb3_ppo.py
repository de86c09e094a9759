"""Plain PPO of SB3, which sees no masks: refused actions cost a little and change nothing."""

from __future__ import annotations

import argparse

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from quiltrail.train.vec_env import EngineVecEnv
from quiltrail.wrappers import RefusalPolicy


def main() -> None:
    """Train for some steps and say how often actions were refused, at first and at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="sunpleat")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--penalty", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    refusal = RefusalPolicy("penalise", arguments.penalty)
    env = EngineVecEnv(arguments.game, 16, max_episode_steps=64, transforms=[refusal])
    env.seed(arguments.seed)
    model = PPO(
        "MultiInputPolicy",
        VecMonitor(env),
        n_steps=64,
        batch_size=256,
        seed=arguments.seed,
        device="cpu",
    )
    for part in ("first", "second"):
        before = env.refusals
        model.learn(arguments.steps // 2, reset_num_timesteps=False)
        share = (env.refusals - before) / (arguments.steps // 2)
        print(f"{part} half: {share:.0%} of the actions refused")


if __name__ == "__main__":
    main()
