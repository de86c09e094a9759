"""Self-play of Tinrail on RLlib's new stack: two agents, one network with action masks.

RLlib pins its own Gymnasium: `make ray` builds an environment, .venv-ray, to run this in.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from quiltrail.rllib import MaskedPPOModule, register_rllib_multi_agent

BOTH = "both"  # the policy that plays both seats


def main() -> None:
    """Train for some steps and print how matches went in each iteration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--runners", type=int, default=1, help="processes that play; 0: this one")
    arguments = parser.parse_args()

    ray.init("local", num_cpus=max(2, arguments.runners + 1), include_dashboard=False)
    config = (
        PPOConfig()
        .environment(register_rllib_multi_agent("quiltrail/tinrail-v0"))
        .env_runners(num_env_runners=arguments.runners)
        .multi_agent(policies={BOTH}, policy_mapping_fn=lambda agent, episode, **_: BOTH)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={BOTH: RLModuleSpec(module_class=MaskedPPOModule)}
            )
        )
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=4)
    )
    algorithm = config.build_algo()
    for iteration in range(max(1, arguments.steps // 1024)):
        runners = algorithm.train()["env_runners"]
        returns = runners["agent_episode_returns_mean"]
        print(
            f"iteration {iteration + 1}: matches of {runners['episode_len_mean']:.1f} tiles, "
            f"mean return of player_0 {returns['player_0']:+.2f}",
            flush=True,
        )
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
