"""Time random play inside compiled code against the same play step by step.

    python -m benchmarks.rollouts [--games NAME ..] [--num-games 1 64 4096] [--repeats 5]

Games from their starts to their ends, at most so many steps, without bank. The loop is the one that
`Engine.rollout` replaces: `RandomLegal` chooses, `Engine.step` plays the rows that go on, masks and
observations included. Actions played per second of CPU time, best of several repeats, one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from quiltrail.bench.subjects import never_banks
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, find_game


def _play_loop(engine: Engine, steps: int) -> int:
    """Play step by step; return how many actions were played."""
    player, played = never_banks(engine), 0
    for _ in range(steps):
        running = np.flatnonzero(~engine.terminated)
        if not len(running):
            break
        engine.step(player.act(engine)[running], running)
        played += len(running)
    return played


def _play_rollout(engine: Engine, steps: int) -> int:
    """Play inside compiled code; return how many actions were played."""
    return int(engine.rollout(steps=steps, forbid=never_banks(engine).forbid).steps.sum())


def _rate_of(play: Callable[[Engine, int], int], engine: Engine, steps: int, repeats: int) -> float:
    """Return the best rate of some repeats, the first not counted."""
    rows = np.arange(engine.num_games)
    best = 0.0
    for repeat in range(repeats + 1):
        engine.reset(rows, rows.astype(np.uint64))
        start = time.process_time()
        played = play(engine, steps)
        if repeat:
            best = max(best, played / (time.process_time() - start))
    return best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=[spec.short_name for spec in GAMES])
    parser.add_argument("--num-games", type=int, nargs="+", default=[1, 64, 4096])
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print("| game | rows | rollout, M steps/s | loop, M steps/s |")
    print("|---|---|---|---|")
    for name in arguments.games:
        for num_games in arguments.num_games:
            engine = find_game(name).make_engine(num_games)
            rates = [
                _rate_of(play, engine, arguments.steps, arguments.repeats) / 1e6
                for play in (_play_rollout, _play_loop)
            ]
            print(f"| {name} | {num_games:,} | {rates[0]:.2f} | {rates[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
