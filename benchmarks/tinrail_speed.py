"""Time Tinrail where nothing general does: self-play, opponents inside, one AEC environment.

    python -m benchmarks.tinrail_speed [--num-envs 4096] [--steps 100] [--repeats 5]

Vector environments give observation, mask and infos, reset ended rows themselves (NextStep) and
hand out live buffers (copy=False). Actions are drawn uniformly from the masks outside the clock, or
by Easy, whose matches are long. A step is a placement in self-play and a turn of the learner
against an opponent; steps that only reset a row are not counted. Best of several repeats after a
warm-up, per second of CPU time, one process, one thread.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from quiltrail.agents import Agent, RandomLegal
from quiltrail.agents.tinrail import EasyBot
from quiltrail.envs import tinrail_v0
from quiltrail.envs.tinrail.selfplay import TinrailSelfPlayVectorEnv

_WARM_UP = 20
_AEC_STEPS = 20_000


def rate_of(env: TinrailSelfPlayVectorEnv, player: Agent, steps: int, repeats: int) -> float:
    """Return the best rate of some repeats, counted steps per second of CPU time."""
    env.reset(seed=0)
    ended = np.zeros(env.num_envs, np.bool_)
    best = 0.0
    for repeat in range(repeats + 1):
        spent, counted = 0.0, 0
        for _ in range(steps if repeat else _WARM_UP):
            actions = player.act(env.engine)
            start = time.process_time()
            _, _, terminated, _, _ = env.step(actions)
            spent += time.process_time() - start
            counted += env.num_envs - int(ended.sum())
            ended = terminated
        if repeat:
            best = max(best, counted / spent)
    return best


def aec_rate_of(env: Any, repeats: int) -> float:
    """Return the best rate of PettingZoo's own loop: last() and step() of live agents."""
    best = 0.0
    for _ in range(repeats):
        rng = np.random.default_rng(0)
        shares = rng.random(_AEC_STEPS + 100).tolist()
        start, steps = time.process_time(), 0
        while steps < _AEC_STEPS:
            env.reset(seed=steps)
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(shares[steps] * len(legal))]))
                steps += 1
        best = max(best, steps / (time.process_time() - start))
    return best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100, help="of the batch, a repeat")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print("| what | rows | random play, M steps/s | Easy's play, M steps/s |")
    print("|---|---|---|---|")
    for opponent in (None, "random", "easy", "wise"):
        rates = []
        for player in (RandomLegal(0), EasyBot(both_seats=True)):
            env = TinrailSelfPlayVectorEnv(arguments.num_envs, opponents=opponent, copy=False)
            rates.append(rate_of(env, player, arguments.steps, arguments.repeats) / 1e6)
        name = "self-play" if opponent is None else f"against {opponent}"
        print(f"| {name} | {arguments.num_envs:,} | {rates[0]:.2f} | {rates[1]:.2f} |", flush=True)
    for name, env in (("raw_env", tinrail_v0.raw_env()), ("env", tinrail_v0.env())):
        rate = aec_rate_of(env, arguments.repeats) / 1e6
        print(f"| AEC {name} | 1 | {rate:.3f} | |", flush=True)


if __name__ == "__main__":
    main()
