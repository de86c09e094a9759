"""PPO with action masks on RLlib's new stack and the native batch.

RLlib pins its own Gymnasium: `make ray` builds an environment, .venv-ray, to run this in.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from quiltrail.rllib import MaskedPPOModule, register_rllib


def main() -> None:
    """Train for some steps and print the return of each iteration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="sunpleat")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--runners", type=int, default=1, help="processes that play; 0: this one")
    arguments = parser.parse_args()

    ray.init("local", num_cpus=max(2, arguments.runners + 1), include_dashboard=False)
    config = (
        PPOConfig()
        .environment(register_rllib(arguments.game), env_config={"max_episode_steps": 64})
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=8,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=4)
    )
    algorithm = config.build_algo()
    for iteration in range(max(1, arguments.steps // 1024)):
        runners = algorithm.train()["env_runners"]
        mean = runners.get("episode_return_mean", float("nan"))
        print(f"iteration {iteration + 1}: mean return {mean:.1f}", flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
