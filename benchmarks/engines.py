"""Time the native vector environments: steps per CPU second, and the bytes a step may write.

    python -m benchmarks.engines [--games NAME ..] [--num-envs 4096] [--steps 200] [--repeats 5]

Only ``step`` is timed, with observation, mask and infos, in one process with one thread; uniform
legal play without bank is chosen outside the clock, so that the positions are those of long play.
Reported is the best of several repeats after a warm-up (machines are noisy, and noise only adds),
with ``copy=False`` (live buffers) and ``copy=True``, at the id's own time limit and NextStep
autoreset. Bytes are those of a row's observation and mask: what a step would write if everything
changed. "One" is a single environment of gym.make that plays recorded actions, resets inside.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium as gym

from quiltrail.agents.random_legal import RandomLegal
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, GameSpec, find_game

_WARM_UP = 20
_SINGLE_STEPS = 20_000


def never_banks(engine: Engine) -> RandomLegal:
    """Return a random player that ends no run of its own will."""
    ends = [
        action
        for action in range(engine.num_actions)
        if engine.codec.decode(action)["type"] in ("bank", "finish")
    ]
    return RandomLegal(0, forbid=tuple(ends))


def steps_per_second(env: Any, steps: int, repeats: int) -> float:
    """Return the best rate of some repeats, game steps per second of CPU time."""
    env.reset(seed=0)
    player = never_banks(env.unwrapped.engine)
    best = 0.0
    for repeat in range(repeats + 1):
        spent = 0.0
        count = steps if repeat else _WARM_UP
        for _ in range(count):
            actions = player.act(env.unwrapped.engine)
            start = time.process_time()
            env.step(actions)
            spent += time.process_time() - start
        if repeat:
            best = max(best, count * env.num_envs / spent)
    return best


def single_steps_per_second(spec: GameSpec, repeats: int) -> float:
    """Return the best rate of some replays of one recorded game after another."""
    env: Any = gym.make(spec.id)
    player = never_banks(env.unwrapped.engine)
    actions: list[int] = []
    best = 0.0
    for repeat in range(repeats + 1):
        env.reset(seed=0)
        start = time.process_time()
        for number in range(_SINGLE_STEPS):
            if not repeat:
                actions.append(int(player.act(env.unwrapped.engine)[0]))
            _, _, terminated, truncated, _ = env.step(actions[number])
            if terminated or truncated:
                env.reset()
        if repeat:
            best = max(best, _SINGLE_STEPS / (time.process_time() - start))
    return best


def row_of(spec: GameSpec, num_envs: int, steps: int, repeats: int) -> str:
    """Return a game's row of the table."""
    rates = []
    for copy in (False, True):
        env = gym.make_vec(spec.id, num_envs=num_envs, copy=copy)
        rates.append(steps_per_second(env, steps, repeats))
    engine = env.unwrapped.engine  # type: ignore[attr-defined]
    seen = sum(value[0].nbytes for value in engine.observation.values())
    return (
        f"| {spec.name} | {num_envs:,} | {rates[0] / 1e6:.2f} | {rates[1] / 1e6:.2f} "
        f"| {single_steps_per_second(spec, repeats) / 1e6:.3f} | {seen} + {engine.num_actions} |"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=[spec.id for spec in GAMES])
    parser.add_argument("--num-envs", type=int, nargs="+", default=[64, 4096])
    parser.add_argument("--steps", type=int, default=200, help="of the batch, a repeat")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print("| game | rows | M steps/s, copy=False | copy=True | one | bytes: observation + mask |")
    print("|---|---|---|---|---|---|")
    for name in arguments.games:
        for num_envs in arguments.num_envs:
            row = row_of(find_game(name), num_envs, arguments.steps, arguments.repeats)
            print(row, flush=True)


if __name__ == "__main__":
    main()
