"""Time Tinrail against opponents inside the batch, by random play and by Easy's long matches.

    python -m benchmarks.tinrail_speed [--num-envs 4096] [--seconds 0.5] [--repeats 5]

The rest of Tinrail is timed by `quiltrail bench`. Vector environments give observation, mask and
infos, reset ended rows themselves (NextStep) and hand out live buffers (copy=False); actions are
drawn outside the clock. A step is a placement in self-play and a turn of the learner against an
opponent; steps that only reset a row are not counted. Best of several repeats after a warm-up, per
second of CPU time, one process, one thread.
"""

from __future__ import annotations

import argparse

from quiltrail.agents import Agent, RandomLegal
from quiltrail.agents.tinrail import EasyBot
from quiltrail.bench.clock import Effort, fastest
from quiltrail.bench.subjects import batch_play
from quiltrail.envs.tinrail.selfplay import TinrailSelfPlayVectorEnv

_WARM_UP = 20


def _rate_of(env: TinrailSelfPlayVectorEnv, player: Agent, effort: Effort) -> float:
    """Return the best rate of some repeats, millions of counted steps per second of CPU time."""
    return 1e3 / fastest(batch_play(env, player), effort).cpu_ns


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=0.5, help="of CPU time, a repeat")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    effort = Effort(arguments.seconds, arguments.repeats, _WARM_UP)
    print("| what | rows | random play, M steps/s | Easy's play, M steps/s |")
    print("|---|---|---|---|")
    for opponent in (None, "random", "easy", "wise"):
        rates = []
        for player in (RandomLegal(0), EasyBot(both_seats=True)):
            env = TinrailSelfPlayVectorEnv(arguments.num_envs, opponents=opponent, copy=False)
            rates.append(_rate_of(env, player, effort))
        name = "self-play" if opponent is None else f"against {opponent}"
        print(f"| {name} | {arguments.num_envs:,} | {rates[0]:.2f} | {rates[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
