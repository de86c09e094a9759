"""Tinrail for two agents, PettingZoo's turn-based way: random legal play."""

from __future__ import annotations

import argparse
from collections import Counter

import pettingzoo

import quiltrail  # noqa: F401  (registers the ids)


def main() -> None:
    """Play some matches and count results and turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5_000, help="turns to play")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    env = pettingzoo.make("aec", "quiltrail/tinrail-v0")
    env.action_space("player_0").seed(arguments.seed)
    env.action_space("player_1").seed(arguments.seed + 1)
    results: Counter[float] = Counter()
    env.reset(seed=arguments.seed)
    turns = 0
    while turns < arguments.steps:
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            over = terminated or truncated
            if over and agent == "player_0":
                results[reward] += 1
            mask = observation["action_mask"]
            env.step(None if over else env.action_space(agent).sample(mask))
            turns += not over
        env.reset()
    named = {1.0: "first player won", -1.0: "second player won", 0.0: "drawn"}
    print(f"{turns} turns; " + ", ".join(f"{named[one]} {n}" for one, n in results.items()))


if __name__ == "__main__":
    main()
