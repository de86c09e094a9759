"""Policy gradient with TorchRL: masks through its ActionMask transform.

`python examples/own_environment.py torchrl` builds an environment with TorchRL.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from quiltrail.wrappers import FlatObservation, MaskObservation, RewardScale, apply_transforms


def main() -> None:
    """Train for some steps and print the return of the last batches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("id", nargs="?", default="quiltrail/Sunpleat-v0")
    parser.add_argument("--steps", type=int, default=20_000)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)

    game = gym.make(f"quiltrail:{arguments.id}", max_episode_steps=64)
    game = apply_transforms(game, RewardScale(0.001), FlatObservation(), MaskObservation("torchrl"))
    env = TransformedEnv(GymWrapper(game, categorical_action_encoding=True), ActionMask())
    env.set_seed(0)
    size, count = env.observation_spec["observation"].shape[-1], int(game.action_space.n)
    network = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, count))
    policy = ProbabilisticActor(
        TensorDictModule(network, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    played, returns = 0, [0.0]
    while played < arguments.steps:
        episode = env.rollout(64, policy)
        rewards = episode["next", "reward"].squeeze(-1)
        to_go = rewards.flip(0).cumsum(0).flip(0)
        optimizer.zero_grad()
        distribution = policy.get_dist(episode)
        gain = to_go - sum(returns[-50:]) / len(returns[-50:])
        (-(distribution.log_prob(episode["action"]) * gain).mean()).backward()
        optimizer.step()
        played += len(rewards)
        returns.append(float(rewards.sum()))
    last = returns[-50:]
    print(f"steps {played}, episodes {len(returns) - 1}, last mean {sum(last) / len(last):.3f}")


if __name__ == "__main__":
    main()
