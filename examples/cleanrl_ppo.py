"""PPO with masks in one file, as CleanRL writes it, on gym.make_vec."""

import argparse

import gymnasium as gym
import torch
from torch import nn
from torch.distributions import Categorical

from quiltrail.wrappers import FlatObservation, apply_transforms

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--id", default="quiltrail/Sunpleat-v0")
parser.add_argument("--steps", type=int, default=100_000)
args = parser.parse_args()
B, T, GAMMA, LAMBDA, SCALE, SEED = 16, 64, 0.99, 0.95, 0.01, 0
torch.manual_seed(SEED)
torch.set_num_threads(1)
envs = apply_transforms(gym.make_vec(f"quiltrail:{args.id}", num_envs=B), FlatObservation())
size, count = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
net = nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, count + 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def _judge(obs: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
    out = net(obs)
    return Categorical(logits=out[..., :-1].masked_fill(mask == 0, -1e9)), out[..., -1]


shapes = [(B, size), (B, count), (B,), (B,), (B,), (B,), (B,)]
obs, mask, act, logp, val, rew, done = (torch.zeros(T + 1, *shape) for shape in shapes)
seen, info = envs.reset(seed=SEED)
reset = torch.zeros(B, dtype=torch.bool)  # the step after an end only resets: nothing to learn
for update in range(max(1, args.steps // (B * T))):
    keep = torch.zeros(T, B, dtype=torch.bool)
    for t in range(T + 1):
        obs[t], mask[t] = torch.as_tensor(seen), torch.as_tensor(info["action_mask"])
        with torch.no_grad():
            policy, val[t] = _judge(obs[t], mask[t])
            act[t] = policy.sample()
            logp[t] = policy.log_prob(act[t])
        if t < T:
            keep[t] = ~reset
            seen, reward, end, cut, info = envs.step(act[t].long().numpy())
            rew[t], done[t] = torch.as_tensor(reward * SCALE), torch.as_tensor(end).float()
            reset = torch.as_tensor(end | cut)
    advantage, last = torch.zeros(T, B), torch.zeros(B)
    for t in reversed(range(T)):  # after an end comes the value of the last observation
        last = last * keep[t + 1] if t + 1 < T else last
        last = rew[t] + GAMMA * val[t + 1] * (1 - done[t]) - val[t] + GAMMA * LAMBDA * last
        advantage[t] = last
    target, gain = (advantage + val[:T])[keep], (advantage / (advantage[keep].std() + 1e-8))[keep]
    for _ in range(4):
        policy, value = _judge(obs[:T][keep], mask[:T][keep])
        ratio = (policy.log_prob(act[:T][keep]) - logp[:T][keep]).exp()
        gains = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain) + 0.01 * policy.entropy()
        optimizer.zero_grad()
        (0.5 * (value - target).pow(2).mean() - gains.mean()).backward()
        optimizer.step()
    print(f"steps {(update + 1) * B * T}  reward per step {rew[:T][keep].mean() / SCALE:.2f}")
