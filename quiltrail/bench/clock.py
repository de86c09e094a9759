"""The clock of every benchmark: CPU and wall time of what is timed, the best of some repeats.

It needs nothing but the standard library, so that scripts that time other packages run this very
file inside those packages' own environments, where quiltrail is not installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_NANOSECONDS = 1e9
_MOST_WALL = 60  # seconds of waiting allowed for each second of CPU time wanted


class Stopwatch:
    """Adds up what passes inside its ``with`` blocks.

    Attributes:
        cpu_ns: nanoseconds of CPU time, of all threads of this process.
        wall_ns: nanoseconds of wall time.
    """

    def __init__(self) -> None:
        self.cpu_ns = 0
        self.wall_ns = 0

    def __enter__(self) -> None:
        self._wall_start = time.perf_counter_ns()
        self._cpu_start = time.process_time_ns()

    def __exit__(self, *_: object) -> None:
        self.cpu_ns += time.process_time_ns() - self._cpu_start
        self.wall_ns += time.perf_counter_ns() - self._wall_start


#: Makes some steps, with those parts inside the watch that count, and returns how many.
Play = Callable[[Stopwatch], int]


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes:
        seconds: of CPU time inside the watch, in each repeat; a repeat makes one call at least.
        repeats: the best one counts, because a busy machine only ever adds time.
        warm_up: calls before the first repeat, which compile and reach the middle of a game.
    """

    seconds: float = 0.1
    repeats: int = 3
    warm_up: int = 1


@dataclass(frozen=True)
class Timing:
    """Nanoseconds of one step, each the least of the repeats."""

    cpu_ns: float
    wall_ns: float


def fastest(play: Play, effort: Effort) -> Timing:
    """Return the least CPU time and the least wall time of a step over some repeats."""
    for _ in range(effort.warm_up):
        play(Stopwatch())
    timings = [_once(play, effort.seconds) for _ in range(effort.repeats)]
    return Timing(min(one.cpu_ns for one in timings), min(one.wall_ns for one in timings))


def _once(play: Play, seconds: float) -> Timing:
    watch, steps = Stopwatch(), 0
    wanted, patience = seconds * _NANOSECONDS, seconds * _NANOSECONDS * _MOST_WALL
    while not steps or (watch.cpu_ns < wanted and watch.wall_ns < patience):
        steps += play(watch)
    return Timing(watch.cpu_ns / steps, watch.wall_ns / steps)
