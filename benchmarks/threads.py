"""Time the steps of a batch shared among threads.

    python -m benchmarks.threads [--games NAME ..] [--num-envs 4096 16384] [--threads 2]

For each engine, uniform legal play without bank; ended rows are reset outside the clock. One
thread and several take turns, step by step, and play the same games. Two figures for each: wall
time, which needs as many free cores as threads, and busy time, the CPU time on the longest way
through a step: all that one thread does alone, and the slower of the slices. On a machine with
other work only busy time tells what the threads gain; the cost of handing slices over, waiting
included, is in wall time alone. Medians over the steps.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

import numpy as np

from quiltrail.bench.subjects import never_banks
from quiltrail.core.engine import Engine
from quiltrail.envs import GAMES, find_game

_WARM_UP = 10


class _SliceClock:
    """Measures the CPU time of each slice of an engine's steps, in its own thread."""

    def __init__(self, engine: Engine) -> None:
        self._kernel = engine._step
        self.spent: list[float] = []
        engine._step = self._timed  # type: ignore[assignment,method-assign]

    def _timed(self, *arguments: Any) -> int:
        start = time.thread_time()
        count = self._kernel(*arguments)
        self.spent.append(time.thread_time() - start)
        return count


def _timed_step(engine: Engine, clock: _SliceClock, actions: np.ndarray) -> tuple[float, float]:
    """Step; return its wall time and its busy time."""
    clock.spent.clear()
    wall, own = time.perf_counter(), time.thread_time()
    engine.step(actions)
    wall, own = time.perf_counter() - wall, time.thread_time() - own
    others = max(clock.spent) - min(clock.spent) if len(clock.spent) > 1 else 0.0
    return wall, own + others


def _row_of(name: str, num_envs: int, threads: int, steps: int) -> str:
    """Return a game's row of the table."""
    engines = [find_game(name).make_engine(num_envs) for _ in range(2)]
    engines[1].threads = threads
    clocks = [_SliceClock(engine) for engine in engines]
    player = never_banks(engines[0])
    times: list[list[tuple[float, float]]] = [[], []]
    for step in range(_WARM_UP + steps):
        actions = player.act(engines[0])
        for engine, clock, timed in zip(engines, clocks, times, strict=True):
            measured = _timed_step(engine, clock, actions)
            if step >= _WARM_UP:
                timed.append(measured)
            ended = np.flatnonzero(engine.terminated)
            engine.reset(ended, (ended + num_envs * (step + 1)).astype(np.uint64))
    (wall, busy), (wall_shared, busy_shared) = [
        [median(column) for column in zip(*timed, strict=True)] for timed in times
    ]
    return (
        f"| {name} | {num_envs:,} | {num_envs / wall / 1e6:.2f} | {wall / wall_shared:.2f} "
        f"| {busy / busy_shared:.2f} |"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=[spec.short_name for spec in GAMES])
    parser.add_argument("--num-envs", type=int, nargs="+", default=[4096, 16384])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    print(
        "| game | rows | M steps/s by one thread "
        f"| {arguments.threads} threads, times as fast: wall | busy |"
    )
    print("|---|---|---|---|---|")
    for name in arguments.games:
        for num_envs in arguments.num_envs:
            print(_row_of(name, num_envs, arguments.threads, arguments.steps), flush=True)


if __name__ == "__main__":
    main()
