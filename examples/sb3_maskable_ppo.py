"""MaskablePPO of sb3-contrib on the native batch."""

from __future__ import annotations

import argparse

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from quiltrail.train.evaluate import ModelPlayer, evaluate
from quiltrail.train.vec_env import EngineVecEnv


def main() -> None:
    """Train for some steps, then play a hundred games with masks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="sunpleat")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    env = EngineVecEnv(arguments.game, 16, max_episode_steps=64)
    env.seed(arguments.seed)
    model = MaskablePPO(
        "MultiInputPolicy", env, n_steps=64, batch_size=256, seed=arguments.seed, device="cpu"
    )
    model.learn(arguments.steps)
    print(f"steps {model.num_timesteps}, refused actions {env.refusals}")

    played = evaluate(ModelPlayer(model), arguments.game, list(range(100)), max_episode_steps=64)
    print(f"mean score of 100 games: {np.mean(played.scores):.1f}")


if __name__ == "__main__":
    main()
